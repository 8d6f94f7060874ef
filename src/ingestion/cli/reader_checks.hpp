// reader_checks.hpp — what `belay doctor` says of the programs and models that read pages, and of the watched folder.
#pragma once

#include <string>
#include <vector>

#include "service/cli/doctor.hpp"
#include "service/cli/place.hpp"

namespace belay::cli {

// Starts belay-media as a server here would, for its two readers, and ends it again. `program` as in
// isolate::PoolOptions.
std::vector<Check> check_readers(const Environment& environment, const std::string& program = {});

// Which models are asked for paper, in which order; nothing if none is.
std::vector<Check> check_models(const Environment& environment);

// Whether the folder that BELAY_WATCH names can be watched; nothing if none is named.
std::vector<Check> check_watch(const Environment& environment);

}  // namespace belay::cli
