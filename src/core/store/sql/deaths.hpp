// deaths.hpp — workers that died with runs in their hands, for every store that speaks SQL.
//
// NoteDeath says what a black box says; a claim notes who took the run since. Whichever comes first makes the row.
#pragma once

#include <string_view>
#include <vector>

#include "core/base/limits.hpp"
#include "core/model/death.hpp"
#include "core/store/sql/writer.hpp"

namespace belay::store {

template <class Db>
void SqlWriter<Db>::apply(NoteDeath& verb) {
    flush();
    verb.charged.clear();
    lock_charged(verb);
    auto&& db = self().db();
    const std::string_view reason = model::to_string(verb.reason);
    Statement{db, Db::explain_deaths}.run(verb.worker, verb.last_seen, reason);
    Statement{db, Db::note_death}.run(verb.worker, verb.last_seen, reason);
    Statement charge{db, Db::charge_death};
    Statement charge_run{db, Db::charge_run};
    for (const NoteDeath::Executing& one : verb.executing) {
        const int changed = charge.run(one.lease.run.value, one.lease.epoch, verb.worker,
                                       verb.last_seen, one.stage, reason);
        if (changed == 0) continue;
        charge_run.run(one.lease.run.value);
        verb.charged.push_back(one.lease.run);
    }
    Statement{db, Db::clear_held_out}.run(verb.worker, std::int64_t{base::kSuspectCharges});
}

}  // namespace belay::store
