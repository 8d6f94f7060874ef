#include "ingestion/workflows/web_document/sweep_content.hpp"

#include <chrono>
#include <string>
#include <vector>

#include <belay/belay.hpp>

#include "ingestion/documents/replaced.hpp"

namespace belay::workflows {

namespace {

using namespace std::chrono_literals;

// Whoever read a document's row before it changed has read its text by then.
constexpr Duration kKeep = 24h;
constexpr std::int64_t kAtOnce = 500;

std::vector<std::string> choose(Tx& tx) {
    return documents::choose_replaced(tx, tx.now() - kKeep, kAtOnce);
}

// Only what the rows say: a record may have been written by anybody (forks).
std::vector<std::string> remove(Engine* engine, objects::Store* store,
                                const std::vector<std::string>& paths) {
    std::vector<std::string> removed;
    for (const std::string& path : paths) {
        if (!documents::is_removing(*engine, path)) continue;
        store->remove(objects::Key{path});
        removed.push_back(path);
    }
    return removed;
}

Task<SweepResult> sweep_content(Context& ctx, Engine* engine, objects::Store* store) {
    SweepResult result;
    std::vector<std::string> chosen;
    do {
        chosen = co_await ctx.transaction("choose", choose);
        if (chosen.empty()) break;
        co_await ctx.step("remove", remove, engine, store, chosen)
            .commit(documents::forget_replaced);
        result.removed += static_cast<std::int64_t>(chosen.size());
    } while (static_cast<std::int64_t>(chosen.size()) == kAtOnce);
    co_return result;
}

}  // namespace

void define_content_sweep(Engine& engine, objects::Store& store) {
    WorkflowOptions options;
    options.summary = "Removes the texts that no document says any more";
    options.exposed = false;
    engine.define(
        std::string(kSweepContent),
        [with = &engine, at = &store](Context& ctx) { return sweep_content(ctx, with, at); },
        std::move(options));
    engine.schedule("sweep_content", kSweepContent,
                    {.cron = "30 3 * * *", .overlap = Overlap::Skip, .jitter = 30min});
}

}  // namespace belay::workflows
