// queues.hpp — the lines of the queues (who comes into one, how many may leave it), for every store that speaks
// SQL. Who is next in a line the stores list each in their way.
//
// Everything is counted in the transaction of the claim, from indexes of what is unfinished, so a limit
// holds exactly and no counter can drift (rule 9). A queue costs a claim one look at its line, and nothing
// per run that has to go on waiting.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "core/base/limits.hpp"
#include "core/store/sql/queue_rows.hpp"
#include "core/store/sql/writer.hpp"
#include "core/store/tick.hpp"

namespace belay::store {

template <class Db>
std::optional<model::Queue> SqlWriter<Db>::find_queue(const std::string& name) {
    Rows row{self().statements_.queue_by_name, name};
    return row.next() ? std::optional(queue_in(*row)) : std::nullopt;
}

template <class Db>
model::Queue SqlWriter<Db>::queue_or_free(const std::string& name) {
    if (auto found = find_queue(name)) return *std::move(found);
    model::Queue free;
    free.name = name;
    return free;
}

template <class Db>
LastTurns SqlWriter<Db>::last_turns(const std::string& queue, std::int64_t priority,
                                    const std::string& partition) {
    Rows row{self().statements_.last_turn, queue, priority, partition};
    row.next();
    return {.of_partition = row->integer(0), .in_lane = row->integer(1)};
}

template <class Db>
std::int64_t SqlWriter<Db>::turn_of(const std::string& queue, std::int64_t priority,
                                    const std::string& partition) {
    const LastTurns last = last_turns(queue, priority, partition);
    return model::next_turn(last.in_lane, last.of_partition);
}

template <class Db>
void SqlWriter<Db>::into_line(const model::Run& run) {
    const bool has_begun = run.let_in == run.attempts;
    const std::int64_t turn = has_begun ? 0 : turn_of(run.queue, run.priority, run.partition);
    self().statements_.into_line.run(run.no.value, turn);
}

template <class Db>
model::QueueRoom SqlWriter<Db>::room_in_queue(const model::Queue& queue,
                                              const std::string& worker) {
    auto& statements = self().statements_;
    const Time now = now_;
    model::QueueLoad load;
    const QueueLimits& limits = queue.limits;
    if (limits.concurrency || limits.concurrency_per_worker || limits.rate) {
        // Whoever takes from this line counts after whoever did before (rule 9).
        lock_queue(queue.name);
    }
    if (limits.concurrency || limits.concurrency_per_worker) {
        Rows row{statements.count_in_queue, queue.name, worker};
        row.next();
        load.running = row->integer(0);
        load.running_here = row->integer(1);
    }
    if (limits.rate) {
        const Time from = now - limits.rate->period;
        const Time to = now + limits.rate->period;
        statements.forget_starts.run(queue.name, from, to);
        Rows row{statements.count_starts, queue.name, from, to};
        row.next();
        load.starts = row->integer(0);
        load.oldest_start = row->optional_time(1);
    }
    return model::room_in(queue, load, now);
}

template <class Db>
std::optional<std::string> SqlWriter<Db>::next_line(std::string_view after) {
    Rows row{self().statements_.next_line, after};
    return row.next() ? std::optional(std::string(row->text(0))) : std::nullopt;
}

template <class Db>
Candidates SqlWriter<Db>::find_in_line(const Claim& verb, const std::string& queue,
                                       std::size_t most, int suspects_left) {
    const model::QueueRoom room = room_in_queue(queue_or_free(queue), verb.worker);
    const auto slots = std::min(most, static_cast<std::size_t>(room.begun));
    if (slots == 0) return {};
    Candidates found = list_line(verb, queue, true, slots, suspects_left);
    const auto fresh = std::min(slots - found.size(), static_cast<std::size_t>(room.fresh));
    const Candidates others = list_line(verb, queue, false, fresh, suspects_left);
    found.insert(found.end(), others.begin(), others.end());
    return found;
}

template <class Db>
void SqlWriter<Db>::let_in(model::Run& run) {
    auto& statements = self().statements_;
    const bool has_begun = run.let_in == run.attempts;
    if (has_begun || run.cancel_requested) return;
    if (run.turn) statements.serve_turn.run(run.queue, run.priority, *run.turn);
    const model::Queue queue = queue_or_free(run.queue);
    if (queue.limits.rate)
        statements.take_token.run(run.queue, model::counted_at(*queue.limits.rate, now_));
}

// Its slot is its own, in the worker that died; here it needs one of ours.
template <class Db>
bool SqlWriter<Db>::put_back_in_line(const Claim& verb, const model::Run& orphan) {
    if (orphan.queue.empty() || orphan.cancel_requested) return false;
    const model::Queue queue = queue_or_free(orphan.queue);
    if (!queue.limits.concurrency_per_worker) return false;
    {
        Rows row{self().statements_.count_in_queue, queue.name, verb.worker};
        row.next();
        if (row->integer(1) < *queue.limits.concurrency_per_worker) return false;
    }
    note_pick_up(verb, orphan);
    self().statements_.put_back_in_line.run(orphan.no.value, now_);
    tell_due();  // another worker may have a slot
    self().runs_.forget(orphan.no);
    return true;
}

// Who is left in line: for want of a slot or of room, until one of ours ends; or for a token, until it comes.
template <class Db>
void SqlWriter<Db>::look_along_lines(Claim& verb) {
    for (auto queue = next_line(""); queue; queue = next_line(*queue)) {
        const bool begun = has_line(verb, *queue, true);
        const bool fresh = has_line(verb, *queue, false);
        if (!begun && !fresh) continue;
        const model::QueueRoom room = room_in_queue(queue_or_free(*queue), verb.worker);
        if (room.held_up_by == model::HeldUpBy::Paused) continue;
        if (begun || room.held_up_by != model::HeldUpBy::Rate) verb.outcome.more_due = true;
        if (fresh && room.next_token &&
            (!verb.outcome.next_due || *room.next_token < *verb.outcome.next_due)) {
            verb.outcome.next_due = room.next_token;
        }
    }
}

template <class Db>
void SqlWriter<Db>::apply(ChangeQueue& verb) {
    flush();
    tell_due();
    verb.outcome = ChangeResult::Done;
    verb.why.clear();
    const std::string& name = verb.queue.name;
    const auto refuse = [&](std::string why) {
        verb.outcome = ChangeResult::Refused;
        verb.why = std::move(why);
    };
    const auto row = find_queue(name);
    const bool makes = verb.kind == ChangeKind::Declare || verb.kind == ChangeKind::Set;
    if (!row && !makes) {
        verb.outcome = ChangeResult::NotFound;
        return;
    }
    if (!row) {
        Statement count{self().db(), "SELECT count(*) FROM workflow_queues"};
        Rows queues{count};
        queues.next();
        if (queues->integer(0) >= static_cast<std::int64_t>(base::kQueuesMax)) {
            return refuse(
                fmt::format("there are {} queues, which is the most", queues->integer(0)));
        }
    }
    if (verb.kind == ChangeKind::Remove) {
        if (std::string why = needs_queue(name); !why.empty()) return refuse(std::move(why));
        Statement{self().db(), Db::remove_queue}.run(name);
        Statement{self().db(), Db::remove_lanes}.run(name);
        self().statements_.forget_starts.run(name, model::kNever, model::kNever);
        return;
    }
    if (const auto queue = changed(verb, row, now_)) {
        Statement put{self().db(), Db::put_queue};
        put_queue_in(put, *queue);
        put.step_to_end();
    }
}

template <class Db>
std::string SqlWriter<Db>::needs_queue(const std::string& name) {
    Statement count{self().db(), Db::count_unfinished};
    Rows runs{count, name};
    if (runs.next() && runs->integer(0) > 0) return still_has_runs(name, runs->integer(0));
    Statement users{self().db(), Db::schedule_of_queue};
    Rows user{users, name};
    return user.next() ? is_named_by(name, std::string(user->text(0))) : std::string();
}

}  // namespace belay::store
