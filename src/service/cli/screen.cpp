#include "service/cli/screen.hpp"

#include <algorithm>
#include <ostream>

#include <fmt/format.h>

#include "core/base/utf8.hpp"

namespace belay::cli {

namespace {

std::string_view code_of(Style style) {
    switch (style) {
        case Style::Plain:
            return "";
        case Style::Dim:
            return "2";
        case Style::Bold:
            return "1";
        case Style::Good:
            return "32";
        case Style::Bad:
            return "31";
        case Style::Warn:
            return "33";
        case Style::Busy:
            return "36";
    }
    return "";
}

// U+0080 to U+009F, which some terminals obey like ESC sequences: C2 80 to C2 9F.
bool is_c1(std::string_view sequence) {
    return sequence.size() == 2 && sequence[0] == '\xC2' &&
           static_cast<unsigned char>(sequence[1]) < 0xA0;
}

// The bytes of a CSI sequence ("ESC [ 31 m": a colour) at the start of `text`; 0 if there is none.
std::size_t csi_sequence(std::string_view text) {
    if (!text.starts_with("\x1b[")) return 0;
    const auto end =
        std::find_if(text.begin() + 2, text.end(), [](char c) { return c >= '@' && c <= '~'; });
    return end == text.end() ? 0 : static_cast<std::size_t>(end - text.begin()) + 1;
}

std::string without_control(std::string_view text, bool keep_lines) {
    const std::string valid = base::to_valid_utf8(text);
    std::string out;
    for (std::string_view rest = valid; !rest.empty();) {
        if (const auto bytes = csi_sequence(rest)) {
            rest.remove_prefix(bytes);
            continue;
        }
        const std::string_view one = rest.substr(0, base::utf8_sequence(rest));
        rest.remove_prefix(one.size());
        const auto c = static_cast<unsigned char>(one[0]);
        if (c == '\n' && keep_lines) {
            out += '\n';
        } else if (c == '\n' || c == '\r' || c == '\t') {
            out += ' ';
        } else if (c < 0x20 || c == 0x7F || is_c1(one)) {
            out += "\xEF\xBF\xBD";
        } else {
            out += one;
        }
    }
    return out;
}

}  // namespace

Style style_of(RunStatus status) {
    switch (status) {
        case RunStatus::Queued:
            return Style::Plain;
        case RunStatus::Running:
        case RunStatus::Waiting:
            return Style::Busy;
        case RunStatus::Paused:
            return Style::Warn;
        case RunStatus::Succeeded:
            return Style::Good;
        case RunStatus::Failed:
            return Style::Bad;
        case RunStatus::Canceled:
            return Style::Dim;
    }
    return Style::Plain;
}

Style style_of(StageStatus status) {
    switch (status) {
        case StageStatus::Queued:
            return Style::Plain;
        case StageStatus::Running:
            return Style::Busy;
        case StageStatus::Retrying:
            return Style::Warn;
        case StageStatus::Succeeded:
            return Style::Good;
        case StageStatus::Failed:
            return Style::Bad;
        case StageStatus::Skipped:
        case StageStatus::Canceled:
            return Style::Dim;
    }
    return Style::Plain;
}

std::string styled(const Screen& screen, Style style, std::string_view text) {
    if (!screen.colour || style == Style::Plain || text.empty()) return std::string(text);
    return fmt::format("\x1b[{}m{}\x1b[0m", code_of(style), text);
}

std::string plain(std::string_view text) { return without_control(text, false); }

std::string plain_lines(std::string_view text) { return without_control(text, true); }

int width_of(std::string_view text) {
    int width = 0;
    for (const char c : text) width += (static_cast<unsigned char>(c) & 0xC0U) != 0x80U ? 1 : 0;
    return width;
}

}  // namespace belay::cli
