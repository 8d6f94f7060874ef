// work.hpp — what the works share: the step they run, folders that clean up, the middle of some figures.
#pragma once

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include <belay/belay.hpp>

#include "service/measure/bench.hpp"

namespace belay::measure {

// What a trivial step returns: about 50 bytes of JSON.
struct Note {
    int number = 0;
    std::string text;
};
BOOST_DESCRIBE_STRUCT(Note, (), (number, text))

inline constexpr char kNoteText[] = "thirty characters of payload..";

// A folder for one measurement, removed at the end.
class Scratch {
public:
    explicit Scratch(const std::filesystem::path& parent, const std::string& name);
    ~Scratch();
    Scratch(const Scratch&) = delete;
    Scratch& operator=(const Scratch&) = delete;

    std::filesystem::path file() const { return folder_ / "bench.db"; }

private:
    std::filesystem::path folder_;
};

class Stopwatch {
public:
    double seconds() const {
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
    }

private:
    std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

double median(std::vector<double> values);

// Each prints its figures.
void run_w1(const BenchOptions& options, std::ostream& out);
void run_w1_postgres(const BenchOptions& options, std::ostream& out);
void run_w2(const BenchOptions& options, std::ostream& out);
void run_w3(const BenchOptions& options, std::ostream& out);
void run_w4(const BenchOptions& options, std::ostream& out);

}  // namespace belay::measure
