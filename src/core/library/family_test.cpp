// What children cost and saved, as their parent shows it: on tables, which the memory store has not.
#include <atomic>
#include <filesystem>
#include <stdexcept>
#include <string>

#include <gtest/gtest.h>

#include <belay/belay.hpp>

#include "core/library/host.hpp"
#include "core/model/ledger.hpp"
#include "core/store/family.hpp"

namespace belay::library {
namespace {

struct Folder {
    Folder() {
        std::string pattern =
            (std::filesystem::temp_directory_path() / "belay-family-XXXXXX").string();
        path = ::mkdtemp(pattern.data());
    }
    ~Folder() {
        std::error_code ignored;
        std::filesystem::remove_all(path, ignored);
    }
    std::string path;
};

std::atomic<int> asked = 0;
std::atomic<bool> broken = false;

int ask_model(Attempt& attempt, int n) {
    ++asked;
    Cost cost;
    cost.pay(Money("0.0001", "USD"));
    attempt.cost(cost.count("embeddings"));
    return n;
}
int fetch(Attempt& attempt, int n) {
    attempt.cost(Cost{}.count("fetches"));
    return n;
}
int index(Attempt& attempt, int n) {
    if (broken) throw NonRetryable("no metadata");
    Cost cost;
    attempt.cost(cost.pay(Money("0.01", "USD")));
    return n;
}

void define(Engine& engine) {
    engine.define("EMBED", [](Context& ctx, int n) -> Task<int> {
        co_return co_await ctx.step("embed", ask_model, n);
    });
    engine.define("FETCH", [](Context& ctx, int n) -> Task<int> {
        const int page = co_await ctx.step("fetch", fetch, n);
        co_return co_await ctx.child<int>("EMBED", page);
    });
    engine.define("INDEX", [](Context& ctx, int n) -> Task<int> {
        const int page = co_await ctx.child<int>("FETCH", n);
        co_return co_await ctx.step("index", index, page);
    });
}

// Specification 001, scenario 3: the metadata fails, and nothing is fetched or embedded again.
TEST(Family, a_parent_shows_what_its_children_cost_and_did_not_have_to_do_again) {
    const Folder folder;
    EngineOptions quiet;
    quiet.log_to_stderr = false;
    const auto core = make_core(sqlite(folder.path + "/belay.db"), quiet);
    Engine engine{core};
    define(engine);
    engine.start();
    broken = true;
    asked = 0;
    const auto run = engine.submit<int>("INDEX", 7, {.id = "a"});
    EXPECT_THROW(run.result(), Error);

    broken = false;
    engine.retry("a");

    EXPECT_EQ(run.result(), 7);
    EXPECT_EQ(asked, 1);
    const model::Run parent = core->store().find_run("a").value();
    const model::Saved saved = model::saved_of(parent);
    EXPECT_EQ(saved.steps, 2);
    EXPECT_EQ(saved.cost.money.at("USD").amount(), "0.0001");
    EXPECT_EQ(saved.cost.counters.at("fetches"), 1);
    EXPECT_EQ(saved.cost.counters.at("embeddings"), 1);
    // Of its own it paid for the metadata; what is below it is told beside that.
    EXPECT_EQ(model::cost_of(core->store().stages(parent.no)).money.at("USD").amount(), "0.01");
    const store::Family family = store::family_of(core->store(), parent.no);
    EXPECT_EQ(family.runs, 2);
    EXPECT_EQ(family.cost.money.at("USD").amount(), "0.0001");
    EXPECT_EQ(store::family_json(family).at("cost").at("counters").at("fetches").as_int64(), 1);
    // In the statistics too.
    model::LedgerFilter filter;
    filter.workflow_key = "INDEX";
    const auto rows = core->store().ledger(filter);
    ASSERT_EQ(rows.size(), 1u);
    EXPECT_EQ(rows[0].saved.cost.counters.at("embeddings"), 1);
}

TEST(Family, what_is_below_something_that_failed_is_not_done) {
    const Folder folder;
    EngineOptions quiet;
    quiet.log_to_stderr = false;
    const auto core = make_core(sqlite(folder.path + "/belay.db"), quiet);
    Engine engine{core};
    define(engine);
    engine.define("OUTER", [](Context& ctx, int n) -> Task<int> {
        co_return co_await ctx.child<int>("INDEX", n);
    });
    engine.start();
    broken = true;
    const auto run = engine.submit<int>("OUTER", 7, {.id = "a"});
    EXPECT_THROW(run.result(), Error);

    const auto family = [&](const std::string& id) {
        return store::family_of(core->store(), core->store().find_run(id)->no);
    };
    EXPECT_EQ(family("a").runs, 3);
    EXPECT_EQ(family("a").done, model::Saved{}) << "its child failed, and counts for itself";
    EXPECT_EQ(family("a/1").done.steps, 2);
    EXPECT_EQ(family("a/1/1/2").runs, 0);
}

}  // namespace
}  // namespace belay::library
