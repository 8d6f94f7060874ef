#include "core/store/sealed_text.hpp"

#include <optional>
#include <span>

#include <fmt/format.h>

#include <belay/error.hpp>

#include "core/base/base64.hpp"
#include "core/base/text.hpp"

namespace belay::store {
namespace {

// One sealed value inside a text, from the mark to its semicolon.
struct Part {
    Seal::Sealed sealed;
    std::string_view fingerprint;  // with the colon behind it: no JSON looks like that
    std::size_t begin = 0, end = 0;
};

std::optional<Part> next_part(std::string_view text, std::size_t from) {
    const auto begin = text.find(kSealedMark, from);
    if (begin == std::string_view::npos) return std::nullopt;
    Part part;
    part.begin = begin;
    const auto end = text.find(';', begin);
    const auto key_at = begin + kSealedMark.size();
    const auto key_end = text.find(':', key_at);
    const auto bytes_at = key_end == std::string_view::npos ? key_end : text.find(':', key_end + 1);
    if (end == std::string_view::npos || bytes_at == std::string_view::npos || bytes_at > end)
        throw Error(ErrorCode::BadValue, "a sealed value is cut off");
    part.end = end + 1;
    part.sealed.key = std::string(text.substr(key_at, key_end - key_at));
    part.fingerprint = text.substr(key_end + 1, bytes_at - key_end);
    const auto bytes = base::decode_base64(text.substr(bytes_at + 1, end - bytes_at - 1));
    if (!bytes) throw Error(ErrorCode::BadValue, "a sealed value is damaged: it is not base64");
    part.sealed.bytes.assign(reinterpret_cast<const char*>(bytes->data()), bytes->size());
    return part;
}

void append_sealed(std::string& out, const Seal& seal, std::string_view plain) {
    const std::string mark = seal.fingerprint(plain);
    const std::string fingerprint = base::to_hex(std::as_bytes(std::span(mark)));
    const Seal::Sealed sealed = seal.seal(plain, fingerprint);
    out += kSealedMark;
    out += sealed.key;
    out += ':';
    out += fingerprint;
    out += ':';
    base::append_base64(out, std::as_bytes(std::span(sealed.bytes)));
    out += ';';
}

}  // namespace

std::string sealed_text(const Seal& seal, std::string_view plain) {
    std::string out;
    append_sealed(out, seal, plain);
    return out;
}

std::string sealed_json(const Seal& seal, std::string_view json) {
    std::string out = "\"";
    append_sealed(out, seal, json);
    out += '"';
    return out;
}

std::string opened(const Seal& seal, std::string stored) try {
    if (stored.find(kSealedMark) == std::string::npos) return stored;
    const std::string_view text = stored;
    std::string out;
    std::size_t done = 0;
    while (const auto part = next_part(text, done)) {
        // The quotes are the value's own where it is JSON.
        const bool is_quoted = part->begin > done && text[part->begin - 1] == '"' &&
                               part->end < text.size() && text[part->end] == '"';
        out += text.substr(done, part->begin - done - (is_quoted ? 1 : 0));
        const auto fingerprint = part->fingerprint.substr(0, part->fingerprint.size() - 1);
        out += seal.open(part->sealed, fingerprint);
        done = part->end + (is_quoted ? 1 : 0);
    }
    out += text.substr(done);
    return out;
} catch (const Error&) {
    if (is_sealed(stored)) throw;
    // Inside another text it may be an id that somebody chose to look like a sealed value: that must not keep its run, or
    // a whole claim, from being read.
    return stored;
}

bool is_sealed(std::string_view stored) {
    if (stored.starts_with('"')) stored.remove_prefix(1);
    return stored.starts_with(kSealedMark);
}

std::string_view known_by(std::string_view stored) {
    if (!is_sealed(stored)) return stored;
    std::string_view value = stored;
    if (value.starts_with('"')) value.remove_prefix(1);
    value.remove_prefix(kSealedMark.size());
    const auto key_end = value.find(':');
    const auto end = key_end == std::string_view::npos ? key_end : value.find(':', key_end + 1);
    if (end == std::string_view::npos) return stored;
    return value.substr(key_end + 1, end - key_end);
}

}  // namespace belay::store
