// definitions_test.cpp — what is defined is rows that another process reads, and a restart writes none of them again.
#include "core/library/definitions.hpp"

#include <filesystem>

#include <gtest/gtest.h>
#include <unistd.h>
#include <boost/describe.hpp>

#include <belay/belay.hpp>

#include "core/library/host.hpp"

namespace definitions_shop {
struct Order {
    std::string item;
    int pieces = 1;
};
BOOST_DESCRIBE_STRUCT(Order, (), (item, pieces))
}  // namespace definitions_shop

namespace belay::library {
namespace {

using definitions_shop::Order;

Task<double> sell(Context& ctx, Order order) {
    co_return co_await ctx.step(
        "charge", [](int pieces) { return pieces * 2.5; }, order.pieces);
}
Task<void> sweep(Context&) { co_return; }

class Definitions : public ::testing::Test {
protected:
    Definitions()
        : file_(std::filesystem::temp_directory_path() /
                fmt::format("belay-definitions-{}.db", ::getpid())) {
        remove();
    }
    ~Definitions() override { remove(); }

    void remove() {
        for (const char* end : {"", "-wal", "-shm", ".lock"})
            std::filesystem::remove(file_.string() + end);
    }
    void run(std::string version, bool with_sweep = true, WorkflowOptions of_sell = {}) {
        EngineOptions options;
        options.code_version = std::move(version);
        Engine engine{sqlite(file_.string()), options};
        of_sell.summary = "Sells a thing";
        engine.define("SELL", sell, of_sell);
        if (with_sweep) engine.define("SWEEP", sweep, {.exposed = false});
        engine.start();
    }
    // As another process sees them.
    std::vector<model::Definition> rows() {
        const auto store = open_store(sqlite(file_.string()), false);
        return read_definitions(*store);
    }

    std::filesystem::path file_;
};

TEST_F(Definitions, a_start_writes_what_every_workflow_says_of_itself) {
    run("1.0", true, {.editable = {"charge"}});

    const auto all = rows();

    ASSERT_EQ(all.size(), 2u);
    EXPECT_EQ(all[0].workflow_key, "SELL");
    EXPECT_EQ(all[0].code_version, "1.0");
    EXPECT_EQ(all[0].summary, "Sells a thing");
    EXPECT_EQ(all[0].input_schema, schema_of<Order>());
    EXPECT_EQ(all[0].output_schema, R"({"type":"number"})");
    EXPECT_TRUE(all[0].exposed);
    EXPECT_EQ(all[0].editable, std::vector<std::string>{"charge"});
    EXPECT_EQ(all[1].workflow_key, "SWEEP");
    EXPECT_EQ(all[1].input_schema, R"({"type":"null"})");
    EXPECT_FALSE(all[1].exposed);
}

TEST_F(Definitions, a_restart_of_the_same_program_writes_nothing) {
    run("1.0");
    const auto before = rows();

    run("1.0");

    EXPECT_EQ(rows(), before);  // described_at too
}

TEST_F(Definitions, the_version_that_started_last_comes_first_also_after_a_rollback) {
    run("1.0");
    run("2.0");
    run("1.0");

    const auto all = rows();

    ASSERT_EQ(all.size(), 4u);
    EXPECT_EQ(all[0].workflow_key, "SELL");
    EXPECT_EQ(all[0].code_version, "1.0");
    EXPECT_EQ(all[1].code_version, "2.0");
}

TEST_F(Definitions, what_the_only_executor_does_not_define_any_more_is_gone) {
    run("1.0");

    run("1.0", false);

    const auto all = rows();
    ASSERT_EQ(all.size(), 1u);
    EXPECT_EQ(all[0].workflow_key, "SELL");
}

TEST_F(Definitions, a_store_on_which_nothing_has_started_has_none) {
    { const auto store = open_store(sqlite(file_.string()), true); }

    EXPECT_TRUE(rows().empty());
}

TEST(DefinitionsInMemory, a_hook_for_every_end_hides_no_schema) {
    const auto core = make_core(memory(), {});
    core->on_run_end([](Tx&, const RunInfo&) {});
    Engine engine{core};
    engine.define("SELL", sell);

    const auto all = definitions_of(*core);

    ASSERT_EQ(all.size(), 1u);
    EXPECT_EQ(all[0].input_schema, schema_of<Order>());
}

}  // namespace
}  // namespace belay::library
