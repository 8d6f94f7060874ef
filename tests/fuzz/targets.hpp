// targets.hpp — every parser of ours that reads what a stranger wrote, as a function of bytes.
//
// A target throws nothing for input that is merely wrong: it catches what the parser documents. Anything
// else, a crash, or an answer that contradicts itself (checked with FUZZ_CHECK) is a finding. `make fuzz`
// drives them with libFuzzer; fuzz_test.cpp gives each a short run in every `make test`.
#pragma once

#include <array>
#include <string_view>

namespace belay::fuzz {

struct Target {
    std::string_view name;
    void (*run)(std::string_view bytes);
    // What good input looks like, to begin from.
    std::string_view seeds;  // separated by a line of "===="
};

// All of them.
extern const std::array<Target, 15> kTargets;

// Ends the process, as a crash would, with the condition that does not hold.
[[noreturn]] void finding(const char* condition, const char* file, int line);

#define FUZZ_CHECK(condition) \
    ((condition) ? static_cast<void>(0) : ::belay::fuzz::finding(#condition, __FILE__, __LINE__))

}  // namespace belay::fuzz
