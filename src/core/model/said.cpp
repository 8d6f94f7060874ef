#include "core/model/said.hpp"

#include <algorithm>

#include <fmt/format.h>

#include <belay/error.hpp>

#include "core/base/limits.hpp"
#include "core/base/utf8.hpp"

namespace belay::model {

namespace {

bool is_plain(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-' || c == '.';
}

bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }

std::string shown(std::string_view text) {
    std::string out = base::truncate(base::to_valid_utf8(text), 40);
    std::replace_if(out.begin(), out.end(), is_control, '?');
    return out;
}

[[noreturn]] void refuse(std::string why) {
    throw Error(ErrorCode::InvalidArgument, std::move(why));
}

void check_name(std::string_view what, std::string_view name) {
    if (!name.empty() && name.size() <= base::kLabelNameCharsMax &&
        std::all_of(name.begin(), name.end(), is_plain))
        return;
    refuse(fmt::format("`{}` is no name of {}: it has 1 to {} letters, digits, `_`, `-` and `.`",
                       shown(name), what, base::kLabelNameCharsMax));
}

}  // namespace

void check_label(std::string_view name, std::string_view value) {
    check_name("a label", name);
    if (value.size() > base::kLabelValueCharsMax) {
        refuse(fmt::format("label `{}` has a value of {} characters; it has at most {}", name,
                           value.size(), base::kLabelValueCharsMax));
    }
    if (!base::is_utf8(value) || std::any_of(value.begin(), value.end(), is_control)) {
        refuse(
            fmt::format("the value of label `{}` is UTF-8 without control characters; this one "
                        "is not: `{}`",
                        name, shown(value)));
    }
}

void check_labels(const Labels& labels) {
    if (labels.size() > base::kLabelsMax) {
        refuse(fmt::format("a run is given at most {} labels; these are {}", base::kLabelsMax,
                           labels.size()));
    }
    for (const auto& [name, value] : labels) check_label(name, value);
}

void check_exposed(std::string_view name, std::string_view value) {
    check_name("an exposed value", name);
    if (value.size() <= base::kExposedBytesMax) return;
    throw Error(ErrorCode::PayloadTooLarge,
                fmt::format("the exposed value `{}` is {} bytes of JSON; one has at most {}. Keep "
                            "large data in a file and expose its name.",
                            name, value.size(), base::kExposedBytesMax));
}

void add_label(Labels& labels, std::string_view typed) {
    const auto at = typed.find('=');
    if (at == std::string_view::npos)
        refuse(fmt::format("`{}` is no label; give one as customer=42", shown(typed)));
    const std::string_view name = typed.substr(0, at);
    const std::string_view value = typed.substr(at + 1);
    check_label(name, value);
    if (!labels.emplace(name, value).second)
        refuse(fmt::format("label `{}` is given twice; a run has one value for it", name));
}

std::string labels_text(const Labels& labels) {
    std::string out;
    for (const auto& [name, value] : labels)
        out += fmt::format("{}{}={}", out.empty() ? "" : ", ", name, value);
    return out;
}

}  // namespace belay::model
