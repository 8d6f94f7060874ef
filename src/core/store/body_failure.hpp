// body_failure.hpp — how a body failed, and what its verb is told.
//
// A body's own failure (bad SQL, a throw) is its run's business. A failure of the store that the body only
// met is not: its verb is Lost, as if the commit had failed for it alone.
#pragma once

#include <exception>
#include <optional>

#include "core/store/batch.hpp"
#include "core/store/control_answer.hpp"
#include "core/store/failure_of.hpp"

namespace belay::store {

struct BodyFailure {
    std::exception_ptr error{};
    bool of_store = false;  // a full disk, an I/O error, no memory
};

using BodyResult = std::optional<BodyFailure>;  // nothing: it succeeded

inline Lost lost_by(const BodyFailure& failure) { return Lost{failure_of(failure.error).message}; }

// As the outcome of a Record, an End or a Submit.
template <class Outcome>
Outcome outcome_of(const BodyFailure& failure) {
    if (failure.of_store) return lost_by(failure);
    return BodyFailed{failure.error};
}

// As the answer to a control.
inline void hook_failed(Control& verb, const BodyFailure& failure) {
    refuse(verb, failure_of(failure.error).message);
    if (failure.of_store) verb.lost = lost_by(failure);
}

}  // namespace belay::store
