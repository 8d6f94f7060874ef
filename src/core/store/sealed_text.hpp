// sealed_text.hpp — how a sealed value stands in a column.
//
//     belay:sealed:1:<key id>:<fingerprint, 32 hex digits>:<base64 of the sealed bytes>;
//
// Where JSON belongs it stands in quotes, so that a column is JSON all the same and what a store wraps (`[payload]`)
// stays what it is. A text may have sealed parts beside plain ones: a store puts a failure's message into a sentence
// of its own.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include <belay/seal.hpp>

namespace belay::store {

// What begins so is sealed; with a quote in front where it is JSON.
inline constexpr std::string_view kSealedMark = "belay:sealed:1:";

std::string sealed_text(const Seal& seal, std::string_view plain);
std::string sealed_json(const Seal& seal, std::string_view json);

// Opens every sealed part of a column's text. Throws Error{BadValue} for a sealed value that cannot be opened; a text that
// only has such a part somewhere inside is given as it is.
std::string opened(const Seal& seal, std::string stored);

bool is_sealed(std::string_view stored);
// What a sealed value has beside its base64, at the most.
inline constexpr std::size_t kSealedExtraBytes = 256;

// What a value is compared by: itself, or the fingerprint if it is sealed.
std::string_view known_by(std::string_view stored);

}  // namespace belay::store
