// family.hpp — what the runs below a parent came to: their number, their cost, what their checkpoints saved.
//
// A child that has succeeded is one record of its parent; what it took to make is not in the parent's own stages.
#pragma once

#include <boost/json/object.hpp>

#include "core/model/cost.hpp"
#include "core/model/run.hpp"
#include "core/store/store.hpp"

namespace belay::store {

struct Family {
    std::int64_t runs = 0;
    Cost cost{};
    model::Saved saved{};  // by their own checkpoints
    // What those took and cost that succeeded, and whose parents below this one did: nobody makes them again.
    model::Saved done{};
};

// Its children and theirs. Reads the tables of a store that has them (the memory store has not, and gives nothing); blocks,
// and throws as Store::query does.
Family family_of(Store& store, model::RunNo parent);

// {"runs": 2, "cost": {…}, "saved": {…}}
boost::json::object family_json(const Family& family);

}  // namespace belay::store
