// id.hpp — integer ids that cannot be mixed up.
//
// A run number and a queue number are both int64 in the store; as Id<RunTag> and Id<QueueTag> the
// compiler refuses one where the other is meant. An id is a plain value: ordered, hashable, printable.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>

#include <fmt/format.h>

namespace belay::base {

template <class Tag>
struct Id {
    std::int64_t value = 0;  // 0 means "none": stores number their rows from 1

    constexpr Id() = default;
    constexpr explicit Id(std::int64_t number) : value(number) {}

    constexpr explicit operator bool() const { return value != 0; }
    friend constexpr auto operator<=>(const Id&, const Id&) = default;
};

}  // namespace belay::base

template <class Tag>
struct std::hash<belay::base::Id<Tag>> {
    std::size_t operator()(const belay::base::Id<Tag>& id) const noexcept {
        return std::hash<std::int64_t>{}(id.value);
    }
};

template <class Tag>
struct fmt::formatter<belay::base::Id<Tag>> : fmt::formatter<std::int64_t> {
    template <class FormatContext>
    auto format(const belay::base::Id<Tag>& id, FormatContext& context) const {
        return fmt::formatter<std::int64_t>::format(id.value, context);
    }
};
