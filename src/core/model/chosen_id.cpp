#include "core/model/chosen_id.hpp"

#include <cstddef>

#include <fmt/format.h>

namespace belay::model {

namespace {

constexpr std::string_view kMark = "chosen@";
constexpr std::string_view kScheduled = "sched_";

// Derived ids have 26 or more letters and digits of a hash or a time in a row; a UUID's longest part has 12.
constexpr std::size_t kWordCharsMax = 15;

bool is_word(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); }

}  // namespace

std::string chosen_prefix(std::string_view organization_id) {
    return fmt::format("{}{}/", kMark, organization_id);
}

std::string kept_id(std::string_view organization_id, std::string_view chosen) {
    return chosen_prefix(organization_id).append(chosen);
}

bool looks_derived(std::string_view id) {
    if (id.starts_with(kMark) || id.starts_with(kScheduled)) return true;
    if (id.find('/') != std::string_view::npos) return true;
    std::size_t word = 0;
    for (const char c : id) {
        word = is_word(c) ? word + 1 : 0;
        if (word > kWordCharsMax) return true;
    }
    return false;
}

std::vector<std::string> kept_ids(std::string_view organization_id, std::string_view called) {
    return {std::string(called), kept_id(organization_id, called)};
}

std::string_view called_id(std::string_view organization_id, std::string_view kept) {
    const std::string prefix = chosen_prefix(organization_id);
    return kept.starts_with(prefix) ? kept.substr(prefix.size()) : kept;
}

}  // namespace belay::model
