// sweep_content.hpp — SWEEP_CONTENT: texts that no document has any more are removed, once a day.
//
//   choose   the texts that were replaced more than a day ago and that no document has → marked
//   remove   their objects, then their marks
//
// A run like any other, so that it can be seen, and so that what a crash left half done is finished by the next.
#pragma once

#include <cstdint>
#include <string_view>

#include <boost/describe.hpp>

#include <belay/engine.hpp>

#include "ingestion/objects/store.hpp"

namespace belay::workflows {

inline constexpr std::string_view kSweepContent = "SWEEP_CONTENT";

struct SweepResult {
    std::int64_t removed = 0;
};
BOOST_DESCRIBE_STRUCT(SweepResult, (), (removed))

// The workflow and its schedule. Before Engine::start; `store` outlives the engine's work.
void define_content_sweep(Engine& engine, objects::Store& store);

}  // namespace belay::workflows
