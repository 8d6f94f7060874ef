// rows.hpp — rows of the schema as values of the model, and back.
#pragma once

#include <string>
#include <string_view>

#include "core/model/run.hpp"
#include "core/model/stage.hpp"
#include "core/store/batch.hpp"
#include "core/store/postgres/connection.hpp"

namespace belay::store::postgres {

// select_run.sql with this condition behind it: "WHERE run.id = $1".
std::string select_runs(std::string_view condition);

model::Run read_run(const Rows& row);          // of select_run.sql
model::Stage read_stage(const Rows& row);      // of load_stages.sql
model::Attempt read_attempt(const Rows& row);  // of list_attempts.sql
ControlRequest read_request(const Rows& row);  // of take_requests.sql

}  // namespace belay::store::postgres
