// undoing.hpp — a run that takes back what its steps did (resident_undo.cpp), as far as it has got.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include <belay/detail/work.hpp>

#include "core/engine/resident.hpp"
#include "core/model/undo.hpp"

namespace belay::engine {

struct Resident::Undoing {
    // A step of which the code says how it is undone.
    struct Found {
        std::shared_ptr<Call> step;
        const model::Stage* record = nullptr;  // in the history
    };
    // Whether the attached children are over, which the store is asked until they are.
    enum class Children : std::uint8_t { Unknown, Asked, AskedAndSomethingCame, Open };

    model::UndoPlan plan;
    bool is_committed = false;
    std::map<std::string, Found> found;  // by path
    std::set<std::string> entered;       // scopes that the code was led into
    bool has_children = false;
    Children children = Children::Unknown;
    bool looks_again = false;  // in a while
    // Somebody paused it before there was a plan: a pause must not swallow the cancel that the plan settles.
    std::optional<std::string> pause{};  // and why
    std::size_t next = 0;                // in the plan: under way, or next
};

}  // namespace belay::engine
