#include "ingestion/ai/rules/einvoice.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "core/base/utf8.hpp"
#include "ingestion/ai/rules/document.hpp"
#include "ingestion/ai/rules/fold.hpp"

namespace belay::ai::rules {
namespace {

constexpr Decimal kCent{1, 2};
// What rounding may make of a sum of rounded parts (Peppol's rule for a line).
constexpr Decimal kRounding{2, 2};

// "+1000.0000" is 1000.00: as many decimals as are not zero, and `scale_min` at least. More than kScaleMax are cut.
std::optional<Decimal> decimal_of(std::string text, int scale_min) {
    if (text.starts_with('+')) text.erase(0, 1);
    if (text.starts_with('.')) text.insert(0, 1, '0');
    if (const auto point = text.find('.'); point != std::string::npos) {
        if (text.find_first_not_of("0123456789", point + 1) != std::string::npos)
            return std::nullopt;
        text.resize(std::min(text.size(), point + 1 + Decimal::kScaleMax));
        while (text.ends_with('0')) text.pop_back();
        if (text.ends_with('.')) text.pop_back();
    }
    while (text.size() > 1 && text[0] == '0' && text[1] != '.') text.erase(0, 1);
    const auto value = Decimal::parse(text);
    return value && value->scale() < scale_min ? value->rescaled(scale_min) : value;
}

// "a  b\nc" as one line.
std::string one_line(const std::string& text) {
    std::string out;
    for (const char c : text) {
        const bool space = c == ' ' || c == '\n' || c == '\r' || c == '\t';
        if (!space)
            out += c;
        else if (!out.empty() && out.back() != ' ')
            out += ' ';
    }
    if (out.ends_with(' ')) out.pop_back();
    return out;
}

Found<std::string> text_of(const std::string& said) {
    const std::string text = one_line(said);
    return text.empty() ? Found<std::string>{} : Found<std::string>{text, 1};
}

// Reads the values, and says which are none.
class Reader {
public:
    explicit Reader(std::vector<std::string>& review) : review_(review) {}

