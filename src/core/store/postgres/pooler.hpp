// pooler.hpp — whether the sessions are ours: a pooler may give each transaction to another server process.
//
// LISTEN, advisory locks, prepared statements and settings last as long as a session. Behind PgBouncer in transaction
// mode they are somebody else's a moment later, and nothing says so.
#pragma once

#include <string>

#include "core/store/postgres/connection.hpp"

namespace belay::store::postgres {

// Throws Error{InvalidArgument} that says what to do if `first` shares server processes with other clients. One more
// connection is made for that, and only if there is a pooler at all.
void refuse_shared_sessions(Connection& first, const ConnectOptions& options,
                            const std::string& name);

}  // namespace belay::store::postgres
