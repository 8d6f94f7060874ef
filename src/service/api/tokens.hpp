// tokens.hpp — who may speak for an organization: `Authorization: Bearer belay_…`.
//
// A token is 256 random bits, shown once when it is made. The database has only its SHA-256: whoever
// reads the file cannot use what he finds. A revoked token stays as a row, so that "no token was ever
// made", which opens the server to its own machine, cannot come back by revoking.
#pragma once

#include <atomic>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <belay/time.hpp>
#include <belay/tx.hpp>

#include "core/env/clock.hpp"
#include "service/api/tables.hpp"

namespace belay::api {

struct Token {
    std::string id{};  // "tok_3f2a9c01d4e5": for people, to name it
    std::string organization_id{};
    std::string name{};
    Time created_at{};
    std::optional<Time> last_used_at{};  // to the minute
    std::optional<Time> revoked_at{};
};

struct NewToken {
    std::string secret{};  // "belay_…": shown once, kept nowhere
    std::string id{};
    std::string request{};  // what token_request() makes a row of; does not hold the secret
};

// A new token for an organization; nothing is written yet. Throws Error{InvalidArgument} for an
// organization or a name that is empty, too long or holds control characters.
NewToken make_token(std::string_view organization_id, std::string_view name);
std::string revoke_request(std::string_view token_id);

// The tables, for Engine::migrate or Store::migrate.
inline constexpr std::string_view kTokensOwner = "belay.tokens";
std::vector<std::string> token_migrations();

// Does what a request says (made above, or sent by another process as a control request "tokens"),
// inside a transaction. Gives the token's id. Throws Error{NotFound}, Error{InvalidArgument}.
inline constexpr std::string_view kTokensRequest = "tokens";
std::string token_request(Tx& tx, const std::string& request);

// All functions may be called from any thread, and may block.
class Tokens {
public:
    Tokens(Tables& tables, const env::Clock& clock) : tables_(tables), clock_(clock) {}

    // The token of that secret, if it is known and not revoked; notes that it was used.
    std::optional<Token> find(std::string_view secret);

    // Whether a token was ever made.
    bool any();

    std::vector<Token> list();

    // The ids of those that were revoked.
    std::set<std::string> revoked();

private:
    void note_use(const Token& token);

    Tables& tables_;
    const env::Clock& clock_;
    std::atomic<bool> any_{false};
};

// Takes the same time wherever two texts of the same length differ.
bool equal_in_constant_time(std::string_view a, std::string_view b);

}  // namespace belay::api
