// queue_rows.hpp — rows of queues and schedules as values of the model and back, as rows.hpp has those of runs.
#pragma once

#include <cstdint>
#include <optional>

#include "core/model/queue.hpp"
#include "core/model/schedule.hpp"
#include "core/store/sql/rows.hpp"

namespace belay::store {

template <class Row>
std::optional<int> optional_int_in(const Row& row, int column) {
    if (row.is_null(column)) return std::nullopt;
    return static_cast<int>(row.integer(column));
}

inline std::optional<std::int64_t> as_integer_or_null(const std::optional<int>& value) {
    return value ? std::optional<std::int64_t>(*value) : std::nullopt;
}

// A policy that nobody of this version wrote.
template <class T>
T known_policy(const std::optional<T>& value, std::string_view column, std::string_view word) {
    if (!value) unknown_word_in_row(column, word);
    return *value;
}

template <class Row>
model::Queue queue_in(const Row& row) {
    model::Queue queue;
    queue.name = row.text(0);
    queue.limits.concurrency = optional_int_in(row, 1);
    queue.limits.concurrency_per_worker = optional_int_in(row, 2);
    if (!row.is_null(3)) {
        queue.limits.rate = RateLimit{static_cast<int>(row.integer(3)), Duration{row.integer(4)}};
    }
    queue.paused = row.integer(5) != 0;
    queue.pause_reason = row.text(6);
    queue.declared = row.text(7);
    queue.created_at = row.time(8);
    queue.updated_at = row.time(9);
    return queue;
}

template <class Statement>
void put_queue_in(Statement& statement, const model::Queue& queue) {
    const QueueLimits& limits = queue.limits;
    statement.bind(1, queue.name);
    statement.bind(2, as_integer_or_null(limits.concurrency));
    statement.bind(3, as_integer_or_null(limits.concurrency_per_worker));
    statement.bind(4,
                   limits.rate ? std::optional<std::int64_t>(limits.rate->starts) : std::nullopt);
    statement.bind(
        5, limits.rate ? std::optional<std::int64_t>(limits.rate->period.count()) : std::nullopt);
    statement.bind(6, std::int64_t{queue.paused ? 1 : 0});
    statement.bind_or_null(7, queue.pause_reason);
    statement.bind_or_null(8, queue.declared);
    statement.bind(9, queue.created_at);
    statement.bind(10, queue.updated_at);
}

template <class Row>
model::StoredSchedule schedule_in(const Row& row) {
    model::StoredSchedule stored;
    model::Schedule& schedule = stored.schedule;
    schedule.name = row.text(0);
    schedule.workflow_key = row.text(1);
    schedule.cron = row.text(2);
    schedule.zone = row.text(3);
    schedule.input = row.text(4);
    schedule.organization_id = row.text(5);
    schedule.catch_up =
        known_policy(model::catch_up(row.text(6)), "catch_up of a schedule", row.text(6));
    schedule.catch_up_max = static_cast<int>(row.integer(7));
    schedule.overlap =
        known_policy(model::overlap(row.text(8)), "overlap of a schedule", row.text(8));
    schedule.paused = row.integer(9) != 0;
    schedule.jitter = Duration{row.integer(10)};
    schedule.start = row.optional_time(11);
    schedule.end = row.optional_time(12);
    schedule.queue = row.text(13);
    schedule.priority = static_cast<int>(row.integer(14));
    stored.declared = row.text(15);
    stored.version = row.integer(16);
    stored.handled_until = row.time(17);
    stored.buffered = row.optional_time(18);
    stored.last_tick = row.optional_time(19);
    stored.last_run_id = row.text(20);
    stored.fired = row.integer(21);
    stored.lost = row.integer(22);
    stored.created_at = row.time(23);
    stored.updated_at = row.time(24);
    return stored;
}

template <class Statement>
void put_schedule_in(Statement& statement, const model::StoredSchedule& stored) {
    const model::Schedule& schedule = stored.schedule;
    statement.bind(1, schedule.name);
    statement.bind(2, schedule.workflow_key);
    statement.bind(3, schedule.cron);
    statement.bind(4, schedule.zone);
    statement.bind(5, schedule.input);
    statement.bind_or_null(6, schedule.organization_id);
    statement.bind(7, model::to_string(schedule.catch_up));
    statement.bind(8, std::int64_t{schedule.catch_up_max});
    statement.bind(9, model::to_string(schedule.overlap));
    statement.bind(10, std::int64_t{schedule.paused ? 1 : 0});
    statement.bind(11, std::int64_t{schedule.jitter.count()});
    statement.bind(12, schedule.start);
    statement.bind(13, schedule.end);
    statement.bind_or_null(14, schedule.queue);
    statement.bind(15, std::int64_t{schedule.priority});
    statement.bind_or_null(16, stored.declared);
    statement.bind(17, stored.version);
    statement.bind(18, stored.handled_until);
    statement.bind(19, stored.buffered);
    statement.bind(20, stored.last_tick);
    statement.bind_or_null(21, stored.last_run_id);
    statement.bind(22, stored.fired);
    statement.bind(23, stored.lost);
    statement.bind(24, stored.created_at);
    statement.bind(25, stored.updated_at);
}

}  // namespace belay::store
