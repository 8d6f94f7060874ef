// describe.hpp — what a commit did, in one line for a trace.
#pragma once

#include <string>

#include "core/store/batch.hpp"

namespace belay::test {

std::string describe(const store::Batch& batch);

}  // namespace belay::test
