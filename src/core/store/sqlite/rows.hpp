// rows.hpp — rows of the schema as values of the model, and back.
#pragma once

#include <string>
#include <string_view>

#include "core/model/run.hpp"
#include "core/model/stage.hpp"
#include "core/store/batch.hpp"
#include "core/store/sqlite/connection.hpp"

namespace belay::store::sqlite {

// select_run.sql with this condition behind it: "WHERE run.id = ?1".
std::string select_runs(std::string_view condition);

model::Run read_run(const Statement& row);          // of select_run.sql
model::Stage read_stage(const Statement& row);      // of load_stages.sql
model::Attempt read_attempt(const Statement& row);  // of list_attempts.sql
ControlRequest read_request(const Statement& row);  // of take_requests.sql

// The parameters of record_stage.sql. The output is given apart because a body may have made it.
void bind_stage(Statement& statement, model::RunNo run, const model::Stage& stage,
                const std::optional<std::string>& output);

}  // namespace belay::store::sqlite
