// client_test.cpp — a client beside an executor: what it asks is done once, with the errors of an Engine.
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <thread>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>

#include <belay/async.hpp>
#include <belay/belay.hpp>

namespace belay {
namespace {

using namespace std::chrono_literals;

inline constexpr Workflow<int, int> Twice{"TWICE"};

std::atomic<int> steps_run{0};
int doubled(int n) {
    ++steps_run;
    return 2 * n;
}

class ClientTest : public testing::Test {
protected:
    ClientTest()
        : folder_(std::filesystem::path(testing::TempDir()) /
                  fmt::format("belay-client-{}-{}", ::getpid(), ++made_)) {
        std::filesystem::create_directories(folder_);
        steps_run = 0;
    }
    ~ClientTest() override {
        engine_.reset();
        std::filesystem::remove_all(folder_);
    }

    std::string file() const { return (folder_ / "runs.db").string(); }

    // Makes the file; starts it if asked.
    Engine& execute(bool start = true) {
        EngineOptions quiet;
        quiet.log_to_stderr = false;
        engine_.emplace(sqlite(file()), quiet);
        engine_->define(Twice, [](Context& ctx, int n) -> Task<int> {
            co_return co_await ctx.step("double", doubled, n);
        });
        engine_->define("ASK", [](Context& ctx, int n) -> Task<int> {
            ctx.expose("n", n);
            ctx.answer("plus", [&](int more) { return n + more; });
            co_return co_await ctx.receive<int>("end");
        });
        WorkflowOptions hidden;
        hidden.exposed = false;
        engine_->define(
            "HIDDEN", [](Context&) -> Task<int> { co_return 1; }, hidden);
        engine_->queue("one", {.concurrency = 1});
        if (start) engine_->start();
        return *engine_;
    }
    void stop() { engine_.reset(); }

