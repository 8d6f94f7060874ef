// idempotency.hpp — the same Idempotency-Key with the same request is done once.
//
// A client that does not know whether its POST arrived sends it again with the same key, and gets the
// answer of the first. A key belongs to one organization and stands for one request: with another
// request it is refused. Answers are rows, so they survive the process; that a request is under way is
// known only here, so a crash never leaves a key locked.
#pragma once

#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <belay/time.hpp>

#include "core/env/clock.hpp"
#include "service/api/request.hpp"
#include "service/api/response.hpp"
#include "service/api/tables.hpp"

namespace belay::api {

inline constexpr std::string_view kIdempotencyOwner = "belay.idempotency";
std::vector<std::string> idempotency_migrations();

// All functions may be called from any thread, and may block.
class Idempotency {
public:
    // Answers are kept for `keep`.
    Idempotency(Tables& tables, const env::Clock& clock, Duration keep = std::chrono::hours{24});

    // The right to handle the request; given back when it is destroyed.
    class Turn {
    public:
        Turn(Turn&& other) noexcept
            : owner_(std::exchange(other.owner_, nullptr)), key_(std::move(other.key_)),
              fingerprint_(std::move(other.fingerprint_)) {}
        Turn& operator=(Turn&&) = delete;
        ~Turn();

    private:
        friend class Idempotency;
        Turn(Idempotency& owner, std::pair<std::string, std::string> key, std::string fingerprint)
            : owner_(&owner), key_(std::move(key)), fingerprint_(std::move(fingerprint)) {}
        Idempotency* owner_;
        std::pair<std::string, std::string> key_;
        std::string fingerprint_;  // taken before the handler, which may empty the request
    };

    // Whose turn it is, or the answer that was given before. Throws ApiError{invalid_parameter} for a
    // key that is too long, {idempotency_mismatch}, {idempotency_in_progress}.
    std::variant<Turn, Response> begin(const Request& request, std::string_view key);

    // Keeps the answer. One that says "not now" (a status of 500 and above, 429) is not kept: the next
    // try is a new one.
    void finish(const Turn& turn, const Response& response);

private:
    Tables& tables_;
    const env::Clock& clock_;
    const Duration keep_;
    std::mutex mutex_;
    std::set<std::pair<std::string, std::string>> under_way_;  // organization, key
};

// What makes two requests the same: method, target, body or the parts of the form.
std::string fingerprint(const Request& request);

}  // namespace belay::api
