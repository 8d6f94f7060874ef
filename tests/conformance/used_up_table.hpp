// used_up_table.hpp — how a test makes a store answer as if its disk were full, with SQL alone.
#pragma once

#include <string>

namespace belay::store {

// A script for the store of that name. It makes a table `used_up (id)` that has the row 9223372036854775807, and
// that answers a row whose id is NULL as a disk that is full.
std::string used_up_table(const std::string& store);

}  // namespace belay::store
