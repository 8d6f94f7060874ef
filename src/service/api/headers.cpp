#include "service/api/headers.hpp"

#include <algorithm>

namespace belay::api {

namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

}  // namespace

bool same_word(std::string_view a, std::string_view b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [](char x, char y) { return lower(x) == lower(y); });
}

std::string_view trimmed(std::string_view text) {
    const auto first = text.find_first_not_of(" \t");
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

std::vector<std::string_view> list_items(std::string_view text) {
    std::vector<std::string_view> items;
    while (!text.empty()) {
        const auto comma = text.find(',');
        const std::string_view item = trimmed(text.substr(0, comma));
        if (!item.empty()) items.push_back(item);
        if (comma == std::string_view::npos) break;
        text.remove_prefix(comma + 1);
    }
    return items;
}

void Headers::add(std::string name, std::string value) {
    fields_.emplace_back(std::move(name), std::move(value));
}

void Headers::set(std::string_view name, std::string value) {
    std::erase_if(fields_, [&](const Field& field) { return same_word(field.first, name); });
    fields_.emplace_back(name, std::move(value));
}

std::optional<std::string_view> Headers::find(std::string_view name) const {
    for (const Field& field : fields_) {
        if (same_word(field.first, name)) return field.second;
    }
    return std::nullopt;
}

std::size_t Headers::count(std::string_view name) const {
    return static_cast<std::size_t>(
        std::count_if(fields_.begin(), fields_.end(),
                      [&](const Field& field) { return same_word(field.first, name); }));
}

}  // namespace belay::api
