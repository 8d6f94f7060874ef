// certain_part.hpp — one transaction of what needs no look, sent whole and waited for once.
//
// From BEGIN to COMMIT it is one round trip. What is taken for certain is part of it, and where that is wrong the server
// fails it: then nothing of it is there.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/store/postgres/connection.hpp"
#include "core/store/postgres/lanes.hpp"
#include "core/store/postgres/statements.hpp"

namespace belay::store::postgres {

class CertainPart {
public:
    // Both outlive it.
    CertainPart(Connection& connection, Statements& statements)
        : connection_(connection), statements_(statements) {}

    // Under the lock of the worker's row, and only if it has this mark. Does not wait for the server's answer.
    void send(const Lanes& lanes, const std::string& worker, const std::string& mark, Time now);

    // Nothing if it is committed; else why not. After a lost connection it may be committed all the same.
    std::optional<PgError> finish();

private:
    void add_stages(const Lanes& lanes, std::vector<std::pair<Statement*, Parameters>>& statements);

    Connection& connection_;
    Statements& statements_;
    std::optional<PgError> lost_;  // while it was sent
};

// Nothing is there, and it may well be written after a look: something was not certain, or a deadlock.
bool may_be_looked_at(const PgError& error);

// A batch in two halves of about the same size. What belongs to one run stays together; so do all that are new, whose
// numbers are free again if one of them is not.
struct SharedLanes {
    Lanes first;
    Lanes second;

    static bool is_second(RunNo run) { return run.value % 2 != 0; }
};
SharedLanes share(Lanes lanes);

}  // namespace belay::store::postgres
