// hmac.hpp — HMAC-SHA256 (RFC 2104): proof that whoever made a message knew the secret.
//
// Signs requests to S3 and webhooks of our own.
#pragma once

#include <span>
#include <string_view>

#include "core/base/hash.hpp"

namespace belay::base {

Sha256Digest hmac_sha256(std::span<const std::byte> secret, std::string_view message) noexcept;
Sha256Digest hmac_sha256(std::string_view secret, std::string_view message) noexcept;

// Takes as long for texts that differ in their first byte as for equal ones, so that the time of a
// refusal does not say how much of a secret was right. The lengths are no secret.
bool equal_in_constant_time(std::string_view a, std::string_view b) noexcept;

}  // namespace belay::base
