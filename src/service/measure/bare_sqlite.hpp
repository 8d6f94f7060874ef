// bare_sqlite.hpp — the baseline: the same rows, by SQLite alone.
//
// Prepared inserts into Belay's own tables, with its durability (WAL, synchronous=FULL), from one thread,
// with nothing in between. Nobody who writes these rows to SQLite can do it with less.
#pragma once

#include <filesystem>

namespace belay::measure {

struct BareResult {
    double seconds = 0;
    int rows = 0;
    int commits = 0;
};

// The rows that `runs` runs of `steps` steps leave, `rows_per_commit` rows a transaction, in the order in
// which `in_flight` runs at a time would write them.
BareResult bare_batched_inserts(const std::filesystem::path& file, int runs, int steps,
                                int in_flight, int rows_per_commit);

// One run's stage rows, one commit each.
BareResult bare_single_commits(const std::filesystem::path& file, int steps);

}  // namespace belay::measure
