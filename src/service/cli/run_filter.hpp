// run_filter.hpp — which runs a command is about, as options: --status failed --workflow X --since 1h.
//
// `runs list` and every command that acts on many runs take the same options, so that what was listed is
// what is acted on.
#pragma once

#include <string>
#include <vector>

#include "core/store/store.hpp"

namespace CLI {
class App;
}

namespace belay::cli {

// As typed; empty: not given.
struct FilterOptions {
    std::string status{};
    std::string workflow{};
    std::string organization{};
    std::string text{};
    std::string since{};
    std::string until{};
    std::string ended_since{};
    std::string ended_until{};
    std::vector<std::string> labels{};
    bool stalled = false;
};

// `options` must live as long as the command.
void add_filter_options(CLI::App& command, FilterOptions& options);

// Durations are counted back from `now`. Throws Error{InvalidArgument} naming the option, what it was and
// what it could be.
store::RunFilter filter_of(const FilterOptions& options, Time now);

// Whether it leaves any run out.
bool is_narrowed(const store::RunFilter& filter);

// The options as they would be typed again, each with a space in front.
std::string as_typed(const FilterOptions& options);

// The runs in words, for a question or a dry run: "failed runs of INVOICE, created since
// 2026-11-15T19:00:00.000Z".
std::string in_words(const store::RunFilter& filter);

}  // namespace belay::cli
