#include "core/store/postgres/rows.hpp"

#include "core/store/postgres/sql.hpp"
#include "core/store/sql/rows.hpp"

namespace belay::store::postgres {

std::string select_runs(std::string_view condition) {
    return std::string(sql::select_run).append(condition);
}

model::Run read_run(const Rows& row) { return run_in(row); }
model::Stage read_stage(const Rows& row) { return stage_in(row); }
model::Attempt read_attempt(const Rows& row) { return attempt_in(row); }
ControlRequest read_request(const Rows& row) { return request_in(row); }

}  // namespace belay::store::postgres
