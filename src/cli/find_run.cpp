#include "cli/find_run.hpp"

#include <fmt/format.h>

#include <belay/error.hpp>

namespace belay::cli {

namespace {

constexpr std::string_view kCut = "…";

// Shorter beginnings are typing errors more often than names.
constexpr std::size_t kBeginningCharsMin = 4;

// The runs whose ids begin so, two at most: more do not matter to anyone.
std::vector<model::Run> two_that_begin_with(store::Store& store, const std::string& beginning) {
    std::vector<model::Run> found;
    store::RunFilter filter;
    filter.text = beginning;  // which may stand elsewhere in the id, or in the workflow's name
    filter.limit = 1000;
    do {
        store::RunPage page = store.list_runs(filter);
        for (model::Run& run : page.runs) {
            if (run.id.starts_with(beginning)) found.push_back(std::move(run));
            if (found.size() == 2) return found;
        }
        filter.before = page.next;
    } while (filter.before);
    return found;
}

}  // namespace

model::Run find_run(store::Store& store, const std::string& typed) {
    if (auto run = store.find_run(typed)) return *std::move(run);
    std::string beginning = typed;
    if (beginning.ends_with(kCut)) beginning.resize(beginning.size() - kCut.size());
    std::vector<model::Run> found;
    if (!beginning.empty()) found = two_that_begin_with(store, beginning);
    if (!found.empty() && beginning.size() < kBeginningCharsMin) {
        throw Error(ErrorCode::NotFound,
                    fmt::format("`{}` is too short to say which run, such as {}: give at least {} "
                                "characters of the id",
                                beginning, found[0].id, kBeginningCharsMin));
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
