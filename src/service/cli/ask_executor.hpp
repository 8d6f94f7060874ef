// ask_executor.hpp — a change of rows: done by the process that executes on the store, or here if none does.
#pragma once

#include <functional>
#include <string>

#include <belay/tx.hpp>

#include "core/store/store.hpp"
#include "service/cli/command.hpp"

namespace belay::cli {

// Asks with a control request of that kind and waits for the answer. Throws as ask_or_do does.
std::string ask_executor(const Session& session, const Place& place, const std::string& kind,
                         const std::string& payload);

// Asks with a control request of that kind and waits for the answer; if nobody executes, takes the lock, brings the
// tables up to date and runs `body`. Gives the answer. Throws Error{NotFound} with the executor's refusal, {StoreLocked}
// if it does not know such requests, {StoreUnavailable} if it does not answer.
std::string ask_or_do(const Session& session, const std::string& kind, const std::string& payload,
                      const store::Migrations& tables, const std::function<std::string(Tx&)>& body);

}  // namespace belay::cli
