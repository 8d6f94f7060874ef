#include "store/postgres/rows.hpp"

#include <fmt/format.h>

#include <belay/error.hpp>

#include "store/postgres/sql.hpp"

namespace belay::store::postgres {

namespace {

// A word that the schema's CHECK should have refused: someone wrote the file with another tool.
[[noreturn]] void unknown_word(std::string_view column, std::string_view word) {
    throw Error(ErrorCode::BadValue,
                fmt::format("the database has the unknown {} '{}'", column, word));
}

std::optional<model::Failure> read_failure(const Rows& row, int column) {
    if (row.is_null(column)) return std::nullopt;
    return model::Failure{.code = std::string(row.text(column)),
                          .message = std::string(row.text(column + 1)),
                          .stage = std::string(row.text(column + 2)),
                          .path = std::string(row.text(column + 3))};
}

std::optional<model::Progress> read_progress(const Rows& row, int column) {
    if (row.is_null(column)) return std::nullopt;
    return model::Progress{.done = row.integer(column),
                           .total = row.integer(column + 1),
                           .text = std::string(row.text(column + 2))};
}

std::optional<model::Stall> read_stall(const Rows& row, int column) {
    if (row.is_null(column)) return std::nullopt;
    const auto reason = model::stall_reason(row.text(column));
    if (!reason) unknown_word("reason of a stall", row.text(column));
    return model::Stall{*reason, std::string(row.text(column + 1)), row.time(column + 2)};
}

}  // namespace

std::string select_runs(std::string_view condition) {
    return std::string(sql::select_run).append(condition);
}

model::Run read_run(const Rows& row) {
    model::Run run;
    run.no = model::RunNo{row.integer(0)};
    run.id = row.text(1);
    run.workflow_key = row.text(2);
    const auto status = run_status(row.text(3));
    if (!status) unknown_word("status of a run", row.text(3));
    run.status = *status;
    run.current_stage = row.text(4);
    run.input = row.text(5);
    run.result = row.optional_text(6);
    run.failure = read_failure(row, 7);
    run.progress = read_progress(row, 11);
    run.organization_id = row.text(14);
    run.source_channel = row.text(15);
    run.file_id = row.text(16);
    run.content_hash = row.text(17);
    run.code_version = row.text(18);
    run.worker = row.text(19);
    run.epoch = row.integer(20);
    run.attempts = row.integer(21);
    run.recoveries = row.integer(22);
    run.cancel_requested = row.integer(23) != 0;
    run.pause_requested = row.integer(24) != 0;
    run.wake_at = row.optional_time(25);
    run.created_at = row.time(26);
    run.updated_at = row.time(27);
    run.started_at = row.optional_time(28);
    run.completed_at = row.optional_time(29);
    run.request_reason = row.text(30);
    run.parent = model::RunNo{row.integer(31)};
    run.parent_path = row.text(32);
    run.deadline_at = row.optional_time(33);
    run.signals = row.integer(34);
    run.is_awaited = row.integer(35) != 0;
    run.generation = row.integer(36);
    run.continued_input = row.optional_text(37);
    run.forked_from = row.text(38);
    run.seed_id = row.text(39);
    run.stall = read_stall(row, 40);
    run.parent_id = row.text(43);
    run.saved = row.optional_text(44);
    run.queue = row.text(45);
    run.priority = row.integer(46);
    run.partition = row.text(47);
    run.dedupe_id = row.text(48);
    if (!row.is_null(49)) run.turn = row.integer(49);
    run.let_in = row.integer(50);
    run.schedule = row.text(51);
    return run;
}

model::Stage read_stage(const Rows& row) {
    model::Stage stage;
    stage.path = row.text(0);
    stage.stage_key = row.text(1);
    const auto kind = model::stage_kind(row.text(2));
    if (!kind) unknown_word("kind of a stage", row.text(2));
    stage.kind = *kind;
    const auto status = stage_status(row.text(3));
    if (!status) unknown_word("status of a stage", row.text(3));
    stage.status = *status;
    stage.position = row.integer(4);
    stage.attempt = row.integer(5);
    stage.started_at = row.optional_time(6);
    stage.finished_at = row.optional_time(7);
    stage.next_attempt_at = row.optional_time(8);
    stage.message = row.text(9);
    stage.error_code = row.text(10);
    stage.output = row.optional_text(11);
    stage.cost = row.optional_text(12);
    stage.attempts_before = row.integer(13);
    return stage;
}

model::Attempt read_attempt(const Rows& row) {
    model::Attempt attempt;
    attempt.path = row.text(0);
    attempt.attempt = row.integer(1);
    attempt.started_at = row.optional_time(2);
    attempt.finished_at = row.time(3);
    attempt.error_code = row.text(4);
    attempt.message = row.text(5);
    attempt.worker = row.text(6);
    return attempt;
}

ControlRequest read_request(const Rows& row) {
    ControlRequest request;
    request.id = row.integer(0);
    request.kind = row.text(1);
    request.run_id = row.text(2);
    request.payload = row.text(3);
    request.created_at = row.time(4);
    return request;
}

}  // namespace belay::store::postgres
