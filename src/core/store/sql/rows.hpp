// rows.hpp — rows of the schema as values of the model, for every store that keeps them in SQL.
//
// The stores select the same columns in the same order (select_run.sql, load_stages.sql, list_attempts.sql and
// take_requests.sql of each), so reading a row is written once. `Row` is what a store reads columns from: is_null,
// integer, text, time, optional_time, optional_text; and value, optional_value for what may be kept elsewhere.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/model/run.hpp"
#include "core/model/stage.hpp"
#include "core/store/batch.hpp"

namespace belay::store {

// A word that the schema's CHECK should have refused: someone wrote the database with another tool.
// Throws Error{BadValue}.
[[noreturn]] void unknown_word_in_row(std::string_view column, std::string_view word);

template <class Row>
std::optional<model::Failure> failure_in(const Row& row, int column) {
    if (row.is_null(column)) return std::nullopt;
    return model::Failure{.code = std::string(row.text(column)),
                          .message = std::string(row.text(column + 1)),
                          .stage = std::string(row.text(column + 2)),
                          .path = std::string(row.text(column + 3))};
}

template <class Row>
std::optional<model::Progress> progress_in(const Row& row, int column) {
    if (row.is_null(column)) return std::nullopt;
    return model::Progress{.done = row.integer(column),
                           .total = row.integer(column + 1),
                           .text = std::string(row.text(column + 2))};
}

template <class Row>
std::optional<model::Stall> stall_in(const Row& row, int column) {
    if (row.is_null(column)) return std::nullopt;
    const auto reason = model::stall_reason(row.text(column));
    if (!reason) unknown_word_in_row("reason of a stall", row.text(column));
    return model::Stall{*reason, std::string(row.text(column + 1)), row.time(column + 2)};
}

template <class Row>
model::UndoState undo_state_in(const Row& row, int column) {
    if (row.is_null(column)) return model::UndoState::None;
    return row.integer(column) == 1 ? model::UndoState::Ready : model::UndoState::Left;
}

template <class Row>
model::Run run_in(const Row& row) {
    model::Run run;
    run.no = model::RunNo{row.integer(0)};
    run.id = row.text(1);
    run.workflow_key = row.text(2);
    const auto status = run_status(row.text(3));
    if (!status) unknown_word_in_row("status of a run", row.text(3));
    run.status = *status;
    run.current_stage = row.text(4);
    run.input = row.value(5);
    run.result = row.optional_value(6);
    run.failure = failure_in(row, 7);
    run.progress = progress_in(row, 11);
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
    run.stall = stall_in(row, 40);
    run.parent_id = row.text(43);
    run.saved = row.optional_text(44);
    run.queue = row.text(45);
    run.priority = row.integer(46);
    run.partition = row.text(47);
    run.dedupe_id = row.text(48);
    if (!row.is_null(49)) run.turn = row.integer(49);
    run.let_in = row.integer(50);
    run.schedule = row.text(51);
    run.charges = row.integer(52);
    run.undo = undo_state_in(row, 53);
    run.undo_plan = row.optional_text(54);
    return run;
}

template <class Row>
model::Stage stage_in(const Row& row) {
    model::Stage stage;
    stage.path = row.text(0);
    stage.stage_key = row.text(1);
    const auto kind = model::stage_kind(row.text(2));
    if (!kind) unknown_word_in_row("kind of a stage", row.text(2));
    stage.kind = *kind;
    const auto status = stage_status(row.text(3));
    if (!status) unknown_word_in_row("status of a stage", row.text(3));
    stage.status = *status;
    stage.position = row.integer(4);
    stage.attempt = row.integer(5);
    stage.started_at = row.optional_time(6);
    stage.finished_at = row.optional_time(7);
    stage.next_attempt_at = row.optional_time(8);
    stage.message = row.text(9);
    stage.error_code = row.text(10);
    stage.output = row.optional_value(11);
    stage.cost = row.optional_text(12);
    stage.attempts_before = row.integer(13);
    return stage;
}

template <class Row>
model::Attempt attempt_in(const Row& row) {
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

template <class Row>
ControlRequest request_in(const Row& row) {
    ControlRequest request;
    request.id = row.integer(0);
    request.kind = row.text(1);
    request.run_id = row.text(2);
    request.payload = row.text(3);
    request.created_at = row.time(4);
    return request;
}

}  // namespace belay::store
