// sql_tx.hpp — SQL inside the very transaction of a checkpoint, as a store offers it.
//
// The engine wraps it into the public belay::Tx. One placeholder style, `?`, on every store; a store
// with another dialect translates.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include <belay/sql.hpp>

#include "core/model/message.hpp"
#include "core/model/run.hpp"

namespace belay::store {

struct SubmitOutcome;
enum class SendResult;

class SqlTx {
public:
    virtual ~SqlTx() = default;

    // Runs one statement with its parameters bound in order. Gives the rows it returned and how many
    // it changed. Throws Error{TransactionRefused} for what a body must not do (COMMIT, ROLLBACK,
    // SAVEPOINT, PRAGMA, ATTACH, writing Belay's own tables, or running longer than the limit) and
    // Error{InvalidArgument} with the database's message for SQL that fails.
    virtual SqlResult run(std::string_view sql, std::span<const SqlValue> parameters) = 0;

    // Starts a run in this commit, by the rules of Submit. It exists if and only if the body commits. With
    // `retry_failed` one of that id that has failed or was canceled is opened again.
    virtual SubmitOutcome submit(const model::NewRun& run, bool retry_failed) = 0;
    SubmitOutcome submit(const model::NewRun& run);

    // Sends a message in this commit, by the rules of Send; `why` says why it was refused.
    virtual SendResult send(const model::NewMessage& message, std::string& why) = 0;
};

// A body may be called twice when its batch has to be redone; its effect commits once. What it
// returns becomes the stage's output (JSON).
using TxBody = std::function<std::string(SqlTx&)>;

}  // namespace belay::store
