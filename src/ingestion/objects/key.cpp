#include "ingestion/objects/key.hpp"

#include <algorithm>

#include <fmt/format.h>

#include <belay/error.hpp>

#include "core/base/utf8.hpp"

namespace belay::objects {
namespace {

bool is_control(char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte < 0x20 || byte == 0x7f;
}

std::optional<std::string> problem_with_part(std::string_view part) {
    if (part.empty()) return "it has an empty part: one slash between parts, none at its ends";
    if (part == "." || part == "..") return fmt::format("`{}` is not a name", part);
    if (part.size() > kKeyPartBytesMax)
        return fmt::format("a part of it has {} bytes, more than {}", part.size(),
                           kKeyPartBytesMax);
    return std::nullopt;
}

}  // namespace

std::optional<std::string> Key::problem(std::string_view text) {
    if (text.size() > kKeyBytesMax)
        return fmt::format("it has {} bytes, more than {}", text.size(), kKeyBytesMax);
    if (!base::is_utf8(text)) return "it is not UTF-8";
    if (std::ranges::any_of(text, is_control)) return "it has a control character";
    if (text.find('/') == std::string_view::npos)
        return "it has no slash: a key is `organization/name`";
    for (std::size_t start = 0; start <= text.size();) {
        const auto end = std::min(text.find('/', start), text.size());
        if (auto wrong = problem_with_part(text.substr(start, end - start))) return wrong;
        start = end + 1;
    }
    return std::nullopt;
}

Key::Key(std::string text) : text_(std::move(text)) {
    if (const auto wrong = problem(text_)) {
        throw Error(ErrorCode::InvalidArgument,
                    fmt::format("object key `{}`: {}",
                                base::truncate(base::to_valid_utf8(text_), 200), *wrong));
    }
}

Key::Key(std::string_view organization, std::string_view name)
    : Key(fmt::format("{}/{}", organization, name)) {
    if (organization.find('/') != std::string_view::npos)
        throw Error(ErrorCode::InvalidArgument,
                    fmt::format("organization `{}`: it has a slash", organization));
}

std::string_view Key::organization() const {
    return std::string_view{text_}.substr(0, text_.find('/'));
}

std::string_view Key::name() const { return std::string_view{text_}.substr(text_.find('/') + 1); }

}  // namespace belay::objects
