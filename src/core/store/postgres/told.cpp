#include "core/store/postgres/told.hpp"

#include <charconv>
#include <cstddef>

#include <fmt/format.h>

namespace belay::store::postgres {

namespace {

// A notification has at most 8,000 bytes; a number at most 19, and a comma.
constexpr std::size_t kNamedMax = 300;
constexpr std::string_view kAny = "told";  // what was always said before runs were named

}  // namespace

void SomeRuns::add(std::int64_t run) {
    if (any_) return;
    runs_.insert(run);
    if (runs_.size() <= kNamedMax) return;
    any_ = true;
    runs_.clear();
}

void SomeRuns::add(const SomeRuns& others) {
    if (others.any_) *this = all();
    for (const std::int64_t run : others.runs_) add(run);
}

std::string SomeRuns::text() const {
    return any_ ? std::string(kAny) : fmt::format("{}", fmt::join(runs_, ","));
}

SomeRuns SomeRuns::from(std::string_view text) {
    SomeRuns some;
    while (!text.empty()) {
        std::int64_t run = 0;
        const char* const end = text.data() + text.size();
        const auto [at, error] = std::from_chars(text.data(), end, run);
        if (error != std::errc{} || (at != end && *at != ',')) return all();
        some.add(run);
        text.remove_prefix(static_cast<std::size_t>(at - text.data()));
        if (!text.empty()) text.remove_prefix(1);
    }
    return some;
}

}  // namespace belay::store::postgres
