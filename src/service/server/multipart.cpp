#include "service/server/multipart.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "core/base/utf8.hpp"
#include "service/api/errors.hpp"
#include "service/api/headers.hpp"
#include "service/api/query.hpp"

namespace belay::server {

namespace {

using api::ApiError;
using api::Problem;
using api::same_word;
using api::shown;
using api::trimmed;

[[noreturn]] void broken(const std::string& why) { throw ApiError(Problem::InvalidMultipart, why); }

bool is_boundary_char(char c) {
    constexpr std::string_view kOther = "'()+_,-./:=? ";
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           kOther.find(c) != std::string_view::npos;
}

// The end of a quoted string that begins after its opening quote; `out` gets its text.
std::optional<std::size_t> read_quoted(std::string_view text, std::string& out) {
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '"') return i + 1;
        // Browsers write a quote as %22 and a backslash as it is; others escape both. A backslash
        // before anything else is a path of an old Windows browser.
        if (text[i] == '\\' && i + 1 < text.size() && (text[i + 1] == '"' || text[i + 1] == '\\'))
            ++i;
        out += text[i];
    }
    return std::nullopt;
}

void replace_all(std::string& text, std::string_view what, std::string_view by) {
    for (auto at = text.find(what); at != std::string::npos; at = text.find(what, at + by.size()))
        text.replace(at, what.size(), by);
}

// RFC 5987: UTF-8''caf%C3%A9.png
std::optional<std::string> extended_value(std::string_view text) {
    const auto first = text.find('\'');
    if (first == std::string_view::npos || !same_word(text.substr(0, first), "utf-8"))
        return std::nullopt;
    const auto second = text.find('\'', first + 1);
    if (second == std::string_view::npos) return std::nullopt;
    return api::percent_decoded(text.substr(second + 1), false);
}

std::optional<std::string> file_name_of(std::string_view disposition) {
    if (const auto extended = header_parameter(disposition, "filename*")) {
        if (auto name = extended_value(*extended); name && !name->empty())
            return safe_file_name(*name);
    }
    auto name = header_parameter(disposition, "filename");
    // A file input in which nothing was chosen sends an empty name.
    if (!name || name->empty()) return std::nullopt;
    replace_all(*name, "%22", "\"");
    return safe_file_name(*name);
}

// A parameter that comes twice says two things.
void check_disposition(std::string_view disposition, std::size_t part) {
    std::vector<std::string> seen;
    for (auto& [name, value] : header_parameters(disposition)) {
        if (std::find(seen.begin(), seen.end(), name) != seen.end())
            broken(fmt::format("part {}: its Content-Disposition has more than one `{}`", part,
                               shown(name)));
        seen.push_back(std::move(name));
    }
}

void read_header(std::string_view line, std::size_t part, MultipartHead& head, bool& is_form_data) {
    const auto colon = line.find(':');
    if (colon == std::string_view::npos || colon == 0 || line.starts_with(' ') ||
        line.starts_with('\t') || line[colon - 1] == ' ' || line[colon - 1] == '\t')
        broken(fmt::format("part {}: `{}` is not a header", part, shown(line)));
    const std::string_view name = line.substr(0, colon);
    const std::string_view value = trimmed(line.substr(colon + 1));
    if (same_word(name, "Content-Disposition")) {
        if (!head.name.empty() || is_form_data)
            broken(fmt::format("part {} has more than one Content-Disposition", part));
        check_disposition(value, part);
        is_form_data = same_word(trimmed(value.substr(0, value.find(';'))), "form-data");
        head.name = header_parameter(value, "name").value_or("");
        if (!base::is_utf8(head.name)) broken(fmt::format("part {}: its name is not UTF-8", part));
        head.file_name = file_name_of(value);
    } else if (same_word(name, "Content-Type")) {
        head.content_type = base::to_valid_utf8(value);
    } else if (same_word(name, "Content-Transfer-Encoding")) {
        if (!same_word(value, "binary") && !same_word(value, "8bit") && !same_word(value, "7bit"))
            broken(fmt::format(
                "part {}: Content-Transfer-Encoding `{}` is not taken; send the bytes as "
                "they are",
                part, shown(value)));
    }
}

}  // namespace

