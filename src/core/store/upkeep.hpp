// upkeep.hpp — what a store does for itself beside the verbs, and what keeps it from that.
#pragma once

#include <string>

namespace belay::store {

// A store that has such work is also one of these.
class Upkeep {
public:
    virtual ~Upkeep() = default;

    // What holds it up now, and who, as a sentence; empty: nothing. Any thread.
    virtual std::string held_up() = 0;
};

}  // namespace belay::store
