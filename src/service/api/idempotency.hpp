// idempotency.hpp — the same Idempotency-Key with the same request is done once.
//
// A client that does not know whether its POST arrived sends it again with the same key, and gets the answer of the
// first. The key and the answer are a row, written in the very transaction of what the request does: whatever dies
// between any two lines, and however many servers are asked at once, either both are there or neither. So nothing has to
// be remembered of a request that is under way: of two at once the second waits for the first one's commit, finds its
// row, is taken back and gives its answer. A key belongs to one organization and stands for one request: with another
// request it is refused.
#pragma once

#include <atomic>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <belay/time.hpp>
#include <belay/tx.hpp>

#include "core/base/assert.hpp"
#include "core/env/clock.hpp"
#include "service/api/audit.hpp"
#include "service/api/request.hpp"
#include "service/api/response.hpp"
#include "service/api/tables.hpp"

namespace belay::api {

inline constexpr std::string_view kIdempotencyOwner = "belay.idempotency";
std::vector<std::string> idempotency_migrations();

// The answer of a request that was done under its claim. Only a Claim makes one: a handler that did something beside its
// claim has nothing to return.
class Claimed {
public:
    Response&& response() && { return std::move(response_); }
    // Whether it was written with the key, if there is one.
    bool is_written() const { return is_written_; }

private:
    friend class Claim;
    Claimed(Response&& response, bool is_written)
        : response_(std::move(response)), is_written_(is_written) {}
    Response response_;
    bool is_written_;
};

// Somebody has written this key meanwhile; what was done here was taken back with it.
class AnsweredBefore : public std::runtime_error {
public:
    AnsweredBefore() : std::runtime_error("this Idempotency-Key was answered meanwhile") {}
};

// A request's right to be done: its key, if it has one. One transaction of it writes.
class Claim {
public:
    Claim() = default;  // of a request without a key

    // `body` does all of it, in one transaction of `engine` (an Engine or its port), and makes the answer there.
    template <class AnyEngine, class Body>
    Claimed transact(AnyEngine& engine, Body&& body) const {
        Response response;
        engine.transact([&](Tx& tx) {
            response = body(tx);
            if (response.status < 400) write_audit(tx, audit_);
            write(tx, response);
            return std::string{};
        });
        return Claimed(std::move(response), true);
    }

    // `call` does it by a call on an engine that takes a rider (belay::detail::RidingPort), and hands on the one it is given;
    // `view` makes the answer of what that is told.
    template <class Call, class View>
    Claimed ride(Call&& call, View&& view) const {
        Response response;
        bool written = false;
        call([&](Tx& tx, const auto& told) {
            response = view(told);
            if (!asks_) write_audit(tx, audit_);
            write(tx, response);
            written = true;
        });
        BELAY_ASSERT(written, "a request was done without its claim");
        return Claimed(std::move(response), true);
    }

    // Whether nothing is written here, because another process is asked (Idempotency::Keys::Asked).
    bool asks() const { return asks_; }
    // Under which name that one is asked, the same for every request with this key; empty: there is no key.
    std::string asked_name() const;

    // Nothing was done, or only what was there already.
    static Claimed nothing_done(Response&& response) { return Claimed(std::move(response), false); }

private:
    friend class Idempotency;
    void write(Tx& tx, const Response& response) const;

    std::string organization_id_{};
    std::string key_{};          // empty: there is none, and nothing to write
    std::string fingerprint_{};  // taken before the handler, which may empty the request
    Duration keep_{};
    AuditNote audit_{};
    bool asks_ = false;
};

// All functions may be called from any thread, and may block.
class Idempotency {
public:
    // Where keys are kept: here, with what was done; or nowhere here, because another process is asked to do it.
    enum class Keys { Here, Asked };

    // Answers are kept for `keep`.
    Idempotency(Tables& tables, const env::Clock& clock, Duration keep = std::chrono::hours{24},
                Keys keys = Keys::Here);

    // Throws ApiError{invalid_parameter} for a key that is too long.
    Claim claim(const Request& request);

    // What the request was answered before. Throws ApiError{idempotency_mismatch}.
    std::optional<Response> answer_of(const Claim& claim);

    // Of a request that was not done: keeps the answer, unless it says "not now" (a status of 500 and above, 429, 408).
    // Gives it, or the one that is there: what refused it may have been the first one's effect. Without the store the
    // answer stands as well: nothing was done.
    Response refused(const Claim& claim, Response response);

private:
    void sweep();

    Tables& tables_;
    const env::Clock& clock_;
    const Duration keep_;
    const Keys keys_;
    std::atomic<Time> next_sweep_{Time{}};
};

// What makes two requests the same: method, target, body or the parts of the form.
std::string fingerprint(const Request& request);

}  // namespace belay::api
