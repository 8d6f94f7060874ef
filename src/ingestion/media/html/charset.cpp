#include "ingestion/media/html/charset.hpp"

#include <array>
#include <cerrno>
#include <map>
#include <string>
#include <utility>

#include <iconv.h>

#include "core/base/utf8.hpp"
#include "ingestion/media/html/text.hpp"

namespace belay::media::html {
namespace {

// Browsers look for <meta> in the first 1024 bytes; many pages put it later and browsers still find
// it while parsing.
constexpr std::size_t kMetaWithin = 16 * 1024;

// Labels whose meaning on the web is not what iconv takes them for.
constexpr auto kLabels = std::to_array<std::pair<std::string_view, std::string_view>>({
    {"ascii", "windows-1252"},
    {"us-ascii", "windows-1252"},
    {"iso-8859-1", "windows-1252"},
    {"iso8859-1", "windows-1252"},
    {"iso_8859-1", "windows-1252"},
    {"latin1", "windows-1252"},
    {"latin-1", "windows-1252"},
    {"l1", "windows-1252"},
    {"cp1252", "windows-1252"},
    {"x-cp1252", "windows-1252"},
    {"iso-8859-9", "windows-1254"},
    {"latin5", "windows-1254"},
    {"iso-8859-11", "cp874"},
    {"tis-620", "cp874"},
    {"windows-874", "cp874"},
    {"gb2312", "gb18030"},
    {"gbk", "gb18030"},
    {"x-gbk", "gb18030"},
    {"chinese", "gb18030"},
    {"big5", "big5-hkscs"},
    {"shift_jis", "cp932"},
    {"shift-jis", "cp932"},
    {"sjis", "cp932"},
    {"x-sjis", "cp932"},
    {"windows-31j", "cp932"},
    {"ks_c_5601-1987", "cp949"},
    {"euc-kr", "cp949"},
    {"korean", "cp949"},
    {"x-euc-jp", "euc-jp"},
    {"utf8", "utf-8"},
    {"unicode-1-1-utf-8", "utf-8"},
    {"utf-16", "utf-16le"},
    {"unicode", "utf-16le"},
    {"koi8", "koi8-r"},
    {"macintosh", "macintosh"},
    {"x-mac-cyrillic", "mac-cyrillic"},
});

// What browsers know (encoding.spec.whatwg.org), by glibc's names.
constexpr auto kEncodings = std::to_array<std::string_view>(
    {"windows-1250", "windows-1251", "windows-1252", "windows-1253", "windows-1254", "windows-1255",
     "windows-1256", "windows-1257", "windows-1258", "iso-8859-2",   "iso-8859-3",   "iso-8859-4",
     "iso-8859-5",   "iso-8859-6",   "iso-8859-7",   "iso-8859-8",   "iso-8859-10",  "iso-8859-13",
     "iso-8859-14",  "iso-8859-15",  "iso-8859-16",  "koi8-r",       "koi8-u",       "ibm866",
     "macintosh",    "mac-cyrillic", "cp874",        "gb18030",      "big5-hkscs",   "cp932",
     "euc-jp",       "iso-2022-jp",  "cp949",        "utf-16le",     "utf-16be"});

std::map<std::string, iconv_t, std::less<>>& kept_converters() {
    static std::map<std::string, iconv_t, std::less<>> kept;
    return kept;
}

const iconv_t kNone = reinterpret_cast<iconv_t>(-1);

class Converter {
public:
    explicit Converter(const std::string& from)
        : handle_(iconv_open("UTF-8", from.c_str())), owned_(handle_ != kNone) {
        if (owned_) return;
        if (const auto kept = kept_converters().find(from); kept != kept_converters().end())
            handle_ = kept->second;
    }
    ~Converter() {
        if (owned_) iconv_close(handle_);
    }
    Converter(const Converter&) = delete;
    Converter& operator=(const Converter&) = delete;

    bool valid() const { return handle_ != kNone; }

