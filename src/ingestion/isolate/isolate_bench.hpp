// isolate_bench.hpp — what the tests of this room share: a pool on the test helper, and failures as values.
#pragma once

#include <cctype>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <belay/codec.hpp>

#include "ingestion/isolate/pool.hpp"

namespace belay::isolate {

inline PoolOptions with_test_helper(int jobs_at_once = 4) {
    PoolOptions options;
    options.program = BELAY_ISOLATE_HELPER;
    options.jobs_at_once = jobs_at_once;
    return options;
}

inline Job job_called(const std::string& name, const std::string& arguments = "null") {
    return {name, arguments, {}, {}};
}

// The JSON that a job answers.
inline std::string answer_of(Pool& pool, const std::string& name,
                             const std::string& arguments = "null") {
    return pool.run(job_called(name, arguments)).json;
}

// The failure of a job that must fail.
inline JobFailed failure_of(Pool& pool, const Job& job, std::stop_token stop = {}) {
    try {
        const auto answer = pool.run(job, std::move(stop));
        ADD_FAILURE() << job.name << " answered " << answer.json;
    } catch (const JobFailed& failure) {
        return failure;
    }
    return {FailureCode::Stopped, "it did not fail"};
}

inline JobFailed failure_of(Pool& pool, const std::string& name) {
    return failure_of(pool, job_called(name));
}

// The processes whose parent is `parent`, ended ones that nobody has collected included.
inline std::vector<int> children_of(int parent) {
    std::vector<int> found;
    for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
        const auto name = entry.path().filename().string();
        if (name.empty() || !std::isdigit(static_cast<unsigned char>(name[0]))) continue;
        std::ifstream file{entry.path() / "stat"};
        std::string stat;
        std::getline(file, stat);
        // "pid (name) state ppid …"; a name may hold anything, so look after the last bracket.
        const auto end = stat.rfind(')');
        if (end == std::string::npos || end + 4 >= stat.size()) continue;
        if (std::atoi(stat.c_str() + end + 4) == parent) found.push_back(std::atoi(name.c_str()));
    }
    return found;
}

}  // namespace belay::isolate
