#include "service/api/conditional.hpp"

#include <charconv>

#include <fmt/format.h>

#include "service/api/headers.hpp"

namespace belay::api {

namespace {

std::string_view without_weak(std::string_view tag) {
    return tag.starts_with("W/") ? tag.substr(2) : tag;
}

std::optional<std::uint64_t> number(std::string_view text) {
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (text.empty() || end != text.data() + text.size()) return std::nullopt;
    if (error == std::errc::result_out_of_range) return UINT64_MAX;
    if (error != std::errc{}) return std::nullopt;
    return value;
}

// Whether "gzip;q=0.5" allows anything: a q of 0 (0, 0.0, 0.000) forbids.
bool wants(std::string_view item) {
    const auto q = item.find("q=");
    if (q == std::string_view::npos) return true;
    const std::string_view weight = trimmed(item.substr(q + 2));
    return weight.find_first_not_of("0.") != std::string_view::npos;
}

}  // namespace

std::string quoted_etag(std::string_view hash) { return fmt::format("\"{}\"", hash); }

bool etag_matches(std::string_view header, std::string_view etag) {
    for (const std::string_view item : list_items(header)) {
        if (item == "*" || without_weak(item) == without_weak(etag)) return true;
    }
    return false;
}

WantedBytes wanted_bytes(std::string_view range, std::uint64_t size) {
    constexpr std::string_view kUnit = "bytes=";
    if (!range.starts_with(kUnit)) return WholeThing{};
    const std::string_view spec = trimmed(range.substr(kUnit.size()));
    const auto dash = spec.find('-');
    if (dash == std::string_view::npos || spec.find(',') != std::string_view::npos)
        return WholeThing{};
    const std::string_view before = trimmed(spec.substr(0, dash));
    const std::string_view after = trimmed(spec.substr(dash + 1));
    if (before.empty()) {  // the last n bytes
        const auto last = number(after);
        if (!last) return WholeThing{};
        if (*last == 0 || size == 0) return NoSuchRange{};
        const std::uint64_t length = std::min(*last, size);
        return ByteRange{size - length, length};
    }
    const auto first = number(before);
    if (!first) return WholeThing{};
    std::uint64_t last = UINT64_MAX;
    if (!after.empty()) {
        const auto given = number(after);
        if (!given || *given < *first) return WholeThing{};
        last = *given;
    }
    if (*first >= size) return NoSuchRange{};
    last = std::min(last, size - 1);
    return ByteRange{*first, last - *first + 1};
}

bool range_still_valid(std::optional<std::string_view> if_range, std::string_view etag) {
    return !if_range || (trimmed(*if_range) == etag && !etag.starts_with("W/"));
}

bool accepts_gzip(std::string_view accept_encoding) {
    std::optional<bool> any;
    for (const std::string_view item : list_items(accept_encoding)) {
        const std::string_view coding = trimmed(item.substr(0, item.find(';')));
        if (same_word(coding, "gzip")) return wants(item);
        if (coding == "*") any = wants(item);
    }
    return any.value_or(false);
}

}  // namespace belay::api
