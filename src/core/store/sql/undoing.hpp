// undoing.hpp — a run that takes back what its steps did, for every store that speaks SQL.
#pragma once

#include "core/store/sql/writer.hpp"

namespace belay::store {

template <class Db>
void SqlWriter<Db>::apply(Undo& verb) {
    flush();
    verb.open.clear();
    verb.outcome = Fenced{};
    if (held(verb.lease) == nullptr) return;
    auto& statements = self().statements_;
    const RunNo run = verb.lease.run;
    verb.outcome = Applied{};
    switch (verb.what) {
        case UndoVerb::MayHappen:
            statements.may_be_undone.run(run.value);
            return;
        case UndoVerb::StopChildren:
            cancel_children(run, "");
            [[fallthrough]];
        case UndoVerb::LookForChildren: {
            Rows rows{statements.open_children, run.value};
            while (rows.next()) verb.open.emplace_back(rows->text(0));
            return;
        }
        case UndoVerb::Begin: {
            Statement& begin = statements.begin_undo;
            begin.bind(1, run.value);
            begin.bind(2, verb.lease.epoch);
            begin.bind(3, now_);
            begin.bind(4, verb.plan);
            if (begin.step_to_end() == 1) {
                if (auto* known = self().runs_.find(run)) known->cancel_requested = false;
            } else {
                verb.outcome = Refused{"nothing of it is to be undone, or it is being undone"};
            }
            return;
        }
    }
}

}  // namespace belay::store
