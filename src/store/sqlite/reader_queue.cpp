// reader_queue.cpp — how queues and schedules stand, for people.
#include "store/sqlite/failure.hpp"
#include "store/sqlite/queue_rows.hpp"
#include "store/sqlite/reader.hpp"
#include "store/sqlite/reader_locked.hpp"
#include "store/sqlite/rows.hpp"
#include "store/sqlite/sql.hpp"

namespace belay::store::sqlite {

namespace {

struct Tokens {
    std::int64_t taken = 0;
    std::optional<Time> oldest{};
};

Tokens tokens_of(const Connection& db, const model::Queue& queue, Time now) {
    if (!queue.limits.rate) return {};
    Statement count{db, sql::count_starts};
    Rows row{count, queue.name, now - queue.limits.rate->period, now + queue.limits.rate->period};
    row.next();
    return {row->integer(0), row->optional_time(1)};
}

QueueInfo stand_of(const Connection& db, const model::Queue& queue, Time now,
                   std::string_view organization) {
    QueueInfo info;
    info.name = queue.name;
    info.limits = queue.limits;
    info.paused = queue.paused;
    info.pause_reason = queue.pause_reason;
    Statement count{db, sql::count_queue};
    Rows rows{count, queue.name, organization};
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
        info.tokens_left =
            std::max<std::int64_t>(0, queue.limits.rate->starts - tokens_of(db, queue, now).taken);
    }
    if (info.in_line > 0) {
        Statement oldest{db, sql::oldest_in_line};
        Rows row{oldest, queue.name, organization};
        if (row.next()) info.oldest_at = row->optional_time(0);
    }
    return info;
}

}  // namespace

std::vector<QueueInfo> Reader::queues(Time now, std::string_view organization) {
    return locked([&] {
        std::vector<model::Queue> found;
        Statement all{*connection_, select_queues("ORDER BY name")};
        while (all.next()) found.push_back(read_queue(all));
        std::vector<QueueInfo> stand;
        for (const model::Queue& queue : found) {
            stand.push_back(stand_of(*connection_, queue, now, organization));
        }
        return stand;
    });
}

std::optional<model::QueuePlace> Reader::place_in_queue(RunNo no, Time now) {
    return locked([&]() -> std::optional<model::QueuePlace> {
        const Connection& db = *connection_;
        Statement find{db, select_runs("WHERE run.id = ?1")};
        Rows found{find, no.value};
        if (!found.next()) return std::nullopt;
        const model::Run run = read_run(*found);
        const bool may_go = run.status == RunStatus::Queued || run.status == RunStatus::Waiting;
        if (!run.turn || !may_go) return std::nullopt;

        model::QueuePlace place;
        place.queue.name = run.queue;
        Statement of_queue{db, select_queues("WHERE name = ?1")};
        if (Rows row{of_queue, run.queue}; row.next()) place.queue = read_queue(*row);
        place.has_begun = *run.turn == 0;
        Statement count{db, sql::count_ahead};
        if (Rows row{count, run.queue, std::int64_t{place.has_begun ? 0 : 1}, run.priority,
                     *run.turn, no.value};
            row.next()) {
            place.ahead = row->integer(0);
        }
        model::QueueLoad load;
        Statement running{db, sql::count_in_queue};
        if (Rows row{running, run.queue, std::string_view{}}; row.next())
            load.running = row->integer(0);
        Statement least{db, sql::least_busy_worker};
        if (Rows row{least, run.queue}; row.next()) load.running_here = row->integer(0);
        const Tokens tokens = tokens_of(db, place.queue, now);
        load.starts = tokens.taken;
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
    });
}

std::vector<model::StoredSchedule> Reader::schedules() {
    return locked([&] {
        std::vector<model::StoredSchedule> found;
        Statement all{*connection_, select_schedules("ORDER BY name")};
        while (all.next()) found.push_back(read_schedule(all));
        return found;
    });
}

}  // namespace belay::store::sqlite
