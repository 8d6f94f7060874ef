// writer_queue.cpp — the lines of the queues: who comes into one, how many may leave it, and who.
//
// Everything is counted in the transaction of the claim, from indexes of what is unfinished, so a limit
// holds exactly and no counter can drift (rule 9). A queue costs a claim one look at its line, and nothing
// per run that has to go on waiting.
#include <algorithm>
#include <tuple>

#include <fmt/format.h>

#include "base/limits.hpp"
#include "store/sqlite/writer.hpp"
#include "store/tick.hpp"

namespace belay::store::sqlite {

std::optional<model::Queue> Writer::find_queue(const std::string& name) {
    Rows row{statements_.queue_by_name, name};
    return row.next() ? std::optional(read_queue(*row)) : std::nullopt;
}

model::Queue Writer::queue_or_free(const std::string& name) {
    if (auto found = find_queue(name)) return *std::move(found);
    model::Queue free;
    free.name = name;
    return free;
}

std::int64_t Writer::turn_of(const std::string& queue, std::int64_t priority,
                             const std::string& partition) {
    Rows row{statements_.last_turn, queue, priority, partition};
    row.next();
    return model::next_turn(row->integer(1), row->integer(0));
}

void Writer::into_line(const model::Run& run) {
    const bool has_begun = run.let_in == run.attempts;
    const std::int64_t turn = has_begun ? 0 : turn_of(run.queue, run.priority, run.partition);
    statements_.into_line.run(run.no.value, turn);
}

model::QueueRoom Writer::room_in_queue(const model::Queue& queue, const std::string& worker) {
    model::QueueLoad load;
    const QueueLimits& limits = queue.limits;
    if (limits.concurrency || limits.concurrency_per_worker) {
        Rows row{statements_.count_in_queue, queue.name, worker};
        row.next();
        load.running = row->integer(0);
        load.running_here = row->integer(1);
    }
    if (limits.rate) {
        const Time from = now_ - limits.rate->period;
        const Time to = now_ + limits.rate->period;
        statements_.forget_starts.run(queue.name, from, to);
        Rows row{statements_.count_starts, queue.name, from, to};
        row.next();
        load.starts = row->integer(0);
        load.oldest_start = row->optional_time(1);
    }
    return model::room_in(queue, load, now_);
}

std::optional<std::string> Writer::next_line(std::string_view after) {
    Rows row{statements_.next_line, after};
    return row.next() ? std::optional(std::string(row->text(0))) : std::nullopt;
}

Writer::Candidates Writer::find_in_line(const Claim& verb, const std::string& queue,
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

Writer::Candidates Writer::list_line(const Claim& verb, const std::string& queue, bool begun,
                                     std::size_t most, int suspects_left) {
    Candidates found;
    if (most == 0) return found;
    for (const std::string& key : verb.workflow_keys) {
        std::size_t taken = 0;
        int suspects = 0;
        Rows rows{statements_.list_line, queue, key, std::int64_t{begun ? 0 : 1}};
        while (taken < most && rows.next()) {
            if (!verb.versions.take(rows->text(5))) continue;
            const Candidate next{RunNo{rows->integer(0)}, rows->time(1), rows->integer(2),
                                 rows->integer(3), rows->integer(4)};
            if (next.recoveries >= base::kSuspectRecoveries && suspects++ >= suspects_left)
                continue;
            found.push_back(next);
            ++taken;
        }
    }
    if (verb.workflow_keys.size() > 1) {
        std::sort(found.begin(), found.end(), [](const Candidate& a, const Candidate& b) {
            return std::tuple(-a.priority, a.turn, a.run) < std::tuple(-b.priority, b.turn, b.run);
        });
    }
    if (found.size() > most) found.resize(most);
    return found;
}

bool Writer::has_line(const Claim& verb, const std::string& queue, bool begun) {
    return std::any_of(
        verb.workflow_keys.begin(), verb.workflow_keys.end(), [&](const std::string& key) {
            Rows rows{statements_.list_line, queue, key, std::int64_t{begun ? 0 : 1}};
            while (rows.next()) {
                if (verb.versions.take(rows->text(5))) return true;
            }
            return false;
        });
}

void Writer::let_in(model::Run& run) {
    const bool has_begun = run.let_in == run.attempts;
    if (has_begun || run.cancel_requested) return;
    if (run.turn) statements_.serve_turn.run(run.queue, run.priority, *run.turn);
    const model::Queue queue = queue_or_free(run.queue);
    if (queue.limits.rate)
        statements_.take_token.run(run.queue, model::counted_at(*queue.limits.rate, now_));
}

// Its slot is its own, in the worker that died; here it needs one of ours.
bool Writer::put_back_in_line(const Claim& verb, const model::Run& orphan) {
    if (orphan.queue.empty() || orphan.cancel_requested) return false;
    const model::Queue queue = queue_or_free(orphan.queue);
    if (!queue.limits.concurrency_per_worker) return false;
    {
        Rows row{statements_.count_in_queue, queue.name, verb.worker};
        row.next();
        if (row->integer(1) < *queue.limits.concurrency_per_worker) return false;
    }
    statements_.put_back_in_line.run(orphan.no.value, now_);
    runs_.forget(orphan.no);
    return true;
}

// Who is left in line: for want of a slot or of room, until one of ours ends; or for a token, until it comes.
void Writer::look_along_lines(Claim& verb) {
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

std::optional<model::Run> Writer::find_dedupe(const model::NewRun& run) {
    if (run.dedupe_id.empty()) return std::nullopt;
    const auto or_null = [](const std::string& text) {
        return text.empty() ? std::optional<std::string>() : std::optional(text);
    };
    // Kept while the statement runs: bound text is borrowed.
    const auto queue = or_null(run.queue);
    const auto organization = or_null(run.organization_id);
    RunNo found{};
    {
        Rows row{statements_.find_dedupe, run.dedupe_id, queue, organization};
        if (!row.next()) return std::nullopt;
        found = RunNo{row->integer(0)};
    }
    return find_run(found);
}

void Writer::apply(ChangeQueue& verb) {
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
        const auto count = connection_->integer("SELECT count(*) FROM workflow_queues").value_or(0);
        if (count >= static_cast<std::int64_t>(base::kQueuesMax)) {
            return refuse(fmt::format("there are {} queues, which is the most", count));
        }
    }
    if (verb.kind == ChangeKind::Remove) {
        Statement count{
            *connection_,
            "SELECT count(*) FROM workflow_runs WHERE queue = ?1 AND completed_at IS NULL"};
        Rows runs{count, name};
        if (runs.next() && runs->integer(0) > 0)
            return refuse(still_has_runs(name, runs->integer(0)));
        Statement users{*connection_,
                        "SELECT name FROM workflow_schedules WHERE queue = ?1 LIMIT 1"};
        Rows user{users, name};
        if (user.next()) return refuse(is_named_by(name, std::string(user->text(0))));
        Statement{*connection_, sql::remove_queue}.run(name);
        Statement{*connection_, sql::remove_lanes}.run(name);
        statements_.forget_starts.run(name, model::kNever, model::kNever);
        return;
    }
    if (const auto queue = changed(verb, row, now_)) {
        Statement put{*connection_, sql::put_queue};
        bind_queue(put, *queue);
        put.step_to_end();
    }
}

}  // namespace belay::store::sqlite
