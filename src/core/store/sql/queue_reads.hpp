// queue_reads.hpp — how queues and schedules stand, for people, in every store that speaks SQL.
//
// `Db` is as in sql_writer.hpp; `db` is a connection of that store, which the caller keeps to itself meanwhile.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "core/model/queue.hpp"
#include "core/model/schedule.hpp"
#include "core/store/sql/queue_rows.hpp"
#include "core/store/sql/rows.hpp"
#include "core/store/store.hpp"

namespace belay::store {

struct TokensTaken {
    std::int64_t count = 0;
    std::optional<Time> oldest{};
};

template <class Db>
TokensTaken tokens_taken(typename Db::Connection& db, const model::Queue& queue, Time now) {
    if (!queue.limits.rate) return {};
    typename Db::Statement count{db, Db::count_starts};
    typename Db::Rows row{count, queue.name, now - queue.limits.rate->period,
                          now + queue.limits.rate->period};
    row.next();
    return {row->integer(0), row->optional_time(1)};
}

template <class Db>
QueueInfo stand_of(typename Db::Connection& db, const model::Queue& queue, Time now,
                   std::string_view organization) {
    QueueInfo info;
    info.name = queue.name;
    info.limits = queue.limits;
    info.paused = queue.paused;
    info.pause_reason = queue.pause_reason;
    typename Db::Statement count{db, Db::count_queue};
    typename Db::Rows rows{count, queue.name, organization};
    while (rows.next()) {
        const auto status = run_status(rows->text(0));
        const std::int64_t all = rows->integer(1);
        const std::int64_t in_line = rows->integer(2);
        info.in_line += in_line;
        if (status == RunStatus::Queued) info.delayed = all - in_line;
        if (status == RunStatus::Waiting) info.waiting = all - in_line;
        if (status == RunStatus::Running) info.running = all;
        if (status == RunStatus::Paused) info.paused_runs = all;
    }
    if (queue.limits.rate) {
        const std::int64_t taken = tokens_taken<Db>(db, queue, now).count;
        info.tokens_left = std::max<std::int64_t>(0, queue.limits.rate->starts - taken);
    }
    if (info.in_line > 0) {
        typename Db::Statement oldest{db, Db::oldest_in_line};
        typename Db::Rows row{oldest, queue.name, organization};
        if (row.next()) info.oldest_at = row->optional_time(0);
    }
    return info;
}

// As Store::queues.
template <class Db>
std::vector<QueueInfo> all_queues(typename Db::Connection& db, Time now,
                                  std::string_view organization) {
    std::vector<model::Queue> found;
    {
        typename Db::Statement all{db, Db::queues_in_order()};
        typename Db::Rows rows{all};
        while (rows.next()) found.push_back(queue_in(*rows));
    }
    std::vector<QueueInfo> stand;
    stand.reserve(found.size());
    for (const model::Queue& queue : found) {
        stand.push_back(stand_of<Db>(db, queue, now, organization));
    }
    return stand;
}

// As Store::place_in_queue.
template <class Db>
std::optional<model::QueuePlace> place_in_queue(typename Db::Connection& db, model::RunNo no,
                                                Time now) {
    using Statement = typename Db::Statement;
    using Rows = typename Db::Rows;
    Statement find{db, Db::run_by_no()};
    Rows found{find, no.value};
    if (!found.next()) return std::nullopt;
    const model::Run run = run_in(*found);
    const bool may_go = run.status == RunStatus::Queued || run.status == RunStatus::Waiting;
    if (!run.turn || !may_go) return std::nullopt;

    model::QueuePlace place;
    place.queue.name = run.queue;
    Statement of_queue{db, Db::queue_by_name()};
    if (Rows row{of_queue, run.queue}; row.next()) place.queue = queue_in(*row);
    place.has_begun = *run.turn == 0;
    Statement count{db, Db::count_ahead};
    if (Rows row{count, run.queue, std::int64_t{place.has_begun ? 0 : 1}, run.priority, *run.turn,
                 no.value};
        row.next()) {
        place.ahead = row->integer(0);
    }
    model::QueueLoad load;
    Statement running{db, Db::count_in_queue};
    if (Rows row{running, run.queue, std::string_view{}}; row.next())
        load.running = row->integer(0);
    Statement least{db, Db::least_busy_worker};
    if (Rows row{least, run.queue}; row.next()) load.running_here = row->integer(0);
    const TokensTaken tokens = tokens_taken<Db>(db, place.queue, now);
    load.starts = tokens.count;
    load.oldest_start = tokens.oldest;
    const model::QueueRoom room = model::room_in(place.queue, load, now);
    place.running = load.running;
    place.held_up_by = room.held_up_by;
    place.next_token = room.next_token;
    if (place.has_begun && room.held_up_by == model::HeldUpBy::Rate) {
        place.held_up_by = model::HeldUpBy::Nothing;
        place.next_token.reset();
    }
    return place;
}

// As Store::schedules.
template <class Db>
std::vector<model::StoredSchedule> all_schedules(typename Db::Connection& db) {
    std::vector<model::StoredSchedule> found;
    typename Db::Statement all{db, Db::schedules_in_order()};
    typename Db::Rows rows{all};
    while (rows.next()) found.push_back(schedule_in(*rows));
    return found;
}

}  // namespace belay::store
