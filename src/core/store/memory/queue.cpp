// queue.cpp — the memory store's queues and schedules: who is in line, who may leave it, and ticks.
#include <algorithm>

#include <fmt/format.h>

#include "core/base/limits.hpp"
#include "core/store/child_end.hpp"
#include "core/store/memory/batch_pass.hpp"
#include "core/store/memory/queue_load.hpp"
#include "core/store/tick.hpp"

namespace belay::store::memory {

namespace {

bool is_mine(const Claim& claim, const model::Run& run) {
    if (!claim.versions.take(run.code_version)) return false;
    return std::find(claim.workflow_keys.begin(), claim.workflow_keys.end(), run.workflow_key) !=
           claim.workflow_keys.end();
}

}  // namespace

model::Queue queue_or_free(const Tables& tables, const std::string& name) {
    const auto found = tables.queues().find(name);
    if (found != tables.queues().end()) return found->second;
    model::Queue free;
    free.name = name;
    return free;
}

model::QueueLoad load_of(const Tables& tables, const model::Queue& queue, const std::string& worker,
                         Time now) {
    model::QueueLoad load;
    for (const RunNo no : tables.runs_with(RunStatus::Running)) {
        const model::Run& run = *tables.run(no);
        if (run.queue != queue.name) continue;
        ++load.running;
        if (run.worker == worker) ++load.running_here;
    }
    if (!queue.limits.rate) return load;
    for (const auto& [at, count] : tables.starts(queue.name)) {
        if (at <= now - queue.limits.rate->period || at > now + queue.limits.rate->period) continue;
        load.starts += count;
        if (!load.oldest_start) load.oldest_start = at;
    }
    return load;
}

std::int64_t BatchPass::turn_of(const std::string& queue, std::int64_t priority,
                                const std::string& partition) const {
    const Lane lane{queue, priority};
    return model::next_turn(tables_.served_turn(lane), tables_.last_turn(lane, partition));
}

model::QueueRoom BatchPass::room_in_queue(const std::string& name,
                                          const std::string& worker) const {
    const model::Queue queue = queue_or_free(tables_, name);
    return model::room_in(queue, load_of(tables_, queue, worker, now_), now_);
}

// What is due and has a queue comes into line; what is only to be canceled needs no slot.
void BatchPass::into_line(Claim& verb, std::int64_t& left) {
    const auto due = tables_.due();
    for (const auto& [at, no] : due) {
        if (at > now_) break;
        model::Run run = *tables_.run(no);
        if (run.queue.empty() || run.cancel_requested || !is_mine(verb, run)) continue;
        if (left-- <= 0) {
            verb.outcome.next_due = now_;
            return;
        }
        const bool has_begun = run.let_in == run.attempts;
        run.turn = has_begun ? 0 : turn_of(run.queue, run.priority, run.partition);
        tables_.put_run(run);
    }
}

// Without a queue, and the lines; of their firsts the one that has been due longest goes next.
std::vector<RunNo> BatchPass::next_to_go(const Claim& verb, int suspects_left) const {
    std::vector<std::vector<RunNo>> lists(1);
    for (const auto& [at, no] : tables_.due()) {
        if (at > now_) break;
        const model::Run& run = *tables_.run(no);
        const bool goes = run.queue.empty() || run.cancel_requested;
        if (goes && is_mine(verb, run)) lists.front().push_back(no);
    }
    const auto most =
        static_cast<std::size_t>(std::max(verb.limit, 0)) - verb.outcome.claimed.size();
    for (const auto& [queue, line] : tables_.lines()) {
        lists.push_back(first_in_line(verb, queue, most, suspects_left));
    }
    const auto is_earlier = [&](RunNo a, RunNo b) {
        return std::pair(due_at(*tables_.run(a)), a) < std::pair(due_at(*tables_.run(b)), b);
    };
    if (lists.size() == 1) return std::move(lists.front());
    std::vector<std::size_t> at(lists.size(), 0);
    std::vector<RunNo> out;
    while (true) {
        std::size_t next = lists.size();
        for (std::size_t i = 0; i < lists.size(); ++i) {
            if (at[i] == lists[i].size()) continue;
            if (next == lists.size() || is_earlier(lists[i][at[i]], lists[next][at[next]]))
                next = i;
        }
        if (next == lists.size()) return out;
        out.push_back(lists[next][at[next]++]);
    }
}

std::vector<RunNo> BatchPass::first_in_line(const Claim& verb, const std::string& queue,
                                            std::size_t most, int suspects_left) const {
    const model::QueueRoom room = room_in_queue(queue, verb.worker);
    const std::size_t slots = std::min(most, static_cast<std::size_t>(room.begun));
    auto fresh_left = room.fresh;
    std::vector<RunNo> out;
    for (const LinePlace& place : tables_.lines().at(queue)) {
        if (out.size() >= slots) break;
        const model::Run& run = *tables_.run(place.run);
        if (!is_mine(verb, run)) continue;
        if (run.charges >= base::kSuspectCharges && suspects_left-- <= 0) continue;
        if (place.is_fresh && fresh_left-- <= 0) break;
        out.push_back(place.run);
    }
    return out;
}

bool BatchPass::put_back_in_line(const Claim& verb, model::Run orphan) {
    if (orphan.queue.empty() || orphan.cancel_requested) return false;
    const model::Queue queue = queue_or_free(tables_, orphan.queue);
    const auto& limit = queue.limits.concurrency_per_worker;
    if (!limit || load_of(tables_, queue, verb.worker, now_).running_here < *limit) return false;
    note_pick_up(verb, orphan);
    orphan.status = RunStatus::Queued;
    orphan.turn = 0;
    orphan.recoveries += 1;
    orphan.updated_at = now_;
    tables_.put_run(orphan);
    return true;
}

void BatchPass::let_in(const model::Run& run) {
    if (run.let_in == run.attempts || run.cancel_requested) return;
    if (run.turn) tables_.serve_turn({run.queue, run.priority}, *run.turn);
    const model::Queue queue = queue_or_free(tables_, run.queue);
    if (queue.limits.rate)
        tables_.take_token(run.queue, model::counted_at(*queue.limits.rate, now_));
}

void BatchPass::look_along_lines(Claim& verb) const {
    for (const auto& [queue, line] : tables_.lines()) {
        bool begun = false;
        bool fresh = false;
        for (const LinePlace& place : line) {
            if (begun && fresh) break;
            if (is_mine(verb, *tables_.run(place.run))) (place.is_fresh ? fresh : begun) = true;
        }
        if (!begun && !fresh) continue;
        const model::QueueRoom room = room_in_queue(queue, verb.worker);
        if (room.held_up_by == model::HeldUpBy::Paused) continue;
        if (begun || room.held_up_by != model::HeldUpBy::Rate) verb.outcome.more_due = true;
        if (fresh && room.next_token &&
            (!verb.outcome.next_due || *room.next_token < *verb.outcome.next_due)) {
            verb.outcome.next_due = room.next_token;
        }
    }
}

void BatchPass::apply(ChangeQueue& verb) {
    verb.outcome = ChangeResult::Done;
    verb.why.clear();
    const std::string& name = verb.queue.name;
    const auto refuse = [&](std::string why) {
        verb.outcome = ChangeResult::Refused;
        verb.why = std::move(why);
    };
    const auto found = tables_.queues().find(name);
    const auto row = found == tables_.queues().end() ? std::nullopt : std::optional(found->second);
    const bool makes = verb.kind == ChangeKind::Declare || verb.kind == ChangeKind::Set;
    if (!row && !makes) {
        verb.outcome = ChangeResult::NotFound;
        return;
    }
    if (!row && tables_.queues().size() >= base::kQueuesMax) {
        return refuse(
            fmt::format("there are {} queues, which is the most", tables_.queues().size()));
    }
    if (verb.kind == ChangeKind::Remove) {
        std::int64_t unfinished = 0;
        for (const RunStatus status :
             {RunStatus::Queued, RunStatus::Running, RunStatus::Waiting, RunStatus::Paused}) {
            for (const RunNo no : tables_.runs_with(status))
                unfinished += tables_.run(no)->queue == name ? 1 : 0;
        }
        if (unfinished > 0) return refuse(still_has_runs(name, unfinished));
        for (const auto& [schedule, stored] : tables_.schedules()) {
            if (stored.schedule.queue == name) return refuse(is_named_by(name, schedule));
        }
        return tables_.remove_queue(name);
    }
    if (const auto queue = changed(verb, row, now_)) tables_.put_queue(*queue);
}

void BatchPass::apply(ChangeSchedule& verb) {
    verb.outcome = ChangeResult::Done;
    verb.why.clear();
    verb.stands.reset();
    const std::string& name = verb.schedule.name;
    const auto refuse = [&](std::string why) {
        verb.outcome = ChangeResult::Refused;
        verb.why = std::move(why);
    };
    const auto found = tables_.schedules().find(name);
    const auto row =
        found == tables_.schedules().end() ? std::nullopt : std::optional(found->second);
    const bool makes = verb.kind == ChangeKind::Declare || verb.kind == ChangeKind::Set;
    if (!row && !makes) {
        verb.outcome = ChangeResult::NotFound;
        return;
    }
    if (!row && tables_.schedules().size() >= base::kSchedulesMax) {
        return refuse(
            fmt::format("there are {} schedules, which is the most", tables_.schedules().size()));
    }
    if (makes && !verb.schedule.queue.empty() && !tables_.queues().contains(verb.schedule.queue)) {
        return refuse(unknown_queue(verb.schedule.queue));
    }
    if (verb.kind == ChangeKind::Remove) return tables_.remove_schedule(name);
    const auto schedule = changed(verb, row, now_);
    if (schedule) tables_.put_schedule(*schedule);
    verb.stands = schedule ? schedule : row;
}

void BatchPass::apply(ReadSchedules& verb) {
    verb.outcome.clear();
    for (const auto& [name, schedule] : tables_.schedules()) verb.outcome.push_back(schedule);
}

class BatchPass::TickTables final : public TickPort {
public:
    explicit TickTables(BatchPass& pass) : pass_(pass) {}

