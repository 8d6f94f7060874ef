// versions.hpp — the code versions that a claim takes, for SQL.
#pragma once

#include <string>
#include <string_view>

#include "core/model/worker.hpp"
#include "core/store/postgres/connection.hpp"

namespace belay::store::postgres {

// As patterns of LIKE; NULL: all.
inline void add_versions(Parameters& parameters, const model::Versions& versions) {
    if (versions.take_any()) return parameters.add(nullptr);
    const auto escaped = [](std::string_view text) {
        std::string out;
        for (const char c : text) {
            if (c == '%' || c == '_' || c == '\\') out += '\\';
            out += c;
        }
        return out;
    };
    TextArray patterns;
    patterns.add(std::string_view(escaped(versions.own)));
    for (const std::string& version : versions.compatible) {
        const bool is_beginning = version.ends_with('*');
        const std::string_view text{version.data(), version.size() - (is_beginning ? 1 : 0)};
        patterns.add(std::string_view(escaped(text) + (is_beginning ? "%" : "")));
    }
    patterns.give(parameters);
}

}  // namespace belay::store::postgres
