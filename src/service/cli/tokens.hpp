// tokens.hpp — `belay tokens create|list|revoke`.
//
// The secret is made here and printed once. What goes to the database, or to the process that executes on
// it, is its hash.
#pragma once

#include <functional>
#include <string>

#include "core/store/store.hpp"
#include "service/api/tokens.hpp"
#include "service/cli/exit_code.hpp"
#include "service/cli/screen.hpp"

namespace belay::cli {

// Does what a request (api::make_token, api::revoke_request) says, on a store that executes. Throws as
// api::token_request does.
void change_tokens_here(store::Store& store, const env::Clock& clock, const std::string& request);

// Asks the process that executes, and waits for its answer, `nap` at a time, for about ten seconds. Throws
// Error{InvalidArgument} with its refusal, Error{StoreUnavailable} if it does not answer.
void ask_to_change_tokens(store::Store& store, Time now, const std::string& request,
                          const std::function<void(Duration)>& nap);

// All tokens; none if no token was ever made in this store.
std::vector<api::Token> tokens_of(store::Store& store, const env::Clock& clock);

}  // namespace belay::cli
