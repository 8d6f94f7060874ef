// time_ordered_id.hpp — ids that sort by when they were made.
//
// A table keyed by random ids writes each row to another page (measured: ten times slower); keyed by
// these, new rows land side by side. The form is ULID's, in lower case.
#pragma once

#include <cstdint>
#include <string>

#include <belay/time.hpp>

namespace belay::base {

// 26 characters of Crockford's base 32 (no i, l, o, u): 48 bits of milliseconds since 1970, then 80
// random bits: the low 16 of `random_high` and all of `random_low`. Compared as text, a later
// millisecond is greater; within one millisecond the order is by the random bits. Times before 1970
// count as 1970.
std::string time_ordered_id(Time now, std::uint64_t random_high, std::uint64_t random_low);

}  // namespace belay::base
