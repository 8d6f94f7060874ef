#include "ingestion/documents/address.hpp"

#include <fmt/format.h>

#include "core/base/utf8.hpp"
#include "ingestion/web/url.hpp"

namespace belay::documents {

namespace {

constexpr std::string_view kSanity = "sanity://";

bool is_name(std::string_view text) {
    if (text.empty() || text.size() > 200 || text == "." || text == "..") return false;
    for (const char c : text) {
        const bool fits = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                          (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.';
        if (!fits) return false;
    }
    return true;
}

std::optional<Address> sanity(std::string_view text) {
    const std::string_view rest = text.substr(kSanity.size());
    const auto first = rest.find('/');
    if (first == std::string_view::npos) return std::nullopt;
    const auto second = rest.find('/', first + 1);
    if (second == std::string_view::npos) return std::nullopt;
    const auto project = rest.substr(0, first);
    const auto dataset = rest.substr(first + 1, second - first - 1);
    const auto document = rest.substr(second + 1);
    if (!is_name(project) || !is_name(dataset) || !is_name(document)) return std::nullopt;
    // Parts of a host's name and of a path.
    if (project.find('.') != project.npos || dataset.find('.') != dataset.npos) return std::nullopt;
    return Address{std::string(text), "sanity", fmt::format("{}/{}", project, dataset),
                   std::string(document)};
}

}  // namespace

std::optional<Address> read_address(std::string_view text) {
    if (text.starts_with(kSanity)) return sanity(text);
    auto url = web::normalize(text);
    if (!url) return std::nullopt;
    Address address;
    address.url = *std::move(url);
    return address;
}

std::string no_address(std::string_view text) {
    return fmt::format("`{}` is no http or https address", base::truncate(text, 200));
}

}  // namespace belay::documents
