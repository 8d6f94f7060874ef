#include "ingestion/ingest/content_type.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "core/base/utf8.hpp"

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

// What is sent instead of a picture or a PDF, by how it begins.
constexpr std::array kSignatures{
    std::pair{"II*\0"sv, "image/tiff"sv},
    std::pair{"MM\0*"sv, "image/tiff"sv},
    std::pair{"8BPS"sv, "image/vnd.adobe.photoshop"sv},
    std::pair{"PK\x03\x04"sv, "application/zip"sv},
    std::pair{"\x1F\x8B\x08"sv, "application/gzip"sv},
    std::pair{"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1"sv, "application/x-ole-storage"sv},
    std::pair{"\177ELF"sv, "application/x-executable"sv},
};

// What phones take pictures and films in.
std::string_view by_brand(std::string_view brand) {
    if (brand == "heic"sv || brand == "heix"sv || brand == "mif1"sv) return "image/heic";
    if (brand == "avif"sv) return "image/avif";
    return "video/mp4";
}

// XML that says so in its first line, in 8 or 16 bits. What is drawn or shown by a browser is something else.
bool is_xml(std::string_view bytes) {
    if (bytes.starts_with("\xFF\xFE<\0?\0x\0m\0l\0"sv) ||
        bytes.starts_with("\xFE\xFF\0<\0?\0x\0m\0l"sv) || bytes.starts_with("<\0?\0x\0m\0l\0"sv) ||
        bytes.starts_with("\0<\0?\0x\0m\0l"sv))
        return true;
    if (bytes.starts_with("\xEF\xBB\xBF"sv)) bytes.remove_prefix(3);
    if (!bytes.starts_with("<?xml"sv)) return false;
    return bytes.find("<svg"sv) == std::string_view::npos &&
           bytes.find("<html"sv) == std::string_view::npos;
}

std::string_view by_bytes(std::string_view bytes) {
    if (bytes.starts_with("\x89PNG\r\n\x1a\n"sv)) return "image/png";
    if (bytes.starts_with("\xFF\xD8\xFF"sv)) return "image/jpeg";
    if (bytes.starts_with("GIF87a"sv) || bytes.starts_with("GIF89a"sv)) return "image/gif";
    if (bytes.starts_with("RIFF"sv) && bytes.size() >= 12 && bytes.substr(8, 4) == "WEBP"sv)
        return "image/webp";
    if (bytes.starts_with("%PDF-"sv)) return "application/pdf";
    if (is_xml(bytes)) return "application/xml";
    for (const auto& [signature, type] : kSignatures) {
        if (bytes.starts_with(signature)) return type;
    }
    if (bytes.size() >= 12 && bytes.substr(4, 4) == "ftyp"sv) return by_brand(bytes.substr(8, 4));
    return {};
}

bool is_control(char c) {
    const auto byte = static_cast<unsigned char>(c);
    return (byte < 0x20 && c != '\t' && c != '\n' && c != '\r' && c != '\f') || byte == 0x7F;
}

// Nobody wrote a PDF that begins like this, but a damaged one may have lost its head, and readers mend it.
bool is_piece_of_pdf(std::string_view bytes) {
    for (const std::string_view word : {"%PDF-"sv, " obj"sv, "trailer"sv, "xref"sv}) {
        if (bytes.find(word) != std::string_view::npos) return true;
    }
    return false;
}

bool is_text(std::string_view bytes) {
    if (bytes.empty() || std::ranges::any_of(bytes, is_control)) return false;
    const bool cut = bytes.size() >= kSniffBytes;  // perhaps through a letter
    while (!bytes.empty()) {
        const std::size_t length = base::utf8_sequence(bytes);
        if (length == 0) return cut && bytes.size() < 4;
        bytes.remove_prefix(length);
    }
    return true;
}

constexpr std::array kSuffixes{
    std::pair{".png"sv, "image/png"sv},       std::pair{".jpg"sv, "image/jpeg"sv},
    std::pair{".jpeg"sv, "image/jpeg"sv},     std::pair{".gif"sv, "image/gif"sv},
    std::pair{".webp"sv, "image/webp"sv},     std::pair{".pdf"sv, "application/pdf"sv},
    std::pair{".xml"sv, "application/xml"sv},
};

// A type that no text has.
bool is_binary(std::string_view type) {
    return type.starts_with("image/") || type == "application/pdf" ||
           type == "application/octet-stream";
}

std::string as_called(std::string_view said, std::string_view file_name) {
    said = said.substr(0, said.find(';'));
    while (said.ends_with(' ')) said.remove_suffix(1);
    while (said.starts_with(' ')) said.remove_prefix(1);
    std::string type = lower(said);
    if (type == "image/jpg" || type == "image/pjpeg") type = "image/jpeg";
    if (type == "text/xml") type = "application/xml";
    if (!type.empty() && type != "application/octet-stream") return type;
    const std::string name = lower(file_name);
    for (const auto& [suffix, by_name] : kSuffixes) {
        if (name.ends_with(suffix)) return std::string(by_name);
    }
    return "application/octet-stream";
}

}  // namespace

std::string content_type_of(std::string_view first_bytes, std::string_view said,
                            std::string_view file_name) {
    if (const auto found = by_bytes(first_bytes); !found.empty()) return std::string(found);
    std::string called = as_called(said, file_name);
    if (is_binary(called) && is_text(first_bytes) && !is_piece_of_pdf(first_bytes))
        return "text/plain";
    return called;
}

}  // namespace belay::ingest
