// limits.hpp — how many connections one process takes of the server's, and for how long.
//
// A server's connections are few (100 by default) and shared by all workers: whoever plans max_connections adds these up
// (docs/postgres.md). Beside the readers an executing process has the writer's (one, and under load one more for half of
// a batch and one for numbers), the heart's, and one for news.
#pragma once

#include <cstddef>

#include <belay/time.hpp>

namespace belay::store::postgres {

// Belay's own reads are short: more of them at once than a server has cores to spare only wait for each other.
inline constexpr std::size_t kReadersMax = 4;

// SQL of programs may take seconds. It has connections of its own, so that nothing of Belay's waits for it.
inline constexpr std::size_t kQueriesMax = 3;

// A reader beyond the first that nobody needed for this long is closed.
inline constexpr Duration kReaderIdleFor = std::chrono::seconds{60};

}  // namespace belay::store::postgres
