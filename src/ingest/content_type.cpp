#include "ingest/content_type.hpp"

#include <array>
#include <utility>

namespace belay::ingest {

namespace {

using namespace std::string_view_literals;

std::string lower(std::string_view text) {
    std::string out(text);
    for (char& c : out) {
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    }
    return out;
}

std::string_view by_bytes(std::string_view bytes) {
    if (bytes.starts_with("\x89PNG\r\n\x1a\n"sv)) return "image/png";
    if (bytes.starts_with("\xFF\xD8\xFF"sv)) return "image/jpeg";
    if (bytes.starts_with("GIF87a"sv) || bytes.starts_with("GIF89a"sv)) return "image/gif";
    if (bytes.starts_with("RIFF"sv) && bytes.size() >= 12 && bytes.substr(8, 4) == "WEBP"sv)
        return "image/webp";
    if (bytes.starts_with("%PDF-"sv)) return "application/pdf";
    return {};
}

constexpr std::array kSuffixes{
    std::pair{".png"sv, "image/png"sv},   std::pair{".jpg"sv, "image/jpeg"sv},
    std::pair{".jpeg"sv, "image/jpeg"sv}, std::pair{".gif"sv, "image/gif"sv},
    std::pair{".webp"sv, "image/webp"sv}, std::pair{".pdf"sv, "application/pdf"sv},
};

}  // namespace

std::string content_type_of(std::string_view first_bytes, std::string_view said,
                            std::string_view file_name) {
    if (const auto found = by_bytes(first_bytes); !found.empty()) return std::string(found);
    said = said.substr(0, said.find(';'));
    while (said.ends_with(' ')) said.remove_suffix(1);
    while (said.starts_with(' ')) said.remove_prefix(1);
    std::string type = lower(said);
    if (type == "image/jpg" || type == "image/pjpeg") type = "image/jpeg";
    if (!type.empty() && type != "application/octet-stream") return type;
    const std::string name = lower(file_name);
    for (const auto& [suffix, by_name] : kSuffixes) {
        if (name.ends_with(suffix)) return std::string(by_name);
    }
    return "application/octet-stream";
}

}  // namespace belay::ingest
