// main.cpp — runs one job of belay-media over files, many at once: to look, to measure, to throw things at it.
//
//   media_job HELPER JOB JSON WIDTH FILE…      one line per file: milliseconds, file, answer or failure
#include <atomic>
#include <chrono>
#include <cstdio>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include <fmt/format.h>

#include "ingestion/isolate/pool.hpp"

int main(int argc, char** argv) {
    using namespace belay::isolate;
    using std::chrono::steady_clock;
    if (argc < 6) {
        std::fprintf(stderr, "usage: media_job HELPER JOB JSON WIDTH FILE…\n");
        return 2;
    }
    const int width = std::atoi(argv[4]);
    PoolOptions options;
    options.program = argv[1];
    options.jobs_at_once = width;
    if (const char* folder = std::getenv("BELAY_CLASSIFIER"))
        options.environment = {{"BELAY_CLASSIFIER", folder}};
    if (std::getenv("BELAY_JOB_STDERR")) options.environment.emplace_back("BELAY_JOB_STDERR", "1");
    Pool pool{options};
    const auto ms_since = [](steady_clock::time_point start) {
        return std::chrono::duration<double, std::milli>(steady_clock::now() - start).count();
    };
    try {
        const auto start = steady_clock::now();
        const auto info = pool.start();
        fmt::print("helper ready in {:.0f} ms: {}\n", ms_since(start), info.sandbox);
        for (const auto& [job, why] : info.unavailable)
            fmt::print("unavailable: {}: {}\n", job, why);
    } catch (const JobFailed& failure) {
        fmt::print("{}: {}\n", to_string(failure.code()), failure.what());
        return 1;
    }
    std::atomic<int> next = 5;
    std::mutex printing;
    std::vector<std::jthread> callers;
    for (int t = 0; t < width; ++t) {
        callers.emplace_back([&] {
            for (int i = next++; i < argc; i = next++) {
                const auto start = steady_clock::now();
                std::string said;
                try {
                    Job job{argv[2], argv[3], {}, {}};
                    job.inputs.push_back(Blob::open(argv[i]));
                    const auto answer = pool.run(job);
                    said = answer.json;
                    for (const auto& blob : answer.blobs)
                        said += fmt::format(" +{} bytes", blob.size());
                } catch (const JobFailed& failure) {
                    said = fmt::format("{} {}: {}", to_string(failure.code()),
                                       failure.reject_code(), failure.what());
                } catch (const std::exception& error) {
                    said = error.what();
                }
                const std::lock_guard lock{printing};
                fmt::print("{:7.1f}  {}  {}\n", ms_since(start), argv[i], said);
            }
        });
    }
    callers.clear();
    fmt::print("helpers started: {}\n", pool.starts());
    return 0;
}
