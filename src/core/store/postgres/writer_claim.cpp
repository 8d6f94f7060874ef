// writer_claim.cpp — who runs what next.
//
// A worker that has not beaten for a lease is gone, and so is one that has stopped: whoever locks its row may take
// its runs. Every search here is a range of a partial index per workflow, so a claim costs what it takes, however
// many runs are finished, asleep, held by this worker, or of workflows that it does not know; rows that another
// worker is claiming at the moment are skipped, never waited for.
#include <algorithm>
#include <limits>

#include <belay/codec.hpp>
#include <belay/error.hpp>

#include "core/base/limits.hpp"
#include "core/store/failure_of.hpp"
#include "core/store/postgres/versions.hpp"
#include "core/store/postgres/writer.hpp"

namespace belay::store::postgres {

namespace {

using base::kSuspectCharges;
static_assert(kSuspectCharges == 2, "list_due.sql, list_suspects.sql and their index say 2");

std::vector<RunNo> numbers_of(const auto& candidates) {
    std::vector<RunNo> out;
    for (const auto& candidate : candidates) out.push_back(candidate.run);
    return out;
}

}  // namespace

void Writer::apply(Claim& verb) {
    flush();
    verb.outcome = {};
    announce(verb);
    into_line_left_ = base::kIntoLineMax;
    taken_.clear();
    picked_up_.clear();
    int suspects_left = verb.suspects_max;
    lock_dead_workers(verb);
    if (room_of(verb) > 0) claim_orphans(verb, suspects_left);
    // Again and again, because a hook that fails makes room for the next.
    while (room_of(verb) > 0) {
        const auto due = find_due(verb, suspects_left);
        if (due.empty()) break;
        claim_due(verb, due, suspects_left);
    }
    look_ahead(verb);
}

// Of the workers that hold runs, those that are gone and that nobody else is burying at this moment.
void Writer::lock_dead_workers(const Claim& verb) {
    dead_workers_.clear();
    const bool judges = !judges_from_ || Steady::now() >= *judges_from_;
    std::vector<std::string> gone;
    {
        Rows row{statements_.list_workers, verb.worker, options_.lease_for.count(),
                 std::int64_t{judges ? 1 : 0}};
        while (row.next()) gone.emplace_back(row.text(0));
    }
    if (gone.empty()) return;
    std::sort(gone.begin(), gone.end());
    TextArray names;
    for (const std::string& name : gone) names.add(std::string_view(name));
    Parameters parameters;
    names.give(parameters);
    statements_.bury_workers.send(parameters);
    statements_.lock_dead_workers.send(parameters);
    Rows row{connection_.finish().back()};
    while (row.next()) dead_workers_.emplace_back(row.text(0));
}

std::vector<Writer::Candidate> Writer::find_orphans(const Claim& verb) {
    constexpr std::int64_t kInnocent = kSuspectCharges - 1;
    constexpr std::int64_t kMany = std::numeric_limits<std::int64_t>::max();
    const auto max = std::int64_t{verb.charges_max};
    const auto limit = static_cast<std::int64_t>(room_of(verb));

    std::vector<Candidate> found;
    const auto list = [&](const std::string& key, const std::string& worker, std::int64_t from,
                          std::int64_t to, std::int64_t count) {
        Parameters parameters;
        parameters.add(key);
        parameters.add(worker);
        parameters.add(from);
        parameters.add(to);
        parameters.add(count);
        add_versions(parameters, verb.versions);
        statements_.list_orphans.send(parameters);
        return Rows{connection_.finish().back()};
    };
    const auto collect = [&](const std::string& key, const std::string& worker, std::int64_t from,
                             std::int64_t to, std::int64_t count) {
        if (count <= 0 || from > to) return;
        Rows rows = list(key, worker, from, to, count);
        while (rows.next()) found.push_back({RunNo{rows.integer(0)}, Time{}, rows.integer(1)});
    };
    // The least number of charges, from there on, that a suspect of that worker has.
    const auto least = [&](const std::string& key, const std::string& worker,
                           std::int64_t from) -> std::optional<std::int64_t> {
        if (verb.suspects_max <= 0 || from >= max) return std::nullopt;
        Rows rows = list(key, worker, from, max - 1, std::int64_t{1});
        return rows.next() ? std::optional(rows.integer(1)) : std::nullopt;
    };
    for (const std::string& key : verb.workflow_keys) {
        for (const std::string& worker : dead_workers_) {
            // One number of charges after the other: the oldest of each, of which the oldest are taken.
            for (std::int64_t charges = 0; charges <= std::min(kInnocent, max - 1); ++charges)
                collect(key, worker, charges, charges, limit);
            for (auto from = least(key, worker, kInnocent + 1); from;
                 from = least(key, worker, *from + 1)) {
                collect(key, worker, *from, *from, verb.suspects_max);
            }
            collect(key, worker, max, kMany, kMany);  // to be paused, which takes no room
        }
    }
    std::sort(found.begin(), found.end(),
              [](const Candidate& a, const Candidate& b) { return a.run < b.run; });
    return found;
}

// Of those that are charged too often, who is not to be canceled.
std::set<RunNo> Writer::crash_loops_of(const std::vector<Candidate>& orphans,
                                       std::int64_t charges_max) {
    std::vector<RunNo> often;
    for (const Candidate& orphan : orphans) {
        if (orphan.charges >= charges_max) often.push_back(orphan.run);
    }
    std::set<RunNo> loops;
    if (often.empty()) return loops;
    for (const model::Run& run : find_runs(often)) {
        if (is_crash_loop(run, charges_max)) loops.insert(run.no);
    }
    return loops;
}

void Writer::claim_orphans(Claim& verb, int& suspects_left) {
    if (dead_workers_.empty()) return;
    std::vector<Candidate> chosen;
    std::size_t taken = 0;
    const std::vector<Candidate> orphans = find_orphans(verb);
    const std::set<RunNo> looping = crash_loops_of(orphans, verb.charges_max);
    for (const Candidate& orphan : orphans) {
        const bool loops = looping.contains(orphan.run);
        const bool suspect = orphan.charges >= kSuspectCharges;
        if (taken >= room_of(verb)) break;
        if (!loops && suspect && suspects_left-- <= 0) continue;
        if (!loops) ++taken;
        chosen.push_back(orphan);
    }
    if (chosen.empty()) return;
    mark_workers(dead_workers_);
    // Someone may be asking them to stop at this moment: locked, and read then.
    IntegerArray ids;
    for (const Candidate& orphan : chosen) ids.add(orphan.run.value);
    Parameters parameters;
    ids.give(parameters);
    TextArray{}.give(parameters);
    IntegerArray{}.give(parameters);
    statements_.lock_runs.send(parameters);
    for (model::Run& run : find_runs(numbers_of(chosen))) {
        const bool loops = is_crash_loop(run, verb.charges_max);
        if (!run.queue.empty()) write_taken(verb);  // what was taken is counted
        // Asked to stop at this moment: it was chosen as one that takes no room.
        if (!loops && looping.contains(run.no)) continue;
        if (!loops && put_back_in_line(verb, run)) continue;
        if (loops) {
            stop(run, RunStatus::Paused, crash_loop(run));
            verb.outcome.ended.push_back(std::move(run));
            continue;
        }
        note_pick_up(verb, run);
        run.recoveries += 1;
        take(verb, std::move(run));
    }
    write_taken(verb);
    write_pick_ups(verb);
}

void Writer::note_pick_up(const Claim&, const model::Run& orphan) {
    picked_up_.push_back({orphan.no, orphan.epoch, orphan.worker, orphan.updated_at});
}

void Writer::write_pick_ups(const Claim& verb) {
    if (picked_up_.empty()) return;
    IntegerArray runs;
    IntegerArray epochs;
    TextArray workers;
    IntegerArray last_seen;
    for (const PickedUp& one : picked_up_) {
        runs.add(one.run.value);
        epochs.add(one.epoch);
        workers.add(std::string_view(one.worker));
        last_seen.add(one.last_seen.time_since_epoch().count());
    }
    Parameters parameters;
    runs.give(parameters);
    epochs.give(parameters);
    workers.give(parameters);
    last_seen.give(parameters);
    parameters.add(verb.worker);
    parameters.add(now_);
    statements_.note_pick_ups.send(parameters);
    connection_.finish();
    picked_up_.clear();
}

// In the order of their numbers, as everyone does.
void Writer::lock_charged(const NoteDeath& verb) {
    if (verb.executing.empty()) return;
    IntegerArray ids;
    for (const NoteDeath::Executing& one : verb.executing) ids.add(one.lease.run.value);
    Parameters parameters;
    ids.give(parameters);
    TextArray{}.give(parameters);
    IntegerArray{}.give(parameters);
    statements_.lock_runs.send(parameters);
    connection_.finish();
}

// Those that have a queue come into line; one that is only to be canceled needs none.
Writer::Candidates Writer::find_without_queue(Claim& verb, int suspects_left) {
    if (verb.workflow_keys.empty()) return {};
    const auto limit = static_cast<std::int64_t>(room_of(verb));
    TextArray keys;
    for (const std::string& key : verb.workflow_keys) keys.add(std::string_view(key));
    Candidates found;
    std::vector<RunNo> to_line;
    const auto collect = [&](Statement& statement, std::int64_t count) {
        if (count <= 0) return;
        Parameters parameters;
        keys.give(parameters);
        parameters.add(now_);
        parameters.add(count);
        add_versions(parameters, verb.versions);
        statement.send(parameters);
        Rows rows{connection_.finish().back()};
        while (rows.next()) {
            const Candidate due{RunNo{rows.integer(0)}, rows.time(1), rows.integer(2)};
            if (rows.is_null(3) || rows.integer(4) != 0) {
                found.push_back(due);
            } else if (into_line_left_ > 0) {
                --into_line_left_;
                to_line.push_back(due.run);
            } else {
                verb.outcome.next_due = now_;  // the others at once, in a commit of their own
            }
        }
    };
    // Those that come into line take no room: what they left is asked for again.
    while (true) {
        found.clear();
        to_line.clear();
        collect(statements_.list_due, limit);
        collect(statements_.list_suspects, std::min<std::int64_t>(limit, suspects_left));
        for (const model::Run& run : find_runs(to_line)) into_line(run);
        if (to_line.empty() || into_line_left_ == 0) break;
    }
    std::sort(found.begin(), found.end(), [](const Candidate& a, const Candidate& b) {
        return std::pair(a.due, a.run) < std::pair(b.due, b.run);
    });
    // Of several workflows the suspects may be more than are allowed together.
    int suspects = 0;
    std::erase_if(found, [&](const Candidate& candidate) {
        return candidate.charges >= kSuspectCharges && suspects++ >= suspects_left;
    });
    if (found.size() > static_cast<std::size_t>(limit))
        found.resize(static_cast<std::size_t>(limit));
    return found;
}

void Writer::claim_due(Claim& verb, const std::vector<Candidate>& due, int& suspects_left) {
    for (const Candidate& candidate : due) {
        if (candidate.charges >= kSuspectCharges) --suspects_left;
    }
    for (model::Run& run : find_runs(numbers_of(due))) start(verb, std::move(run));
    write_taken(verb);
}

void Writer::write_taken(const Claim& verb) {
    if (taken_.empty()) return;
    IntegerArray runs;
    IntegerArray recoveries;
    for (const auto& [run, count] : taken_) {
        runs.add(run.value);
        recoveries.add(count);
    }
    Parameters parameters;
    runs.give(parameters);
    recoveries.give(parameters);
    parameters.add(verb.worker);
    parameters.add(now_);
    statements_.claim_runs.send(parameters);
    connection_.finish();
    taken_.clear();
}

// What is left for later, so that the engine knows when to come back.
void Writer::look_ahead(Claim& verb) {
    const std::size_t each = 2 + dead_workers_.size();
    for (const std::string& key : verb.workflow_keys) {
        Parameters later;
        later.add(key);
        later.add(now_);
        Parameters parameters = later;
        add_versions(parameters, verb.versions);
        statements_.any_due.send(parameters);
        statements_.next_due.send(later);
        for (const std::string& worker : dead_workers_) {
            Parameters of_worker;
            of_worker.add(worker);
            of_worker.add(key);
            add_versions(of_worker, verb.versions);
            statements_.any_orphan.send(of_worker);
        }
    }
    if (verb.workflow_keys.empty()) return;
    const auto results = connection_.finish();
    const std::size_t before = results.size() - each * verb.workflow_keys.size();
    bool left_due = false;
    for (std::size_t i = 0; i < verb.workflow_keys.size(); ++i) {
        const Result* of_key = &results[before + i * each];
        left_due = left_due || of_key[0].integer(0, 0) != 0;
        for (std::size_t w = 0; w < dead_workers_.size(); ++w) {
            verb.outcome.more_due = verb.outcome.more_due || of_key[2 + w].integer(0, 0) != 0;
        }
        if (of_key[1].rows() == 0) continue;
        const Time next{Duration{of_key[1].integer(0, 0)}};
        if (!verb.outcome.next_due || next < *verb.outcome.next_due) verb.outcome.next_due = next;
    }
    verb.outcome.more_due = verb.outcome.more_due || left_due;
    // With room left, what is due is a suspect, or was in another's hand: the engine waits for room, so it
    // has to be told to look again.
    if (left_due && room_of(verb) > 0) told_.look_again_soon();
    look_along_lines(verb);
}

void Writer::announce(const Claim& verb) {
    if (announced_ == verb.worker) return;
    statements_.forget_known_workers.run();
    statements_.insert_worker.run(verb.worker, to_json(verb.workflow_keys), verb.versions.own,
                                  to_json(verb.versions.compatible), now_);
    announced_ = verb.worker;
}

void Writer::apply(MarkStalled& verb) {
    flush();
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
    flush();
    verb.outcome.clear();
    // Whatever is under way under this name, on any connection, is over before an epoch rises.
    statements_.lock_own_worker.run(verb.worker);
    mark_workers({verb.worker});
    learn_mark();
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
        const RunNo no{rows.integer(0)};
        if (!std::binary_search(except.begin(), except.end(), no)) held.push_back(no);
    }
    return held;
}

// Its leases are checked against this from now on.
void Writer::hold(const model::Run& run) {
    runs_.put(run.no,
              {.epoch = run.epoch,
               .recoveries = run.recoveries,
               .cancel_requested = run.cancel_requested,
               .pause_requested = run.pause_requested,
               .signals = run.signals,
               .is_awaited = run.is_awaited,
               .last_position = run.epoch == 1 ? std::optional(kNoStageYet) : std::nullopt});
}

}  // namespace belay::store::postgres
