// targets.hpp — every parser of ours that reads what a stranger wrote, as a function of bytes.
//
// A target throws nothing for input that is merely wrong: it catches what the parser documents. Anything
// else, a crash, or an answer that contradicts itself (checked with FUZZ_CHECK) is a finding. `make fuzz`
// drives them with libFuzzer; fuzz_test.cpp gives each a short run in every `make test`. What to begin from, and
// every input that ever was a finding, is in corpus/NAME, a file each.
#pragma once

#include <string_view>
#include <vector>

namespace belay::fuzz {

struct Target {
    std::string_view name;
    void (*run)(std::string_view bytes);
};

std::vector<Target> value_targets();   // times, schedules, JSON, histories
std::vector<Target> server_targets();  // what arrives over HTTP, and from belay-media
std::vector<Target> web_targets();     // addresses, pages, queries
std::vector<Target> paper_targets();   // receipts, invoices, statements

// All of them.
std::vector<Target> all_targets();

// Ends the process, as a crash would, with the condition that does not hold.
[[noreturn]] void finding(const char* condition, const char* file, int line);

#define FUZZ_CHECK(condition) \
    ((condition) ? static_cast<void>(0) : ::belay::fuzz::finding(#condition, __FILE__, __LINE__))

}  // namespace belay::fuzz
