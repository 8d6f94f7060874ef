// check_end.hpp — what must hold of the disk when nothing can run any more.
#pragma once

#include <set>
#include <string>
#include <utility>
#include <vector>

#include <belay/time.hpp>

#include "core/store/memory/memory_store.hpp"
#include "simulation/simulate.hpp"

namespace belay::test {

// What happened on the way, as far as the end depends on it.
struct Past {
    const std::set<std::string>& accepted;  // submitted, and the submitter was told so
    const std::set<std::string>& canceled;
    const std::set<std::string>& forks;  // runs that began with what another had done
    const std::set<std::string>& gone;   // were deleted by their retention; some were made anew
    Time now{};
    const std::set<std::string>& left;  // somebody wanted what they did left as it is
    const std::set<std::pair<std::string, std::string>>& taken;  // by run and step
    bool froze = false;  // a process that had lost its runs may have taken something afterwards
};

// Adds what is broken, and what was reached, to the verdict.
void check_the_end(store::MemoryStore& disk, const Past& past, Verdict& verdict);

// The same of a run that has just ended, before its retention comes to it: what it took is given back if it ended badly, by a
// plan that was there before, the newest first.
void check_undo(store::MemoryStore& disk, const model::Run& run, const Past& past,
                Verdict& verdict);

std::vector<model::Run> all_runs(store::MemoryStore& disk);

}  // namespace belay::test
