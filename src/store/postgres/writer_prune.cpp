// writer_prune.cpp — runs that go, as store/sql_prune.hpp has it, while other workers write and prune too.
#include "store/postgres/writer.hpp"
#include "store/sql_prune.hpp"

namespace belay::store::postgres {

void Writer::put_cached(const Record& verb) { SqlPrune::put_cached(*this, verb); }

void Writer::apply(NoteSaved& verb) {
    flush();
    if (held(verb.lease) == nullptr) {
        verb.outcome = Fenced{};
        return;
    }
    statements_.note_saved.run(verb.lease.run.value, verb.saved);
    verb.outcome = Applied{};
}

std::optional<SubmitOutcome> Writer::tombstone_of(const model::NewRun& run, bool retry_failed) {
    return SqlPrune::tombstone_of(*this, run, retry_failed);
}

// Two workers that prune add to the same rows, one after the other.
void Writer::lock_ledger() {
    connection_.send("SELECT pg_advisory_xact_lock(hashtextextended('belay ledger ' || current_schema()::text, 0))");
}

void Writer::apply(Prune& verb) {
    flush();
    SqlPrune::apply(*this, verb);
}

}  // namespace belay::store::postgres