Multipart::Multipart(std::string_view boundary, MultipartListener& listener, MultipartLimits limits)
    : listener_(listener), limits_(limits), delimiter_(fmt::format("\r\n--{}", boundary)) {}

void Multipart::feed(std::string_view piece) {
    while (!piece.empty()) {
        switch (state_) {
            case State::Preamble:
            case State::Bytes:
                piece = take_bytes(piece);
                break;
            case State::AfterBoundary:
                piece = take_after_boundary(piece);
                break;
            case State::Head:
                piece = take_head(piece);
                break;
            case State::Epilogue:
                skip_outside(piece.size());
                return;
        }
    }
}

// Looks for the delimiter. A carriage return stands only at its beginning, so a match that fails can
// begin again only at the byte that broke it.
std::string_view Multipart::take_bytes(std::string_view piece) {
    std::size_t at = 0;
    if (matched_ > 0) {
        while (at < piece.size() && matched_ < delimiter_.size() &&
               piece[at] == delimiter_[matched_]) {
            ++at;
            ++matched_;
        }
        if (matched_ == delimiter_.size()) {
            boundary_seen();
            return piece.substr(at);
        }
        if (at == piece.size()) return {};
        // It was no boundary: what looked like one belongs to the part.
        const std::size_t was = std::exchange(matched_, 0);
        emit(std::string_view(delimiter_).substr(0, was));
    }
    const auto found = piece.find(delimiter_, at);
    if (found != std::string_view::npos) {
        emit(piece.substr(at, found - at));
        boundary_seen();
        return piece.substr(found + delimiter_.size());
    }
    const auto last = piece.rfind('\r');
    if (last != std::string_view::npos && last >= at &&
        std::string_view(delimiter_).starts_with(piece.substr(last))) {
        emit(piece.substr(at, last - at));
        matched_ = piece.size() - last;
    } else {
        emit(piece.substr(at));
    }
    return {};
}

void Multipart::emit(std::string_view bytes) {
    if (bytes.empty()) return;
    if (state_ == State::Preamble) return skip_outside(bytes.size());
    listener_.part_bytes(bytes);
}

void Multipart::skip_outside(std::size_t bytes) {
    outside_ += bytes;
    if (outside_ > limits_.preamble_bytes_max) {
        broken(state_ == State::Preamble
                   ? "the boundary of the Content-Type does not come up in the body"
                   : "there is more after the last part than belongs there");
    }
}

void Multipart::boundary_seen() {
    matched_ = 0;
    if (state_ == State::Bytes) listener_.part_ends();
    state_ = State::AfterBoundary;
    line_.clear();
}

// "--" ends the body, an end of line begins a part; blanks may come before either.
std::string_view Multipart::take_after_boundary(std::string_view piece) {
    for (std::size_t i = 0; i < piece.size(); ++i) {
        const char c = piece[i];
        if (line_.empty() && (c == ' ' || c == '\t')) {
            skip_outside(1);
            continue;
        }
        line_ += c;
        if (line_ == "--") {
            state_ = State::Epilogue;
            return piece.substr(i + 1);
        }
        if (line_ == "\r\n") {
            state_ = State::Head;
            line_.clear();
            return piece.substr(i + 1);
        }
        if (line_ != "-" && line_ != "\r")
            broken("a boundary is followed by something that is neither an end of line nor `--`");
    }
    return {};
}

