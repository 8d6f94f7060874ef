#include "service/cli/find_run.hpp"

#include <fmt/format.h>

#include <belay/error.hpp>

#include "core/library/host.hpp"
#include "core/model/chosen_id.hpp"

namespace belay::cli {

namespace {

constexpr std::string_view kCut = "…";

// Shorter beginnings are typing errors more often than names.
constexpr std::size_t kBeginningCharsMin = 4;

// The runs whose ids begin so, two at most: more do not matter to anyone.
std::vector<std::string> two_that_begin_with(store::Store& store, const std::string& beginning) {
    std::vector<std::string> found;
    store::RunFilter filter;
    filter.text = beginning;  // which may stand elsewhere in the id, or in the workflow's name
    filter.limit = 1000;
    do {
        store::RunPage page = store.list_runs(filter);
        for (const model::Run& run : page.runs) {
            const auto called = model::called_id(run.organization_id, run.id);
            if (run.id.starts_with(beginning) || called.starts_with(beginning))
                found.push_back(run.id);
            if (found.size() == 2) return found;
        }
        filter.before = page.next;
    } while (filter.before);
    return found;
}

}  // namespace

std::string without_cut(const std::string& typed) {
    return typed.ends_with(kCut) ? typed.substr(0, typed.size() - kCut.size()) : typed;
}

std::string kept_run_id(store::Store& store, const std::string& organization_id,
                        const std::string& called) {
    return engine::id_from_outside(store, EngineOptions{}.organization_id, organization_id, called);
}

model::Run find_run(store::Store& store, const std::string& typed) {
    if (auto run = store.find_run(typed)) return *std::move(run);
    const std::string beginning = without_cut(typed);
    std::vector<std::string> found;
    if (!beginning.empty()) found = two_that_begin_with(store, beginning);
    const std::string where = fmt::format("`{}` in {}", typed, store.name());
    auto run = store.find_run(only_run_of(beginning, found, where));
    if (!run) throw Error(ErrorCode::NotFound, fmt::format("there is no run {} any more", where));
    return *std::move(run);
}

std::string only_run_of(const std::string& beginning, const std::vector<std::string>& found,
                        const std::string& where) {
    if (!found.empty() && beginning.size() < kBeginningCharsMin) {
        throw Error(ErrorCode::NotFound,
                    fmt::format("`{}` is too short to say which run, such as {}: give at least {} "
                                "characters of the id",
                                beginning, found[0], kBeginningCharsMin));
    }
    if (found.size() == 1) return found.front();
    if (found.size() > 1) {
        throw Error(ErrorCode::NotFound,
                    fmt::format("several runs begin with `{}`, such as {} and {}: give more of it",
                                beginning, found[0], found[1]));
    }
    throw Error(ErrorCode::NotFound,
                fmt::format("there is no run {}; `belay runs list` shows those there are", where));
}

}  // namespace belay::cli
