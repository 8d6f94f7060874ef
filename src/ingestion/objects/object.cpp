#include "ingestion/objects/object.hpp"

#include <algorithm>

#include <fmt/format.h>

#include <belay/error.hpp>

#include "core/base/utf8.hpp"

namespace belay::objects {
namespace {

bool is_printable_ascii(std::string_view text) {
    return std::ranges::all_of(text, [](char c) { return c >= 0x20 && c <= 0x7e; });
}

bool is_name(std::string_view name) {
    return !name.empty() && std::ranges::all_of(name, [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
    });
}

bool has_control(std::string_view text) {
    return std::ranges::any_of(
        text, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; });
}

[[noreturn]] void refuse(const std::string& why) { throw Error(ErrorCode::InvalidArgument, why); }

}  // namespace

void check(const Description& description) {
    const auto& type = description.content_type;
    if (type.empty() || type.size() > 255 || !is_printable_ascii(type))
        refuse("content type: 1 to 255 printable ASCII characters are allowed");
    std::size_t bytes = 0;
    for (const auto& [name, value] : description.metadata) {
        if (!is_name(name))
            refuse(fmt::format("metadata name `{}`: only a-z, 0-9 and `_` are allowed",
                               base::truncate(base::to_valid_utf8(name), 100)));
        if (!base::is_utf8(value) || has_control(value))
            refuse(fmt::format("metadata `{}`: its value is not UTF-8 or has a control character",
                               name));
        bytes += name.size() + value.size();
    }
    if (bytes > kMetadataBytesMax)
        refuse(fmt::format("metadata has {} bytes, more than {}", bytes, kMetadataBytesMax));
}

}  // namespace belay::objects
