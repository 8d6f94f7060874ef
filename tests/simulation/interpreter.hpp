// interpreter.hpp — the one workflow of the simulation: runs whatever program it is given.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>

#include <belay/belay.hpp>

#include "simulation/program.hpp"

namespace belay::test {

// What lies outside every process and survives them: how often each step of each run was tried.
struct Outside {
    std::map<std::pair<std::string, std::string>, int> tries{};  // by run and step

    // What each run has taken and not given back, by run and step.
    std::set<std::pair<std::string, std::string>> taken{};

    // Steps with a cache, by name: to see what becomes of their attempts.
    std::multimap<std::string, std::weak_ptr<belay::detail::Call>> cached{};

    enum class Death { None, Silent, Crash };
    // The code of a step executes for a while, and may die of it; throws if its process is dead then.
    std::function<void(const Attempt& attempt, Death death)> execute{};

    // A paid step is called.
    std::function<void(const Attempt& attempt)> pay{};

    // Of the simulation that runs on this thread.
    static thread_local Outside* here;
};

inline constexpr const char* kProgramWorkflow = "PROGRAM";

// The table that Save and Book write to: no key, so that a row that is written twice is there twice.
inline constexpr const char* kRowsTable = "CREATE TABLE rows (run TEXT, name TEXT, value INTEGER)";

Task<std::int64_t> run_program(Context& ctx, Program program);

}  // namespace belay::test
