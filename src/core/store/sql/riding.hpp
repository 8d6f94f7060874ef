// riding.hpp — a verb and its rider in one savepoint, for every store that speaks SQL.
#pragma once

#include <cstddef>

#include "core/store/rider.hpp"
#include "core/store/sql/writer.hpp"

namespace belay::store {

template <class Db>
template <class Verb>
void SqlWriter<Db>::apply_with_rider(Verb& verb) {
    verb.rider.failed = nullptr;
    flush();
    const std::size_t woken_before = woken_->size();
    savepoint();
    self().apply(verb);
    flush();
    const BodyResult failed = ride(
        verb, [&](const TxBody& body) { return run_hook(body, BodyKey{.is_rider = true}); },
        [&](AnswerRequest answered) { apply(answered); });
    if (!failed) return release();
    undo_savepoint();
    // What the verb did is taken back, and so is what was known of the runs that it changed or woke.
    woken_->resize(woken_before);
    self().runs_.clear();
}

}  // namespace belay::store
