// cost.hpp — what the stages of a run cost together, and what their records saved.
#pragma once

#include <cstdint>
#include <vector>

#include <boost/json/object.hpp>

#include <belay/cost.hpp>
#include <belay/time.hpp>

#include "core/model/stage.hpp"

namespace belay::model {

// What the step recorded; nothing if it recorded none, or if the column holds what Belay did not write.
Cost cost_of(const Stage& stage);
Cost cost_of(const std::vector<Stage>& stages);

// The form of Codec<Cost>, as a value.
boost::json::object cost_json(const Cost& cost);

// What a run did not have to do again.
struct Saved {
    std::int64_t steps = 0;
    Duration time{0};  // that those steps took
    Cost cost{};

    friend bool operator==(const Saved&, const Saved&) = default;
};

// Each time the run was picked up again (after a crash, or by a retry), every step and transaction that had
// succeeded by then was answered from its record instead of being run and paid again.
Saved saved_by(const std::vector<Stage>& stages, const std::vector<Time>& picked_up_at);

// {"steps": 3, "time_ms": 5200, "cost": {…}}
boost::json::object saved_json(const Saved& saved);

}  // namespace belay::model
