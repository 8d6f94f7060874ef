#include "ingestion/isolate/registry.hpp"

#include <algorithm>
#include <stdexcept>

#include <fmt/format.h>

namespace belay::isolate {

void Registry::add(std::string name, Handler handler, JobOptions options) {
    if (name.empty() || name.size() > kNameBytesMax) {
        throw std::invalid_argument(
            fmt::format("a job's name has 1 to {} bytes, '{}' has not", kNameBytesMax, name));
    }
    if (find(name))
        throw std::invalid_argument(fmt::format("there are two jobs called '{}'", name));
    entries_.push_back({std::move(name), std::move(handler), std::move(options)});
}

void Registry::keep_only(std::span<const std::string_view> names) {
    for (const std::string_view name : names) {
        if (!find(name))
            throw std::invalid_argument(fmt::format("there is no job called '{}'", name));
    }
    if (names.empty()) return;
    std::erase_if(entries_, [&](const Entry& entry) {
        return std::find(names.begin(), names.end(), entry.name) == names.end();
    });
}

const Registry::Entry* Registry::find(std::string_view name) const {
    for (const auto& entry : entries_) {
        if (entry.name == name) return &entry;
    }
    return nullptr;
}

}  // namespace belay::isolate
