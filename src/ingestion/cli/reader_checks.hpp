// reader_checks.hpp — what `belay doctor` says of the programs and models that read pages.
#pragma once

#include <string>
#include <vector>

#include "service/cli/doctor.hpp"
#include "service/cli/place.hpp"

namespace belay::cli {

// Starts belay-media as a server here would, for its two readers, and ends it again. `program` as in
// isolate::PoolOptions.
std::vector<Check> check_readers(const Environment& environment, const std::string& program = {});

}  // namespace belay::cli
