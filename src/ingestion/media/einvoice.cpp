#include "ingestion/media/einvoice.hpp"

#include <algorithm>

#include <boost/mp11.hpp>

#include "core/base/utf8.hpp"

namespace belay::media {
namespace {

constexpr std::size_t kTextCharsMax = 1000;
constexpr std::size_t kAllowancesMax = 100;  // of one line

void sound(std::string& text) {
    if (text.size() > kTextCharsMax || !base::is_utf8(text) || text.find('\0') != std::string::npos)
        text = base::truncate(base::to_valid_utf8(text), kTextCharsMax);
}
void sound(bool&) {}

template <class T>
requires boost::describe::has_describe_members<T>::value void sound(T& value);

template <class T>
void sound(std::vector<T>& values) {
    for (T& value : values) sound(value);
}

template <class T>
requires boost::describe::has_describe_members<T>::value void sound(T& value) {
    using Members = boost::describe::describe_members<T, boost::describe::mod_public>;
    boost::mp11::mp_for_each<Members>([&](auto member) { sound(value.*member.pointer); });
}

template <class T>
void cut(std::vector<T>& values, std::size_t most) {
    if (values.size() > most) values.resize(most);
}

}  // namespace

void make_sound(EInvoice& invoice) {
    cut(invoice.lines, kEInvoiceLinesMax);
    cut(invoice.taxes, kEInvoiceTaxesMax);
    for (EInvoiceLine& line : invoice.lines) {
        cut(line.allowances, kAllowancesMax);
        cut(line.charges, kAllowancesMax);
    }
    sound(invoice);
}

}  // namespace belay::media