    std::string run(std::string_view bytes) {
        std::string out;
        std::array<char, 16384> buffer;
        char* from = const_cast<char*>(bytes.data());
        std::size_t left = bytes.size();
        iconv(handle_, nullptr, nullptr, nullptr, nullptr);
        while (left > 0) {
            char* to = buffer.data();
            std::size_t room = buffer.size();
            const std::size_t result = iconv(handle_, &from, &left, &to, &room);
            const int error = errno;
            out.append(buffer.data(), static_cast<std::size_t>(to - buffer.data()));
            if (result != static_cast<std::size_t>(-1) || error == E2BIG) continue;
            out += "\xEF\xBF\xBD";
            ++from;
            --left;
        }
        return out;
    }

private:
    iconv_t handle_;
    bool owned_;
};

// The encoding that half of the old web is in must not depend on a machine's files.
std::string from_windows_1252(std::string_view bytes) {
    constexpr auto kHigh = std::to_array<char32_t>(
        {0x20AC, 0x81,   0x201A, 0x192,  0x201E, 0x2026, 0x2020, 0x2021, 0x2C6,  0x2030, 0x160,
         0x2039, 0x152,  0x8D,   0x17D,  0x8F,   0x90,   0x2018, 0x2019, 0x201C, 0x201D, 0x2022,
         0x2013, 0x2014, 0x2DC,  0x2122, 0x161,  0x203A, 0x153,  0x9D,   0x17E,  0x178});
    std::string out;
    for (const char c : bytes) {
        const auto byte = static_cast<unsigned char>(c);
        append_code_point(out, byte >= 0x80 && byte < 0xA0 ? kHigh[byte - 0x80] : byte);
    }
    return out;
}

std::string decode(const std::string& encoding, std::string_view bytes) {
    if (encoding == "windows-1252") return from_windows_1252(bytes);
    return Converter{encoding}.run(bytes);
}

// The value after `charset=` in a header or in a meta element.
std::string charset_in(std::string_view text) {
    const std::string lower = lower_ascii(text);
    for (std::size_t at = lower.find("charset"); at != std::string::npos;
         at = lower.find("charset", at)) {
        at += 7;
        std::size_t i = at;
        while (i < lower.size() && is_space(lower[i])) ++i;
        if (i >= lower.size() || lower[i] != '=') continue;
        ++i;
        while (i < lower.size() && (is_space(lower[i]) || lower[i] == '"' || lower[i] == '\'')) ++i;
        std::size_t end = i;
        while (end < lower.size() && !is_space(lower[end]) &&
               std::string_view{"\"';>/,"}.find(lower[end]) == std::string_view::npos)
            ++end;
        if (end > i) return lower.substr(i, end - i);
    }
    return {};
}

bool is_known(const std::string& encoding) {
    return encoding == "utf-8" || encoding == "windows-1252" || Converter{encoding}.valid();
}

std::string clean(std::string text) {
    if (text.starts_with("\xEF\xBB\xBF")) text.erase(0, 3);
    return base::to_valid_utf8(text);
}

}  // namespace

std::string encoding_of_label(std::string_view label) {
    const std::string lower = lower_ascii(trim(label));
    if (lower.empty() || lower.size() > 40) return {};
    for (const auto& [from, to] : kLabels)
        if (from == lower) return is_known(std::string{to}) ? std::string{to} : std::string{};
    // A label with a slash would be an instruction to iconv ("//TRANSLIT").
    if (lower.find('/') != std::string::npos) return {};
    return is_known(lower) ? lower : std::string{};
}

void keep_encodings() {
    for (const auto name : kEncodings) {
        const std::string encoding{name};
        if (kept_converters().count(encoding) != 0) continue;
        if (const iconv_t handle = iconv_open("UTF-8", encoding.c_str()); handle != kNone)
            kept_converters().emplace(encoding, handle);
    }
}

std::string declared_charset(std::string_view bytes) {
    const std::string head = lower_ascii(bytes.substr(0, kMetaWithin));
    for (std::size_t at = head.find("<meta"); at != std::string::npos;
         at = head.find("<meta", at + 5)) {
        const std::string_view element = std::string_view{head}.substr(at, head.find('>', at) - at);
        if (std::string found = charset_in(element); !found.empty()) return found;
    }
    if (trim(head).starts_with("<?xml")) {
        const auto at = head.find("encoding=");
        if (at != std::string::npos && at < head.find("?>"))
            return charset_in("charset=" + head.substr(at + 9, 60));
    }
    return {};
}

Decoded decode_page(std::string_view bytes, std::string_view content_type) {
    if (bytes.starts_with("\xEF\xBB\xBF")) return {clean(std::string{bytes.substr(3)}), "utf-8"};
    if (bytes.starts_with("\xFF\xFE"))
        return {clean(Converter{"utf-16le"}.run(bytes.substr(2))), "utf-16le"};
    if (bytes.starts_with("\xFE\xFF"))
        return {clean(Converter{"utf-16be"}.run(bytes.substr(2))), "utf-16be"};

    std::string encoding = encoding_of_label(charset_in(content_type));
    if (encoding.empty()) {
        encoding = encoding_of_label(declared_charset(bytes));
        // A page that could be read this far is not in UTF-16, whatever it says.
        if (encoding.starts_with("utf-16")) encoding = "utf-8";
    }
    const bool valid = base::is_utf8(bytes);
    if (encoding.empty()) encoding = valid ? "utf-8" : "windows-1252";
    if (encoding == "utf-8") return {clean(std::string{bytes}), encoding};
    // Declared otherwise, and yet well-formed UTF-8 with non-ASCII text: a page that was converted
    // and kept its old declaration. By accident that happens to a short text, never to a long one.
    // (ISO-2022 is made of ASCII bytes, which prove nothing.)
    if (valid && !encoding.starts_with("iso-2022")) return {clean(std::string{bytes}), "utf-8"};
    return {clean(decode(encoding, bytes)), encoding};
}

}  // namespace belay::media::html
