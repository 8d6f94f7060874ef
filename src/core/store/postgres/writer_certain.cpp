// writer_certain.cpp — batches of which nothing has to be read before they are written.
//
// A batch of plain records, ends and submissions of runs that this worker has held since it knew its mark is sent whole,
// from BEGIN to COMMIT, in one round trip (certain_part.hpp); a large one in two halves over two connections, so that the
// server works on both at once. What is taken for certain is checked by the server: the mark is another or the lease has
// run out (somebody may have taken a run, P5), a stage had ended, a run is awaited by now, an id was used before (P3).
// Then nothing of that half is there, and it is done again as every other batch is: locks, a look, then the writes.
#include <algorithm>
#include <chrono>
#include <numeric>
#include <string_view>
#include <unordered_set>

#include <fmt/format.h>

#include <belay/error.hpp>

#include "core/store/postgres/failure.hpp"
#include "core/store/postgres/writer.hpp"

namespace belay::store::postgres {

namespace {

// A server that has no connection left is asked for a second one again after this.
constexpr std::chrono::seconds kBesideAgain{60};

// Of a shared batch, in which half it is.
bool is_second(const Verb& verb) {
    if (const auto* record = std::get_if<Record>(&verb))
        return SharedLanes::is_second(record->lease.run);
    const auto* end = std::get_if<End>(&verb);
    return end != nullptr && SharedLanes::is_second(end->lease.run);
}

}  // namespace

bool Writer::is_certain(const Batch& batch) const {
    if (worker_.empty() || runs_.mark().empty()) return false;
    std::unordered_set<std::int64_t> ended;
    std::unordered_set<std::string_view> ids;
    return std::all_of(batch.verbs.begin(), batch.verbs.end(), [&](const Verb& verb) {
        // After its end a run is not known any more.
        if (const auto* record = std::get_if<Record>(&verb))
            return is_certain(*record) && !ended.contains(record->lease.run.value);
        if (const auto* end = std::get_if<End>(&verb))
            return is_certain(*end) && ended.insert(end->lease.run.value).second;
        if (const auto* submit = std::get_if<Submit>(&verb))
            return is_certain(*submit) && ids.insert(submit->run.id).second;
        return false;
    });
}

bool Writer::is_certain(const Record& verb) const {
    const HeldRun* run = runs_.at_mark(verb.lease.run);
    return run != nullptr && run->epoch == verb.lease.epoch && !verb.body && !verb.skip_inside &&
           !verb.cache && verb.settles == Record::Settles::Nothing &&
           verb.stage.status != StageStatus::Queued;
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
    return !joins_lately_ && may_be_worker && !verb.on_start && !verb.rider &&
           verb.stages.empty() && verb.run.dedupe_id.empty() && verb.run.queue.empty();
}

std::vector<std::size_t> Writer::commit_certain(Batch& batch) {
    std::vector<std::size_t> left(batch.verbs.size());
    std::iota(left.begin(), left.end(), std::size_t{0});
    try {
        prepare(batch);
    } catch (const PgError& error) {
        if (error.connection_lost()) throw unavailable(options_.name, error);
        return left;  // the look meets it, too, and says what it is
    }
    begin_anew();
    if (!gather_certain(batch)) return left;
    note_gathered();
    const bool is_shared = batch.verbs.size() >= options_.share_from && has_beside();
    const std::vector<std::optional<PgError>> errors = write_certain(is_shared);
    // What is new is in the first half.
    if (errors[0] && !errors[0]->connection_lost()) {
        numbers_.rewind(0);
    } else {
        numbers_.settle();
    }
    const bool any_there = std::any_of(errors.begin(), errors.end(),
                                       [](const auto& error) { return !error.has_value(); });
    if (any_there) told_.tell(std::exchange(news_, {}));
    check_certain(errors);
    std::erase_if(left, [&](std::size_t i) {
        return !errors[is_shared && is_second(batch.verbs[i]) ? 1 : 0];
    });
    return left;
}

// What is in the lanes, in one half or two; why each of them is not there.
std::vector<std::optional<PgError>> Writer::write_certain(bool is_shared) {
    Lanes lanes = std::exchange(lanes_, {});
    CertainPart own{connection_, statements_};
    if (!is_shared) {
        own.send(lanes, worker_, runs_.mark(), now_);
        return {own.finish()};
    }
    const SharedLanes shared = share(std::move(lanes));
    CertainPart other{beside_->connection, beside_->statements};
    own.send(shared.first, worker_, runs_.mark(), now_);
    other.send(shared.second, worker_, runs_.mark(), now_);
    // One after the other: both are waited for, whatever comes of the first.
    std::vector<std::optional<PgError>> errors{own.finish()};
    errors.push_back(other.finish());
    return errors;
}

// Throws what a look would meet as well, and what nobody knows the outcome of.
void Writer::check_certain(const std::vector<std::optional<PgError>>& errors) {
    bool may_be_there = false;
    const PgError* failed = nullptr;
    for (const auto& error : errors) {
        may_be_there = may_be_there || !error || error->connection_lost();
        if (error) forget_known();
        if (error && !may_be_looked_at(*error)) failed = &*error;
    }
    if (failed == nullptr) return;
    const Error why = unavailable(options_.name, *failed);
    if (!may_be_there) throw why;
    throw Error(ErrorCode::CommitUnknown,
                fmt::format("{} may or may not have been committed, or in part: {}", options_.name,
                            why.what()));
}

// Into the lanes, by what is known; false if something has to be written before something else.
bool Writer::gather_certain(Batch& batch) {
    for (Verb& verb : batch.verbs) {
        if (auto* record = std::get_if<Record>(&verb)) {
            runs_.vouch(record->lease.run);
            if (!gather(*record, *runs_.find(record->lease.run))) return false;
        } else if (auto* end = std::get_if<End>(&verb)) {
            runs_.vouch(end->lease.run);
            const HeldRun run = *runs_.find(end->lease.run);
            gather(*end, run);
        } else {
            lanes_.submits.push_back(&std::get<Submit>(verb));
        }
    }
    return true;
}

void Writer::note_gathered() {
    for (Lanes::StageRow& row : lanes_.stages) {
        row.is_new = has_no_row(row.last->lease.run, row.last->stage);
        note_position(row.last->lease.run, row.last->stage);
        for (Record* before : row.before) note_record(*before);
        note_record(*row.last);
    }
    // Rows are locked in the order of their numbers by everyone.
    std::sort(lanes_.ends.begin(), lanes_.ends.end(),
              [](const auto& a, const auto& b) { return a.verb->lease.run < b.verb->lease.run; });
    make_runs(lanes_.submits);
    for (const Submit* submit : lanes_.submits)
        note_created(std::get<SubmitOutcome>(submit->outcome).run);
}

bool Writer::has_beside() {
    if (beside_ && !beside_->connection.lost()) return true;
    beside_.reset();
    if (beside_tried_at_ != Steady::time_point{} && Steady::now() < beside_tried_at_ + kBesideAgain)
        return false;
    beside_tried_at_ = Steady::now();
    try {
        beside_ = std::make_unique<Beside>(options_.connect);
    } catch (const PgError&) {
        // One connection does it, too.
    }
    return beside_ != nullptr;
}

}  // namespace belay::store::postgres