    template <class F>
    static std::optional<ErrorCode> code_of(F what) {
        try {
            what();
        } catch (const Error& error) {
            return error.code();
        }
        return std::nullopt;
    }

private:
    inline static int made_ = 0;
    std::filesystem::path folder_;
    std::optional<Engine> engine_;
};

TEST_F(ClientTest, submits_by_key_or_handle_and_waits_for_the_result) {
    execute();
    Client client{store_at(file())};

    EXPECT_EQ(client.submit(Twice, 4).result(), 8);
    EXPECT_EQ(client.submit<int>("TWICE", 5).result(), 10);
    std::vector<belay::Run<int>> runs = client.submit_many(Twice, {1, 2, 3});
    EXPECT_EQ(runs.at(2).result(), 6);
    EXPECT_EQ(client.find(Twice, runs[0].id()).result(), 2);
}

TEST_F(ClientTest, every_option_of_a_submission_reaches_the_run) {
    Engine& engine = execute();
    Client client{store_at(file())};
    const SubmitOptions options{.id = "july",
                                .delay = 1h,
                                .deadline = 2h,
                                .organization_id = "default",
                                .source_channel = "test",
                                .file_id = "f1",
                                .content_hash = "h1",
                                .queue = "one",
                                .priority = 7,
                                .partition = "p",
                                .dedupe_id = "d",
                                .labels = {{"customer", "42"}}};

    client.submit(Twice, 4, options);

    const auto row = engine.query(
        "SELECT source_channel, file_id, content_hash, queue, priority, partition_key, dedupe_id, "
        "wake_at - created_at, deadline_at - created_at FROM workflow_runs WHERE public_id = "
        "'july'");
    ASSERT_EQ(row.size(), 1U);
    EXPECT_EQ(row[0].get<std::string>(0), "test");
    EXPECT_EQ(row[0].get<std::string>(1), "f1");
    EXPECT_EQ(row[0].get<std::string>(2), "h1");
    EXPECT_EQ(row[0].get<std::string>(3), "one");
    EXPECT_EQ(row[0].get<int>(4), 7);
    EXPECT_EQ(row[0].get<std::string>(5), "p");
    EXPECT_EQ(row[0].get<std::string>(6), "d");
    EXPECT_NEAR(static_cast<double>(row[0].get<std::int64_t>(7)), 3'600'000.0, 60'000.0);
    EXPECT_NEAR(static_cast<double>(row[0].get<std::int64_t>(8)), 7'200'000.0, 60'000.0);
    EXPECT_EQ(client.list({.labels = {{"customer", "42"}}}).runs.at(0).id, "july");
}

TEST_F(ClientTest, asking_twice_is_one_run) {
    execute();
    Client client{store_at(file())};

    const belay::Run<int> first = client.submit(Twice, 4, {.id = "july"});
    const belay::Run<int> again = client.submit(Twice, 4, {.id = "july"});

    EXPECT_EQ(first.result(), 8);
    EXPECT_EQ(again.result(), 8);
    EXPECT_EQ(steps_run, 1);
    EXPECT_EQ(code_of([&] { client.submit(Twice, 5, {.id = "july"}); }), ErrorCode::InputMismatch);
}

TEST_F(ClientTest, what_was_asked_while_nobody_executes_is_done_once) {
    execute(false);
    stop();
    Client hasty{store_at(file()), {.answer_within = 50ms}};
    for (int i = 0; i < 3; ++i) {
        EXPECT_EQ(code_of([&] { hasty.submit(Twice, 4, {.id = "july"}); }),
                  ErrorCode::StoreUnavailable);
    }
    EXPECT_EQ(code_of([&] { hasty.find("july"); }), ErrorCode::NotFound);

    execute();
    Client client{store_at(file())};
    EXPECT_EQ(client.submit(Twice, 4, {.id = "july"}).result(), 8);

    EXPECT_EQ(steps_run, 1);
    EXPECT_EQ(client.list().runs.size(), 1U);
}

TEST_F(ClientTest, refusals_have_the_codes_of_an_engine) {
    execute();
    Client client{store_at(file())};
    client.submit(Twice, 4, {.id = "july"}).result();

    EXPECT_EQ(code_of([&] { client.submit<int>("NOBODY", 4); }), ErrorCode::NotFound);
    EXPECT_EQ(code_of([&] { client.submit<int>("HIDDEN"); }), ErrorCode::NotFound);
    EXPECT_EQ(code_of([&] { client.submit<int>("TWICE", std::string("x")); }), ErrorCode::BadValue);
    EXPECT_EQ(code_of([&] { client.submit(Twice, 4, {.queue = "none"}); }), ErrorCode::NotFound);
    EXPECT_EQ(code_of([&] {
                  client.submit(Twice, 4, {.labels = {{"a b", "x"}}});
              }),
              ErrorCode::InvalidArgument);
    EXPECT_EQ(code_of([&] { client.cancel("july"); }), ErrorCode::InvalidArgument);
    EXPECT_EQ(code_of([&] { client.cancel("june"); }), ErrorCode::NotFound);
    EXPECT_EQ(code_of([&] { client.find("june"); }), ErrorCode::NotFound);
    EXPECT_EQ(code_of([&] { Client{memory()}; }), ErrorCode::InvalidArgument);
    EXPECT_EQ(code_of([&] { Client{store_at("https://example.com")}; }),
              ErrorCode::InvalidArgument);
    EXPECT_EQ(code_of([&] { Engine{store_at("http://127.0.0.1:1")}; }), ErrorCode::InvalidArgument);
    EXPECT_EQ(code_of([&] { Client{store_at("http://127.0.0.1:1")}.find("july"); }),
              ErrorCode::StoreUnavailable);
}

TEST_F(ClientTest, sends_asks_reads_and_cancels) {
    execute();
    Client client{store_at(file())};
    const belay::Run<int> run = client.submit<int>("ASK", 4, {.id = "july"});
    const belay::Run<int> other = client.submit<int>("ASK", 5);

    EXPECT_EQ(run.ask<int>("plus", 3), 7);
    EXPECT_EQ(run.exposed<int>("n"), 4);
    EXPECT_EQ(code_of([&] { run.ask("minus", 3); }), ErrorCode::NoAnswer);
    client.send("july", "end", 9);
    EXPECT_EQ(run.result(), 9);
    EXPECT_EQ(run.ask<int>("n"), 4);
    client.cancel(other.id(), "enough");
    EXPECT_EQ(code_of([&] { other.result(); }), ErrorCode::RunCanceled);
}

TEST_F(ClientTest, a_message_that_is_asked_for_twice_by_its_key_is_one) {
    execute();
    Client client{store_at(file())};
    const belay::Run<int> first = client.submit<int>("ASK", 4, {.id = "july"});
    client.send("july", "end", 9, {.dedupe_key = "k"});
    client.send("july", "end", 9, {.dedupe_key = "k"});

    EXPECT_EQ(first.result(), 9);
}

TEST_F(ClientTest, a_result_is_told_to_a_callback) {
    execute();
    Client client{store_at(file())};
    std::atomic<int> told{0};
    for (int i = 1; i <= 10; ++i)
        client.submit(Twice, i).result([&](std::exception_ptr, int n) { told += n; });

    while (told < 110) std::this_thread::yield();
    EXPECT_EQ(told, 110);
}

TEST_F(ClientTest, a_result_is_awaited_by_a_coroutine) {
    Engine& engine = execute();
    Client client{store_at(file())};
    boost::asio::io_context io;
    int sum = 0;
    std::optional<ErrorCode> code;
    const auto add = [&](belay::Run<int> run) -> boost::asio::awaitable<void> {
        sum += co_await run.result(boost::asio::use_awaitable);
    };
    const auto fail = [&](belay::Run<int> run) -> boost::asio::awaitable<void> {
        try {
            co_await run.result(boost::asio::use_awaitable);
        } catch (const Error& error) {
            code = error.code();
        }
    };
    boost::asio::co_spawn(io, add(client.submit(Twice, 4)), boost::asio::detached);
    boost::asio::co_spawn(io, add(engine.submit(Twice, 5)), boost::asio::detached);
    const belay::Run<int> canceled = engine.submit<int>("ASK", 1);
    boost::asio::co_spawn(io, fail(canceled), boost::asio::detached);
    engine.cancel(canceled.id());

    io.run();

    EXPECT_EQ(sum, 18);
    EXPECT_EQ(code, ErrorCode::RunCanceled);
}

TEST_F(ClientTest, a_run_that_outlives_its_client_says_so) {
    execute();
    std::optional<belay::Run<int>> run;
    std::optional<ErrorCode> told;
    {
        Client client{store_at(file())};
        run = client.submit<int>("ASK", 4);
        run->result([&](std::exception_ptr error, int) {
            told = code_of([&] { std::rethrow_exception(error); });
        });
    }

    EXPECT_EQ(told, ErrorCode::Stopped);
    EXPECT_EQ(code_of([&] { run->result(); }), ErrorCode::Stopped);
    EXPECT_FALSE(is_finished(run->status()));
}

}  // namespace
}  // namespace belay
