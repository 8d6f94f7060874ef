// sayings.hpp — what a run in memory has said of itself, and what it answers. Of a Resident; null for most.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>

#include <belay/detail/call.hpp>

#include "core/engine/resident.hpp"
#include "core/model/said.hpp"

namespace belay::engine {

struct Resident::Sayings {
    model::Said pending{};  // not yet given to the writer
    std::set<std::string, std::less<>> labels{};
    std::set<std::string, std::less<>> exposed{};
    struct Handler {
        std::string
            scope;  // the path of the scope whose code it is, with a dot; empty: the workflow's own
        belay::detail::Answerer answerer;
    };
    std::map<std::string, Handler, std::less<>> answers{};
};

}  // namespace belay::engine
