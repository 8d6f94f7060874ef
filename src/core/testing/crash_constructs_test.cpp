// crash_everywhere on fans, children, messages, timeouts and steps that await: a workflow for each construct.
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <belay/async.hpp>
#include <belay/belay.hpp>
#include <belay/testing.hpp>

namespace belay::testing {
namespace {

using namespace std::chrono_literals;

int twice(int n) { return 2 * n; }
int odd_only(int n) {
    if (n % 2 == 0) throw NonRetryable(std::to_string(n) + " is even");
    return n;
}
Task<int> two_steps(Context& ctx, int n) {
    n = co_await ctx.step("once", twice, n);
    co_return co_await ctx.step("again", twice, n);
}
Task<int> slow(Context& ctx, int n) {
    co_await ctx.sleep(1h);
    co_return co_await ctx.step("twice", twice, n);
}

void define_children(Engine& engine) {
    engine.define("two_steps", two_steps);
    engine.define("slow", slow);
}

void expect_same(const CrashReport& report, const std::string& ended) {
    EXPECT_TRUE(report.passed()) << report.text();
    EXPECT_EQ(report.ended, ended);
}

int sum_of(const std::vector<int>& numbers) {
    int sum = 0;
    for (const int n : numbers) sum += n;
    return sum;
}

// ---- fans

Task<int> maps_steps(Context& ctx, std::vector<int> numbers) {
    co_return sum_of(co_await ctx.map("page", numbers, twice));
}

TEST(CrashConstructs, a_map_over_steps) {
    expect_same(crash_everywhere(maps_steps, std::vector{1, 2, 3}), "succeeded with 12");
}

TEST(CrashConstructs, a_map_over_nothing_and_over_one) {
    expect_same(crash_everywhere(maps_steps, std::vector<int>{}), "succeeded with 0");
    expect_same(crash_everywhere(maps_steps, std::vector{4}), "succeeded with 8");
}

Task<int> maps_coroutines(Context& ctx, std::vector<int> numbers) {
    const FanOptions narrow{.width = 2};
    co_return sum_of(co_await ctx.map("page", narrow, numbers, two_steps));
}

TEST(CrashConstructs, a_narrow_map_over_coroutines) {
    expect_same(crash_everywhere(maps_coroutines, std::vector{1, 2, 3, 4}), "succeeded with 40");
}

Task<std::string> collects(Context& ctx, std::vector<int> numbers) {
    std::string said;
    for (const auto& each : co_await ctx.map("page", numbers, odd_only).collect()) {
        said += each ? std::to_string(*each.value) : "(" + each.error + ")";
    }
    co_return said;
}

TEST(CrashConstructs, a_map_that_collects_results_and_errors) {
    const auto report = crash_everywhere(collects, std::vector{1, 2, 3});
    EXPECT_TRUE(report.passed()) << report.text();
    EXPECT_NE(report.ended.find("2 is even"), std::string::npos) << report.ended;
}

Task<int> wants_two(Context& ctx, std::vector<int> numbers) {
    const FanOptions in_turn{.width = 1};  // which of several end first is for the world to say
    int read = 0;
    for (const auto& each : co_await ctx.map("page", in_turn, numbers, odd_only).at_least(2))
        read += each ? 1 : 0;
    co_return read;
}

TEST(CrashConstructs, a_map_that_is_content_with_some) {
    expect_same(crash_everywhere(wants_two, std::vector{1, 2, 3}), "succeeded with 2");
}

Task<int> waits_for_all(Context& ctx, std::vector<int> numbers) {
    const auto read = co_await ctx.map("page", numbers, odd_only).wait_all();
    co_return static_cast<int>(read.size());
}

TEST(CrashConstructs, a_map_that_fails_names_its_failures_in_the_same_order) {
    const auto report =
        crash_everywhere(waits_for_all, std::vector{2, 3, 4, 6}, {.may_fail = true});
    EXPECT_TRUE(report.passed()) << report.text();
    EXPECT_NE(report.ended.find("3 of the 4 branches"), std::string::npos) << report.ended;
}

TEST(CrashConstructs, a_map_that_wants_more_than_there_is_fails_the_same) {
    const auto report = crash_everywhere(wants_two, std::vector{1, 2, 4}, {.may_fail = true});
    EXPECT_TRUE(report.passed()) << report.text();
    EXPECT_NE(report.ended.find("failed"), std::string::npos) << report.ended;
}

Task<int> all_kinds(Context& ctx, int n) {
    const auto both =
        co_await ctx.all("both", ctx.step("number", twice, n), ctx.scope("deep", two_steps, n),
                         ctx.sleep(1h, "pause"), ctx.child<int>("slow", n));
    co_return std::get<0>(both) + std::get<1>(both) + std::get<3>(both);
}

TEST(CrashConstructs, all_over_a_step_a_scope_a_sleep_and_a_child) {
    CrashOptions options;
    options.define = define_children;
    expect_same(crash_everywhere(all_kinds, 1, options), "succeeded with 8");
}

Task<std::string> races(Context& ctx, int n) {
    const auto won = co_await ctx.race("first", ctx.sleep(1h, "late"), ctx.step("quick", twice, n));
    co_await ctx.sleep(3h);
    co_return std::to_string(won.index) + " won with " + std::to_string(std::get<1>(won.value));
}

TEST(CrashConstructs, a_race) {
    expect_same(crash_everywhere(races, 4), "succeeded with \"1 won with 8\"");
}

// ---- children

Task<int> has_children(Context& ctx, int n) {
    n = co_await ctx.child<int>("two_steps", n);
    co_return co_await ctx.child<int>("slow", n);
}

TEST(CrashConstructs, children_one_after_the_other) {
    CrashOptions options;
    options.define = define_children;
    expect_same(crash_everywhere(has_children, 1, options), "succeeded with 8");
}

Task<std::string> leaves_a_child(Context& ctx, int n) { co_return co_await ctx.start("slow", n); }

TEST(CrashConstructs, a_child_that_is_left) {
    CrashOptions options;
    options.define = define_children;
    const auto report = crash_everywhere(leaves_a_child, 1, options);
    EXPECT_TRUE(report.passed()) << report.text();
}

Task<int> waits_with_its_end(Context& ctx, int n) {
    const ChildOptions awaited{.id = "the-one", .when_parent_ends = WhenParentEnds::Wait};
    co_await ctx.start("slow", n, awaited);
    const ChildOptions other{.id = "the-other", .when_parent_ends = WhenParentEnds::Wait};
    co_await ctx.start("two_steps", n, other);
    co_return co_await ctx.step("twice", twice, n);
}

TEST(CrashConstructs, children_that_the_parents_end_waits_for) {
    CrashOptions options;
    options.define = define_children;
    expect_same(crash_everywhere(waits_with_its_end, 1, options), "succeeded with 2");
}

Task<int> takes_a_child_along(Context& ctx, int n) {
    const ChildOptions bound{.id = "the-one", .when_parent_ends = WhenParentEnds::Cancel};
    co_await ctx.start("slow", n, bound);
    co_return co_await ctx.step("twice", twice, n);
}

TEST(CrashConstructs, a_child_that_is_canceled_with_the_end_of_who_started_it) {
    CrashOptions options;
    options.define = define_children;
    expect_same(crash_everywhere(takes_a_child_along, 1, options), "succeeded with 2");
}

// ---- long steps

// Each page is imported once, however often the step is begun.
std::set<int> g_pages;
int g_pages_twice = 0;

int imports_pages(Attempt& attempt, int pages) {
    for (int page = attempt.checkpoint<int>().value_or(0) + 1; page <= pages; ++page) {
        if (!g_pages.insert(page).second) ++g_pages_twice;
        attempt.checkpoint_and_wait(page);
    }
    return pages;
}

Task<int> imports(Context& ctx, int pages) {
    co_return co_await ctx.step("import", imports_pages, pages);
}

TEST(CrashConstructs, a_long_step_that_keeps_how_far_it_is) {
    CrashOptions options;
    options.begin = [] {
        g_pages.clear();
        g_pages_twice = 0;
    };
    options.effects = [] {
        EXPECT_LE(g_pages_twice, 1) << "only the page that was under way is imported again";
        return std::to_string(g_pages.size());
    };
    expect_same(crash_everywhere(imports, 4, options), "succeeded with 4");
}

// ---- messages

Task<void> talks(Context& ctx, std::string to) {
    co_await ctx.send(to, "word", "a");
    co_await ctx.sleep(1h);
    co_await ctx.send(to, "word", "b");
}
Task<std::string> listens(Context& ctx, int) {
    const std::string me(ctx.run_id());
    co_await ctx.start("talks", me);
    std::string heard = co_await ctx.receive<std::string>("word");
    heard += co_await ctx.receive<std::string>("word");
    const auto more = co_await ctx.receive<std::string>("word", 24h);
    co_return heard + (more ? " and more" : " and no more");
}

TEST(CrashConstructs, messages_and_one_that_never_comes) {
    CrashOptions options;
    options.define = [](Engine& engine) { engine.define("talks", talks); };
    expect_same(crash_everywhere(listens, 1, options), "succeeded with \"ab and no more\"");
}

// ---- steps that await, and steps that are given up

boost::asio::awaitable<int> doubled(int n) { co_return n * 2; }
boost::asio::awaitable<void> never_ends() {
    boost::asio::steady_timer timer(co_await boost::asio::this_coro::executor, 24h);
    co_await timer.async_wait(boost::asio::use_awaitable);
}

Task<int> awaits(Context& ctx, int n) {
    n = co_await ctx.step("doubled", doubled, n);
    co_return co_await ctx.step("doubled_again", doubled, n);
}

TEST(CrashConstructs, steps_that_await) {
    expect_same(crash_everywhere(awaits, 2), "succeeded with 8");
}

Task<std::string> gives_up(Context& ctx, int n) {
    const StepOptions hasty{.retry = {.attempts_max = 1}, .timeout = 5ms};
    std::string said = "it ended";
    try {
        co_await ctx.step("never", hasty, never_ends);
    } catch (const StepFailed& error) {
        said = std::string(to_string(error.code()));
    }
    n = co_await ctx.step("instead", twice, n);
    co_return said + " " + std::to_string(n);
}

TEST(CrashConstructs, a_step_that_is_given_up_at_its_timeout) {
    expect_same(crash_everywhere(gives_up, 2), "succeeded with \"StepTimeout 4\"");
}

// ---- what a run says of itself

Task<int> says_things(Context& ctx, int n) {
    ctx.label("customer", std::to_string(n));
    ctx.expose("status", "begun");
    ctx.answer("n", [&] { return n; });
    n = co_await ctx.step("once", twice, n);
    ctx.label("customer", std::to_string(n));
    ctx.label("tier", "gold");
    co_await ctx.sleep(1h);
    ctx.expose("status", "slept");
    n = co_await ctx.scope("more", two_steps, n);
    ctx.expose("total", n);
    co_return n;
}

TEST(CrashConstructs, labels_and_exposed_values_stand_as_they_were_said_last) {
    expect_same(crash_everywhere(says_things, 3), "succeeded with 24");
}

}  // namespace
}  // namespace belay::testing
