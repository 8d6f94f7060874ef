#include "cli/find_run.hpp"

#include <fmt/format.h>

#include <belay/error.hpp>

namespace belay::cli {

namespace {

constexpr std::string_view kCut = "…";

// Shorter beginnings are typing errors more often than names.
constexpr std::size_t kBeginningCharsMin = 4;

}  // namespace

model::Run find_run(store::Store& store, const std::string& typed) {
    if (auto run = store.find_run(typed)) return *std::move(run);
    std::string beginning = typed;
    if (beginning.ends_with(kCut)) beginning.resize(beginning.size() - kCut.size());
    std::vector<model::Run> found;
    if (beginning.size() >= kBeginningCharsMin) {
        store::RunFilter filter;
        filter.text = beginning;
        for (model::Run& run : store.list_runs(filter).runs) {
            if (run.id.starts_with(beginning)) found.push_back(std::move(run));
        }
    }
    if (found.size() == 1) return std::move(found.front());
    if (found.size() > 1) {
        throw Error(ErrorCode::NotFound,
                    fmt::format("several runs begin with `{}`, such as {} and {}: give more of it",
                                beginning, found[0].id, found[1].id));
    }
    throw Error(ErrorCode::NotFound,
                fmt::format("there is no run `{}` in {}; `belay runs list` shows those there are",
                            typed, store.name()));
}

}  // namespace belay::cli
