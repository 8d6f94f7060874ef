// writer_certain.cpp — batches of which nothing has to be read before they are written.
//
// A batch of plain records, ends and submissions of runs that this worker has held since it knew its mark is sent whole,
// from BEGIN to COMMIT, in one round trip. What it takes for certain is part of it, and the server fails it where that is
// wrong: the mark is another or the lease has run out (somebody may have taken a run, P5), a stage had ended, a run is
// awaited by now, an id was used before (P3). Then nothing of it is there, nothing is taken for certain any more, and it
// is done again as every other batch is: locks, a look, then the writes.
#include <algorithm>
#include <string_view>
#include <unordered_set>

#include "store/postgres/writer.hpp"

namespace belay::store::postgres {

bool Writer::is_certain(const Batch& batch) const {
    if (worker_.empty() || runs_.mark().empty()) return false;
    std::unordered_set<std::int64_t> ended;
    std::unordered_set<std::string_view> ids;
    for (const Verb& verb : batch.verbs) {
        if (const auto* record = std::get_if<Record>(&verb)) {
            // After its end a run is not known any more.
            if (!is_certain(*record) || ended.contains(record->lease.run.value)) return false;
        } else if (const auto* end = std::get_if<End>(&verb)) {
            if (!is_certain(*end) || !ended.insert(end->lease.run.value).second) return false;
        } else if (const auto* submit = std::get_if<Submit>(&verb)) {
            if (!is_certain(*submit) || !ids.insert(submit->run.id).second) return false;
        } else {
            return false;
        }
    }
    return true;
}

bool Writer::is_certain(const Record& verb) const {
    const HeldRun* run = runs_.at_mark(verb.lease.run);
    return run != nullptr && run->epoch == verb.lease.epoch && !verb.body && !verb.skip_inside &&
           !verb.cache && verb.stage.status != StageStatus::Queued;
}

// That nobody awaits it is left to the server: whoever does says so in the run's row.
bool Writer::is_certain(const End& verb) const {
    const HeldRun* run = runs_.at_mark(verb.lease.run);
    const bool is_plain = verb.status == RunStatus::Succeeded || verb.status == RunStatus::Failed;
    return run != nullptr && run->epoch == verb.lease.epoch && is_plain && !verb.on_end &&
           !verb.on_request && !run->is_awaited && !run->may_have_children;
}

// Where ids come again and again, it is cheaper to look for them first.
bool Writer::is_certain(const Submit& verb) const {
    const bool may_be_worker = verb.claim_as.empty() || verb.claim_as == worker_;
    return !joins_lately_ && may_be_worker && !verb.on_start && verb.stages.empty() &&
           verb.run.dedupe_id.empty() && verb.run.queue.empty();
}

void Writer::begin_certain(const Batch& batch) {
    begin_anew();
    TextArray ids;
    for (const Verb& verb : batch.verbs) {
        if (const auto* record = std::get_if<Record>(&verb)) runs_.vouch(record->lease.run);
        if (const auto* end = std::get_if<End>(&verb)) runs_.vouch(end->lease.run);
        if (const auto* submit = std::get_if<Submit>(&verb))
            ids.add(std::string_view(submit->run.id));
    }
    connection_.send("BEGIN");
    Parameters parameters;
    parameters.add(worker_);
    parameters.add(runs_.mark());
    statements_.is_untouched.send(parameters);
    if (ids.empty()) return;
    Parameters used;
    ids.give(used);
    statements_.no_tombstones.send(used);
}

void Writer::learn_mark() {
    Rows row{statements_.mark_of_worker, worker_};
    runs_.learn_mark(row.next() ? row.text(0) : "");
}

// Not waited for.
void Writer::mark_workers(const std::vector<std::string>& names) {
    TextArray array;
    for (const std::string& name : names) array.add(std::string_view(name));
    Parameters parameters;
    array.give(parameters);
    statements_.mark_workers.send(parameters);
}

}  // namespace belay::store::postgres
