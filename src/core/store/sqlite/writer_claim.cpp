// writer_claim.cpp — who runs what next.
//
// One process executes per database, and its workers have names of their own: a run that is running
// under another name is the run of a worker that is gone. Every search here is a range of a partial
// index per workflow, so a claim costs what it takes, however many runs are finished, asleep, held by
// this worker, or of workflows that it does not know.
#include <algorithm>
#include <limits>

#include <belay/codec.hpp>
#include <belay/error.hpp>

#include "core/base/limits.hpp"
#include "core/store/failure_of.hpp"
#include "core/store/sqlite/writer.hpp"

namespace belay::store::sqlite {

namespace {

using base::kSuspectCharges;

// The oldest first, and no more than anyone can take.
template <class Order>
void keep_first(auto& candidates, std::size_t count, Order order) {
    const auto last =
        candidates.begin() + static_cast<std::ptrdiff_t>(std::min(count, candidates.size()));
    std::partial_sort(candidates.begin(), last, candidates.end(), order);
    candidates.erase(last, candidates.end());
}

}  // namespace

void Writer::apply(Claim& verb) {
    verb.outcome = {};
    into_line_left_ = base::kIntoLineMax;
    announce(verb);
    int suspects_left = verb.suspects_max;
    if (room_of(verb) > 0) {
        for (const Candidate& orphan : find_orphans(verb)) {
            if (room_of(verb) > 0) claim_orphan(verb, orphan, suspects_left);
        }
    }
    // Again and again, because a hook that fails makes room for the next.
    while (room_of(verb) > 0) {
        const auto due = find_due(verb, suspects_left);
        if (due.empty()) break;
        for (const Candidate& candidate : due) claim_due(verb, candidate, suspects_left);
    }
    look_ahead(verb);
}

std::vector<Writer::Candidate> Writer::find_orphans(const Claim& verb) {
    constexpr std::int64_t kInnocent = kSuspectCharges - 1;
    constexpr std::int64_t kMany = std::numeric_limits<std::int64_t>::max();
    const auto max = std::int64_t{verb.charges_max};
    const auto limit = static_cast<std::int64_t>(room_of(verb));

    std::vector<Candidate> found;
    const auto collect = [&](const std::string& key, std::string_view worker, std::int64_t from,
                             std::int64_t to, std::int64_t count) {
        if (count <= 0 || from > to) return;
        // Those of versions that this worker does not take are read over, so the limit is not SQL's.
        const bool any = verb.versions.take_any();
        Rows rows{statements_.list_orphans, key, worker, from, to, any ? count : kMany};
        for (std::int64_t taken = 0; taken < count && rows.next();) {
            if (!any && !verb.versions.take(rows->text(2))) continue;
            found.push_back({RunNo{rows->integer(0)}, Time{}, rows->integer(1)});
            ++taken;
        }
    };
    // The least number of charges, from there on, that a suspect of that worker has.
    const auto least = [&](const std::string& key, std::string_view worker,
                           std::int64_t from) -> std::optional<std::int64_t> {
        if (verb.suspects_max <= 0 || from >= max) return std::nullopt;
        Rows rows{statements_.list_orphans, key, worker, from, max - 1, std::int64_t{1}};
        return rows.next() ? std::optional(rows->integer(1)) : std::nullopt;
    };
    for (const std::string& key : verb.workflow_keys) {
        auto worker = next_dead_worker(verb, key, "");
        for (; worker; worker = next_dead_worker(verb, key, *worker)) {
            // One number of charges after the other: the oldest of each, of which the oldest are taken.
            for (std::int64_t charges = 0; charges <= std::min(kInnocent, max - 1); ++charges)
                collect(key, *worker, charges, charges, limit);
            for (auto from = least(key, *worker, kInnocent + 1); from;
                 from = least(key, *worker, *from + 1)) {
                collect(key, *worker, *from, *from, verb.suspects_max);
            }
            collect(key, *worker, max, kMany, kMany);  // to be paused, which takes no room
        }
    }
    std::sort(found.begin(), found.end(),
              [](const Candidate& a, const Candidate& b) { return a.run < b.run; });
    return found;
}

std::optional<std::string> Writer::next_dead_worker(const Claim& verb,
                                                    const std::string& workflow_key,
                                                    std::string_view after) {
    std::string worker{after};
    while (true) {
        Rows row{statements_.next_worker, workflow_key, worker};
        if (!row.next()) return std::nullopt;
        std::string next{row->text(0)};
        if (next != verb.worker) return next;
        worker = std::move(next);
    }
}

// Those that have a queue come into line; one that is only to be canceled needs none.
Writer::Candidates Writer::find_without_queue(Claim& verb, int suspects_left) {
    Candidates found;
    std::vector<RunNo> to_line;
    const std::size_t limit = room_of(verb);
    for (const std::string& key : verb.workflow_keys) {
        std::size_t taken = 0;
        int suspects = 0;
        Rows rows{statements_.list_due, key, now_};
        while (taken < limit && rows.next()) {
            if (!verb.versions.take(rows->text(3))) continue;
            const Candidate due{RunNo{rows->integer(0)}, rows->time(1), rows->integer(2)};
            if (!rows->is_null(4) && rows->integer(5) == 0) {
                if (into_line_left_ == 0) {
                    verb.outcome.next_due = now_;  // the others at once, in a commit of their own
                    break;
                }
                --into_line_left_;
                to_line.push_back(due.run);
                continue;
            }
            if (due.charges >= kSuspectCharges && suspects++ >= suspects_left) continue;
            found.push_back(due);
            ++taken;
        }
    }
    for (const RunNo no : to_line) into_line(find_run(no).value());
    keep_first(found, limit, [](const Candidate& a, const Candidate& b) {
        return std::pair(a.due, a.run) < std::pair(b.due, b.run);
    });
    return found;
}

void Writer::claim_orphan(Claim& verb, const Candidate& orphan, int& suspects_left) {
    const bool suspect = orphan.charges >= kSuspectCharges;
    model::Run run = find_run(orphan.run).value();
    if (is_crash_loop(run, verb.charges_max)) {
        stop(run, RunStatus::Paused, crash_loop(run));
        verb.outcome.ended.push_back(std::move(run));
        return;
    }
    if (put_back_in_line(verb, run)) return;
    if (suspect && suspects_left-- <= 0) return;
    note_pick_up(verb, run);
    run.recoveries += 1;
    take(verb, std::move(run));
}

void Writer::claim_due(Claim& verb, const Candidate& due, int& suspects_left) {
    if (due.charges >= kSuspectCharges && suspects_left-- <= 0) return;
    start(verb, find_run(due.run).value());
}

// What is left for later, so that the engine knows when to come back.
void Writer::look_ahead(Claim& verb) {
    for (const std::string& key : verb.workflow_keys) {
        if (!verb.outcome.more_due) {
            verb.outcome.more_due = has_due(verb, key) || has_orphan(verb, key);
        }
        Rows later{statements_.next_due, key, now_};
        if (!later.next()) continue;
        if (!verb.outcome.next_due || later->time(0) < *verb.outcome.next_due) {
            verb.outcome.next_due = later->time(0);
        }
    }
    look_along_lines(verb);
}

bool Writer::has_due(const Claim& verb, const std::string& workflow_key) {
    Rows due{statements_.list_due, workflow_key, now_};
    while (due.next()) {
        if (verb.versions.take(due->text(3))) return true;
    }
    return false;
}

bool Writer::has_orphan(const Claim& verb, const std::string& workflow_key) {
    constexpr std::int64_t kMany = std::numeric_limits<std::int64_t>::max();
    auto worker = next_dead_worker(verb, workflow_key, "");
    for (; worker; worker = next_dead_worker(verb, workflow_key, *worker)) {
        if (verb.versions.take_any()) return true;
        Rows rows{statements_.list_orphans, workflow_key, *worker, std::int64_t{0}, kMany, kMany};
        while (rows.next()) {
            if (verb.versions.take(rows->text(2))) return true;
        }
    }
    return false;
}

// Once a session: one process executes, so the others' rows are of sessions before.
void Writer::announce(const Claim& verb) {
    if (announced_ == verb.worker) return;
    statements_.forget_workers.run(verb.worker);
    statements_.insert_worker.run(verb.worker, to_json(verb.workflow_keys), verb.versions.own,
                                  to_json(verb.versions.compatible), now_);
    announced_ = verb.worker;
}

void Writer::apply(MarkStalled& verb) {
    Statement& update = statements_.mark_stalled;
    update.bind(1, verb.run.value);
    if (verb.stall) {
        update.bind(2, to_string(verb.stall->reason));
        update.bind(3, verb.stall->sentence);
        update.bind(4, verb.stall->at);
    } else {
        for (int index = 2; index <= 4; ++index) update.bind(index, nullptr);
    }
    update.step_to_end();
}

void Writer::apply(Reclaim& verb) {
    verb.outcome.clear();
    for (const RunNo no : verb.all_others ? held_except(verb.worker, verb.runs) : verb.runs) {
        if (statements_.reclaim_run.run(no.value, verb.worker, now_) == 0) continue;
        model::Run run = find_run(no).value();
        hold(run);
        verb.outcome.push_back(std::move(run));
    }
}

std::vector<RunNo> Writer::held_except(const std::string& worker, std::vector<RunNo> except) {
    std::sort(except.begin(), except.end());
    std::vector<RunNo> held;
    Rows rows{statements_.list_held, worker};
    while (rows.next()) {
        const RunNo no{rows->integer(0)};
        if (!std::binary_search(except.begin(), except.end(), no)) held.push_back(no);
    }
    return held;
}

// Its leases are checked against this from now on.
void Writer::hold(const model::Run& run) {
    runs_.put(run.no, {.epoch = run.epoch,
                       .recoveries = run.recoveries,
                       .cancel_requested = run.cancel_requested,
                       .pause_requested = run.pause_requested,
                       .signals = run.signals,
                       .is_awaited = run.is_awaited,
                       .may_have_children = true,
                       .current_stage = {}});
}

}  // namespace belay::store::sqlite
