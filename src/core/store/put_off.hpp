// put_off.hpp — whether a run whose start hook failed is failed, or due again a little later.
#pragma once

#include <belay/error.hpp>

#include "core/store/body_failure.hpp"

namespace belay::store {

// The store failed it, or its time was over, which a machine that stood still does to the best of them. How often that is
// borne, whoever gives the hook says: in the end it throws something else (engine/patient_hook.hpp).
inline bool is_put_off(const BodyFailure& failure) {
    return failure.of_store || failure_of(failure.error).code == to_string(ErrorCode::Overloaded);
}

}  // namespace belay::store