    Found<Decimal> number(const std::string& said, const std::string& name, int scale_min) {
        if (said.empty()) return {};
        if (const auto value = decimal_of(said, scale_min)) return {*value, 1};
        review_.push_back(fmt::format("{}: `{}` is no number", name, base::truncate(said, 40)));
        return {};
    }
    Found<Decimal> money(const std::string& said, const std::string& name) {
        return number(said, name, 2);
    }
    Found<Date> date(const std::string& said, const std::string& name) {
        if (said.empty()) return {};
        // A date of XML Schema may name its time zone.
        const auto date = Date::parse(said.substr(0, 10));
        if (date && date->is_valid()) return {*date, 1};
        review_.push_back(fmt::format("{}: `{}` is no date", name, base::truncate(said, 40)));
        return {};
    }

private:
    std::vector<std::string>& review_;
};

Decimal or_zero(const Found<Decimal>& found) { return found ? *found : Decimal{}; }

void ask_unless_equal(std::vector<std::string>& review, Decimal computed,
                      const Found<Decimal>& said, std::string_view sum, std::string_view name,
                      Decimal tolerance = kCent) {
    if (!said || near(computed, *said, tolerance)) return;
    review.push_back(
        fmt::format("{} {}, and the {} is {}", sum, money_text(computed), name, money_text(*said)));
}

// ---- one line

// What one costs, where `price` is for `per` of them: 10, 100, 1000. Nothing where that has too many decimals.
Found<Decimal> price_of_one(Decimal price, Decimal per) {
    for (int digits = 0; price.scale() + digits <= Decimal::kScaleMax; ++digits) {
        if (per == Decimal{1, 0}) return {Decimal{price.units(), price.scale() + digits}, 1};
        per = per * Decimal{1, 1};
    }
    return {};
}

InvoiceLine line_of(const media::EInvoiceLine& said, std::size_t number, Reader& reader,
                    std::vector<std::string>& review) {
    const std::string name = fmt::format("line {}", number);
    InvoiceLine line;
    line.description = text_of(said.name);
    line.quantity = reader.number(said.quantity, name + " quantity", 0);
    line.unit_price = reader.number(said.price, name + " price", 2);
    line.amount = reader.money(said.amount, name + " amount");
    line.vat_rate = reader.number(said.vat_rate, name + " VAT rate", 0);
    if (!line.quantity || !line.unit_price || !line.amount) return line;
    Decimal others;
    for (const auto& one : said.allowances)
        others = others - or_zero(reader.money(one, name + " allowance"));
    for (const auto& one : said.charges)
        others = others + or_zero(reader.money(one, name + " charge"));
    const Found<Decimal> said_per = reader.number(said.price_per, name + " price base", 0);
    const Decimal per = said_per && !said_per->is_zero() ? *said_per : Decimal{1, 0};
    // Insurers bill the gross price: their tax is none that an invoice shows.
    const Decimal wanted = (*line.amount - others) * per;
    const auto comes_to = [&](const Found<Decimal>& price) {
        return price && near(*line.quantity * *price, wanted, (kRounding * per).abs());
    };
    if (!comes_to(line.unit_price) &&
        !comes_to(reader.number(said.gross_price, name + " gross price", 2))) {
        review.push_back(fmt::format("{}: {} × {} is not {}", name, line.quantity->text(),
                                     line.unit_price->text(), money_text(*line.amount)));
    }
    line.unit_price = price_of_one(*line.unit_price, per);
    return line;
}

void read_lines(Invoice& out, const media::EInvoice& said, Reader& reader) {
    Decimal sum;
    bool all = !said.lines.empty() && !said.cut;
    for (std::size_t i = 0; i < said.lines.size(); ++i) {
        out.lines.push_back(line_of(said.lines[i], i + 1, reader, out.review));
        if (out.lines.back().amount)
            sum = sum + *out.lines.back().amount;
        else
            all = false;
    }
    if (all)
        ask_unless_equal(out.review, sum, reader.money(said.line_total, "line_total"),
                         "the lines sum to", "total of the lines");
    if (said.cut) out.review.push_back("the XML has more lines or rows of tax than are kept");
}

// ---- the whole

void read_sums(Invoice& out, const media::EInvoice& said, Reader& reader) {
    auto& review = out.review;
    out.net_total = reader.money(said.net_total, "net_total");
    out.tax_total = reader.money(said.tax_total, "tax_total");
    out.grand_total = reader.money(said.grand_total, "grand_total");
    out.due_amount = reader.money(said.due_amount, "due_amount");
    const auto lines = reader.money(said.line_total, "line_total");
    const auto allowances = or_zero(reader.money(said.allowance_total, "allowance_total"));
    const auto charges = or_zero(reader.money(said.charge_total, "charge_total"));
    if (lines)
        ask_unless_equal(review, *lines - allowances + charges, out.net_total,
                         "lines, allowances and charges come to", "net total");
    if (out.net_total)
        ask_unless_equal(review, *out.net_total + or_zero(out.tax_total), out.grand_total,
                         "net and tax sum to", "total");
    // The smallest profile has no place for what was paid already.
    if (out.grand_total && (lines || !said.prepaid.empty())) {
        const auto prepaid = or_zero(reader.money(said.prepaid, "prepaid"));
        const auto rounding = or_zero(reader.money(said.rounding, "rounding"));
        ask_unless_equal(review, *out.grand_total - prepaid + rounding, out.due_amount,
                         "the total less what was paid is", "amount due");
    }
}

void read_taxes(Invoice& out, const media::EInvoice& said, Reader& reader) {
    Decimal sum;
    bool all = !said.taxes.empty() && !said.cut;
    for (const auto& tax : said.taxes) {
        const auto amount = reader.money(tax.amount, "VAT amount");
        const auto base = reader.money(tax.base, "VAT base");
        const auto rate = reader.number(tax.rate, "VAT rate", 0);
        all = all && amount;
        sum = sum + or_zero(amount);
        if (!amount || !base || !rate) continue;
        out.vat.push_back({*rate, *base, *amount});
        if (!near(*base * *rate * Decimal{1, 2}, *amount, kRounding))
            out.review.push_back(fmt::format("{} % of {} is not {}", rate->text(),
                                             money_text(*base), money_text(*amount)));
    }
    if (all)
        ask_unless_equal(out.review, sum, out.tax_total, "the rows of VAT sum to", "tax total");
}

bool is_currency(const std::string& text) {
    return text.size() == 3 &&
           std::ranges::all_of(text, [](char c) { return c >= 'A' && c <= 'Z'; });
}

void check(Invoice& out) {
    const auto ask = [&](bool there, std::string_view name) {
        if (!there) out.review.push_back(fmt::format("{} not found", name));
    };
    ask(out.invoice_number.value.has_value(), "invoice_number");
    ask(out.issue_date.value.has_value(), "issue_date");
    ask(out.seller_name.value.has_value(), "seller_name");
    ask(out.grand_total.value.has_value(), "grand_total");
    ask(out.currency.value.has_value(), "currency");
    if (out.currency && !is_currency(*out.currency))
        out.review.push_back(
            fmt::format("currency: `{}` is none", base::truncate(*out.currency, 40)));
    out.confidence =
        out.invoice_number && out.issue_date && out.seller_name && out.grand_total ? 1 : 0;
}

}  // namespace

Invoice invoice_of(const media::EInvoice& said) {
    Invoice out;
    Reader reader{out.review};
    out.invoice_number = text_of(said.number);
    out.issue_date = reader.date(said.issue_date, "issue_date");
    out.due_date = reader.date(said.due_date, "due_date");
    out.seller_name = text_of(said.seller.name);
    out.seller_orgnr = text_of(said.seller.legal_number);
    out.seller_vat_number = text_of(said.seller.vat_number);
    out.buyer_name = text_of(said.buyer.name);
    out.seller_address = text_of(said.seller.address);
    out.buyer_address = text_of(said.buyer.address);
    out.currency = text_of(said.currency);
    out.payment.iban = text_of(said.iban);
    out.payment.bic = text_of(said.bic);
    out.payment.ocr_reference = text_of(said.payment_reference);
    read_sums(out, said, reader);
    read_taxes(out, said, reader);
    read_lines(out, said, reader);
    check(out);
    // The same text may be read by two checks.
    for (std::size_t i = 0; i < out.review.size(); ++i)
        out.review.erase(std::remove(out.review.begin() + static_cast<std::ptrdiff_t>(i) + 1,
                                     out.review.end(), out.review[i]),
                         out.review.end());
    return out;
}

// ---- beside its picture

namespace {

// What stands on the pages, to look up what the XML says.
class Printed {
public:
    explicit Printed(const Document& document) : document_(document) {
        for (const Line& line : document.lines) text_ += fold_alnum(line.text());
    }
    bool has(Decimal amount) const {
        return any(document_.amounts,
                   [&](const AmountAt& at) { return at.amount.value.abs() == amount.abs(); });
    }
    bool has(Date date) const {
        return any(document_.dates, [&](const DateAt& at) {
            return at.reading.date == date || at.reading.or_ == date;
        });
    }
    bool has(const std::string& text) const {
        return text_.find(fold_alnum(text)) != std::string::npos;
    }
    bool has_amounts() const {
        return any(document_.amounts, [](const AmountAt& at) { return at.amount.decimals; });
    }

private:
    template <class T, class F>
    static bool any(const std::vector<std::vector<T>>& lines, F&& holds) {
        return std::ranges::any_of(
            lines, [&](const auto& line) { return std::ranges::any_of(line, holds); });
    }
    const Document& document_;
    std::string text_{};
};

// Under this the reading of the page is no witness.
constexpr double kWitness = 0.6;

std::string shown(Decimal amount) { return money_text(amount); }
std::string shown(Date date) { return date.text(); }
std::string shown(const std::string& text) { return text; }

bool is_same(Decimal a, Decimal b) {
    return a.abs() == b.abs();
}  // a credit note is printed either way
bool is_same(Date a, Date b) { return a == b; }
// A number may be printed without the year or the page that is counted behind it.
bool is_same(const std::string& a, const std::string& b) {
    constexpr std::size_t kLeast = 6;
    const std::string one = fold_alnum(a), other = fold_alnum(b);
    if (one.size() < kLeast || other.size() < kLeast) return one == other;
    return one.starts_with(other) || other.starts_with(one);
}

template <class T>
void compare(std::vector<std::string>& out, std::string_view name, const Found<T>& said,
             const Found<T>& read, const Printed& printed) {
    if (!said || !read || read.confidence < kWitness || is_same(*said, *read) || printed.has(*said))
        return;
    out.push_back(
        fmt::format("{}_differs: {} in the XML, {} on the page", name, shown(*said), shown(*read)));
}

// No word of the name is on the pages: they are somebody else's.
bool is_stranger(const std::string& name, const Printed& printed) {
    bool any = false;
    for (const std::string& word : fold_words(name)) {
        if (word.size() < 4) continue;
        any = true;
        if (printed.has(word)) return false;
    }
    return any;
}

}  // namespace

std::vector<std::string> differences(const Invoice& invoice,
                                     const std::vector<media::Page>& pages) {
    std::vector<std::string> out;
    const bool empty =
        std::ranges::all_of(pages, [](const media::Page& page) { return page.words.empty(); });
    if (empty) return out;
    const Invoice read = read_invoice(pages);
    const Document document = document_of(pages);
    const Printed printed{document};
    compare(out, "invoice_number", invoice.invoice_number, read.invoice_number, printed);
    compare(out, "issue_date", invoice.issue_date, read.issue_date, printed);
    compare(out, "due_date", invoice.due_date, read.due_date, printed);
    compare(out, "net_total", invoice.net_total, read.net_total, printed);
    compare(out, "tax_total", invoice.tax_total, read.tax_total, printed);
    compare(out, "grand_total", invoice.grand_total, read.grand_total, printed);
    compare(out, "iban", invoice.payment.iban, read.payment.iban, printed);
    if (invoice.currency && read.currency && read.currency.confidence >= kWitness &&
        *invoice.currency != *read.currency)
        out.push_back(fmt::format("currency_differs: {} in the XML, {} on the page",
                                  *invoice.currency, *read.currency));
    const bool total_missing = invoice.grand_total && !printed.has(*invoice.grand_total) &&
                               !(invoice.due_amount && printed.has(*invoice.due_amount));
    if (total_missing && printed.has_amounts() &&
        std::ranges::none_of(
            out, [](const std::string& reason) { return reason.starts_with("grand_total"); }))
        out.push_back(fmt::format("grand_total_differs: {} in the XML, and not on the page",
                                  money_text(*invoice.grand_total)));
    if (invoice.seller_name && is_stranger(*invoice.seller_name, printed))
        out.push_back(fmt::format("seller_name_differs: {} in the XML, and not on the page",
                                  *invoice.seller_name));
    return out;
}

// ---- without a picture

namespace {

// Types lines as a machine would, for the boxes that readers of pages want.
class Typed {
public:
    void line(std::string_view text) {
        constexpr double kWide = 6, kHigh = 10, kLine = 14, kMargin = 40;
        std::size_t column = 0;
        while (!text.empty()) {
            const auto end = std::min(text.find(' '), text.size());
            const auto letters = static_cast<double>(char_count(text.substr(0, end)));
            if (end > 0 && page_.words.size() < kWordsPerPageMax)
                page_.words.push_back({.text = std::string(text.substr(0, end)),
                                       .box = {kMargin + static_cast<double>(column) * kWide,
                                               kMargin + number_ * kLine, letters * kWide, kHigh},
                                       .line = number_,
                                       .by = media::ReadBy::TextLayer});
            column += static_cast<std::size_t>(letters) + 1;
            text.remove_prefix(std::min(text.size(), end + 1));
        }
        ++number_;
        page_.height = 2 * kMargin + number_ * kLine;
    }
    void field(std::string_view name, const std::string& value) {
        if (!value.empty()) line(fmt::format("{}: {}", name, one_line(value)));
    }
    media::Page page() && { return std::move(page_); }

private:
    media::Page page_{.number = 1, .width = 595};
    int number_ = 0;
};

}  // namespace

media::Page sheet_of(const media::EInvoice& said) {
    Typed typed;
    typed.field(said.type_code == "381" ? "Credit note" : "Invoice", said.number);
    typed.field("Issued", said.issue_date);
    typed.field("Due", said.due_date);
    typed.field("Seller", said.seller.name);
    typed.field("Seller VAT", said.seller.vat_number);
    typed.field("Buyer", said.buyer.name);
    typed.field("IBAN", said.iban);
    typed.field("BIC", said.bic);
    typed.field("Reference", said.payment_reference);
    typed.line("");
    for (const auto& line : said.lines)
        typed.line(one_line(fmt::format("{}  {} {} × {}  {}", line.name, line.quantity, line.unit,
                                        line.price, line.amount)));
    typed.line("");
    typed.field("Net", said.net_total);
    for (const auto& tax : said.taxes)
        typed.line(one_line(fmt::format("VAT {} % of {}: {}", tax.rate, tax.base, tax.amount)));
    typed.field("Tax", said.tax_total);
    typed.field("Total", one_line(said.grand_total + " " + said.currency));
    typed.field("To pay", said.due_amount);
    return std::move(typed).page();
}

}  // namespace belay::ai::rules
