#include "service/http/headers.hpp"

#include <algorithm>

namespace belay::http {
namespace {

char lower_char(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

}  // namespace

std::string lower(std::string_view text) {
    std::string result(text);
    std::ranges::transform(result, result.begin(), lower_char);
    return result;
}

bool equal_ignoring_case(std::string_view a, std::string_view b) {
    return std::ranges::equal(a, b, {}, lower_char, lower_char);
}

std::string_view trim(std::string_view text) {
    const auto is_space = [](char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; };
    while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
    while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
    return text;
}

void Headers::set(std::string_view name, std::string value) {
    remove(name);
    add(std::string(name), std::move(value));
}

void Headers::remove(std::string_view name) {
    std::erase_if(fields_,
                  [&](const auto& field) { return equal_ignoring_case(field.first, name); });
}

std::optional<std::string> Headers::find(std::string_view name) const {
    for (const auto& [field, value] : fields_)
        if (equal_ignoring_case(field, name)) return value;
    return std::nullopt;
}

}  // namespace belay::http