    bool has_unfinished(const std::string& schedule) override {
        return !pass_.tables_.unfinished_of(schedule).empty();
    }
    void cancel_unfinished(const std::string& schedule) override {
        for (const RunNo no : pass_.tables_.unfinished_of(schedule)) {
            model::Run run = *pass_.tables_.run(no);
            run.cancel_requested = true;
            run.request_reason = "canceled by the next tick of its schedule";
            if (run.status != RunStatus::Running) run.wake_at = pass_.now_;
            if (run.status == RunStatus::Paused) run.status = RunStatus::Queued;
            run.turn.reset();
            run.updated_at = pass_.now_;
            pass_.tables_.put_run(run);
            pass_.woken_.push_back({no, run.signals, "", "", true});
            pass_.cancel_children(no);
        }
    }
    SubmitOutcome start(const model::NewRun& run) override { return pass_.submit(run, false, ""); }

private:
    BatchPass& pass_;
};

void BatchPass::apply(Tick& verb) {
    verb.done = false;
    verb.started.clear();
    const auto found = tables_.schedules().find(verb.schedule);
    if (found == tables_.schedules().end() || found->second.version != verb.version) return;
    model::StoredSchedule row = found->second;
    TickTables port{*this};
    if (fire(verb, row, port, now_)) tables_.put_schedule(row);
}

}  // namespace belay::store::memory