std::string_view Multipart::take_head(std::string_view piece) {
    constexpr std::string_view kEnd = "\r\n\r\n";
    const std::size_t had = line_.size();
    const std::size_t room = limits_.head_bytes_max + kEnd.size() - had;
    line_ += piece.substr(0, room);
    if (line_.starts_with("\r\n")) {  // no header at all
        broken(fmt::format("part {} has no Content-Disposition", parts_ + 1));
    }
    const auto end = line_.find(kEnd, had < 3 ? 0 : had - 3);
    if (end == std::string::npos) {
        // Only now: a head that just fits may still lack its end.
        if (line_.size() >= limits_.head_bytes_max + kEnd.size()) {
            throw ApiError(Problem::PayloadTooLarge,
                           fmt::format("the headers of part {} are longer than {} bytes",
                                       parts_ + 1, limits_.head_bytes_max));
        }
        return {};
    }
    const std::size_t used = end + kEnd.size() - had;
    line_.resize(end);
    begin_part();
    return piece.substr(used);
}

void Multipart::begin_part() {
    if (++parts_ > limits_.parts_max) {
        throw ApiError(Problem::PayloadTooLarge,
                       fmt::format("there are more than {} parts", limits_.parts_max));
    }
    MultipartHead head;
    bool is_form_data = false;
    std::string_view lines = line_;
    while (true) {
        const auto end = lines.find("\r\n");
        read_header(lines.substr(0, end), parts_, head, is_form_data);
        if (end == std::string_view::npos) break;
        lines.remove_prefix(end + 2);
    }
    if (!is_form_data || head.name.empty())
        broken(fmt::format("part {} has no `Content-Disposition: form-data; name=…`", parts_));
    state_ = State::Bytes;
    listener_.part_begins(head);
    line_.clear();
}

void Multipart::finish() const {
    if (state_ == State::Epilogue) return;
    if (parts_ == 0) broken("the body ends before its first part");
    broken(fmt::format("the body ends inside part {}, or without its last boundary", parts_));
}

std::optional<std::string> boundary_of(std::string_view content_type) {
    constexpr std::size_t kCharsMax = 70;
    const std::string_view type = trimmed(content_type.substr(0, content_type.find(';')));
    if (!same_word(type, "multipart/form-data")) return std::nullopt;
    auto boundary = header_parameter(content_type, "boundary");
    if (!boundary || boundary->empty() || boundary->size() > kCharsMax || boundary->back() == ' ' ||
        !std::all_of(boundary->begin(), boundary->end(), is_boundary_char)) {
        return std::nullopt;
    }
    return boundary;
}

std::vector<std::pair<std::string, std::string>> header_parameters(std::string_view header) {
    std::vector<std::pair<std::string, std::string>> found;
    auto at = header.find(';');
    while (at != std::string_view::npos) {
        header.remove_prefix(at + 1);
        const auto equals = header.find_first_of("=;");
        if (equals == std::string_view::npos) break;
        if (header[equals] == ';') {
            at = equals;
            continue;
        }
        std::string key{trimmed(header.substr(0, equals))};
        for (char& c : key) c = static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
        header = trimmed(header.substr(equals + 1));
        std::string value;
        if (header.starts_with('"')) {
            const auto end = read_quoted(header.substr(1), value);
            if (!end) break;
            header.remove_prefix(1 + *end);
            at = header.find(';');
        } else {
            at = header.find(';');
            value = trimmed(header.substr(0, at));
        }
        found.emplace_back(std::move(key), std::move(value));
    }
    return found;
}

std::optional<std::string> header_parameter(std::string_view header, std::string_view name) {
    std::optional<std::string> value;
    for (auto& [key, text] : header_parameters(header)) {
        if (!same_word(key, name)) continue;
        if (value) return std::nullopt;
        value = std::move(text);
    }
    return value;
}

std::string safe_file_name(std::string_view given) {
    constexpr std::size_t kCharsMax = 255;
    std::string name = base::to_valid_utf8(given);
    if (const auto slash = name.find_last_of("/\\"); slash != std::string::npos)
        name = name.substr(slash + 1);
    for (char& c : name) {
        if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) c = '_';
    }
    name = base::truncate(name, kCharsMax);
    if (name.empty() || name == "." || name == "..") return "unnamed";
    return name;
}

}  // namespace belay::server
