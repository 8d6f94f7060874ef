// bench.hpp — how fast Belay is here, beside what the disk and SQLite can do in the same run.
//
// A figure without its baseline belongs to a machine; a ratio to the code. Every work measures both, in
// alternation, on the same disk, and prints the ratio.
//   W1  runs of 10 steps, 1,000 in flight       against bare batched inserts of the same rows
//   W2  one run of 1,000 steps, one by one      against one fsync'ed insert a step
//   W3  a chord of 100 and one of 100,000       what a branch costs in each: flat
//   W4  100,000 sleeping runs                   memory each, parked and not; recovery after SIGKILL
#pragma once

#include <cstdint>
#include <filesystem>
#include <ostream>
#include <string>

namespace belay::measure {

struct BenchOptions {
    std::filesystem::path folder;  // where to put the databases: the disk that is measured
    int runs = 0;                  // 0: the work's own number
    int in_flight = 1000;          // W1
    int rounds = 3;                // each measures Belay and the baseline; the median counts
    std::string store{};           // W1: a PostgreSQL server to measure instead, postgres://…
    int workers = 1;               // W1 on PostgreSQL: engines at a time
    std::int64_t finished =
        0;              // W1 on PostgreSQL: finished runs that are in the table when it begins
    bool json = false;  // one object on one line
};

// Throws Error{InvalidArgument} for a work that is none of the above.
void run_bench(const std::string& work, const BenchOptions& options, std::ostream& out);

}  // namespace belay::measure
