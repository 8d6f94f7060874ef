// writer_prune.cpp — runs that go, as store/sql_prune.hpp has it; here also the numbers that they leave free.
#include "store/sql_prune.hpp"
#include "store/sqlite/writer.hpp"

namespace belay::store::sqlite {

void Writer::put_cached(const Record& verb) { SqlPrune::put_cached(*this, verb); }

void Writer::apply(NoteSaved& verb) {
    if (held(verb.lease) == nullptr) {
        verb.outcome = Fenced{};
        return;
    }
    statements_.note_saved.run(verb.lease.run.value, verb.saved);
    verb.outcome = Applied{};
}

std::optional<SubmitOutcome> Writer::tombstone_of(const model::NewRun& run, bool retry_failed) {
    if (!has_tombstones_) {
        Rows row{statements_.has_tombstones};
        row.next();
        has_tombstones_ = row->integer(0) != 0;
    }
    if (!*has_tombstones_) return std::nullopt;
    return SqlPrune::tombstone_of(*this, run, retry_failed);
}

// Nothing: the database gives the next one, which is above all that there are.
std::optional<std::int64_t> Writer::next_run_no() {
    if (!number_may_be_free_) return std::nullopt;
    Rows row{statements_.run_floor};
    if (!row.next()) {
        number_may_be_free_ = false;
        return std::nullopt;
    }
    return row->integer(0) + 1;
}

void Writer::note_deleted(RunNo run) {
    has_tombstones_ = true;
    statements_.set_last_deleted.run(run.value);
    number_may_be_free_ = true;
}

void Writer::apply(Prune& verb) { SqlPrune::apply(*this, verb); }

}  // namespace belay::store::sqlite
