#include "core/store/postgres/failure.hpp"

#include <fmt/format.h>

namespace belay::store::postgres {

namespace {

std::string what_to_do(const std::string& name, const PgError& error) {
    const std::string& state = error.state();
    if (state == "25006") {
        return fmt::format(
            "{} is read-only: it is a standby, or was just demoted. Point the store at the primary "
            "(several hosts and target_session_attrs=read-write do that by themselves) ({})",
            name, error.what());
    }
    if (state == "53100") {
        return fmt::format(
            "the disk of {} is full: free space there and the runs go on by themselves ({})", name,
            error.what());
    }
    if (state == "53300") {
        return fmt::format(
            "{} has no connection left: raise max_connections, or end what holds them ({})", name,
            error.what());
    }
    if (state == "42501") {
        return fmt::format(
            "{} does not allow it: see docs/postgres.md for what the role must be granted ({})",
            name, error.what());
    }
    if (error.connection_lost()) return fmt::format("{} cannot be reached: {}", name, error.what());
    return fmt::format("{}: {}", name, error.what());
}

}  // namespace

bool is_of_store(const PgError& error) {
    if (error.connection_lost()) return true;
    const std::string& state = error.state();
    if (state == "25006" || state == "57014") return state == "25006";
    return state.starts_with("53") || state.starts_with("57P") || state.starts_with("58") ||
           state.starts_with("08") || state.starts_with("XX") || state.starts_with("40") ||
           state == "25P03";
}

Error unavailable(const std::string& name, const PgError& error) {
    return Error(ErrorCode::StoreUnavailable, what_to_do(name, error));
}

Error commit_failed(const std::string& name, const PgError& error) {
    // A server that answered has rolled back; without an answer nobody knows.
    if (!error.connection_lost()) return unavailable(name, error);
    return Error(ErrorCode::CommitUnknown, fmt::format("{} may or may not have been committed: {}",
                                                       name, what_to_do(name, error)));
}

}  // namespace belay::store::postgres
