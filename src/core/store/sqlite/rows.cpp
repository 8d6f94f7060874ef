#include "core/store/sqlite/rows.hpp"

#include "core/store/sql/rows.hpp"
#include "core/store/sqlite/sql.hpp"

namespace belay::store::sqlite {

std::string select_runs(std::string_view condition) {
    return std::string(sql::select_run).append(condition);
}

model::Run read_run(const Statement& row) { return run_in(row); }
model::Stage read_stage(const Statement& row) { return stage_in(row); }
model::Attempt read_attempt(const Statement& row) { return attempt_in(row); }
ControlRequest read_request(const Statement& row) { return request_in(row); }

void bind_stage(Statement& statement, model::RunNo run, const model::Stage& stage,
                const std::optional<std::string>& output) {
    statement.bind(1, run.value);
    statement.bind(2, stage.path);
    statement.bind(3, stage.stage_key);
    statement.bind(4, model::to_string(stage.kind));
    statement.bind(5, to_string(stage.status));
    statement.bind(6, stage.position);
    statement.bind(7, stage.attempt);
    statement.bind(8, stage.started_at);
    statement.bind(9, stage.finished_at);
    statement.bind(10, stage.next_attempt_at);
    statement.bind_or_null(11, stage.message);
    statement.bind_or_null(12, stage.error_code);
    statement.bind_value(13, output);
    statement.bind(14, stage.cost);
    statement.bind(15, stage.attempts_before);
}

}  // namespace belay::store::sqlite
