// Queues and schedules on the command line: whole command lines on a SQLite file, and what an executor is asked.
#include "service/cli/queues.hpp"

#include <filesystem>
#include <sstream>

#include <gtest/gtest.h>
#include <boost/json.hpp>

#include "core/library/host.hpp"
#include "service/cli/ask.hpp"
#include "service/cli/cli_test.hpp"
#include "service/cli/command.hpp"
#include "service/cli/run.hpp"
#include "service/cli/schedules.hpp"

namespace belay::cli {
namespace {

using namespace std::chrono_literals;

class QueueCommands : public testing::Test {
protected:
    QueueCommands() {
        std::string name = testing::TempDir() + "belay-queues-XXXXXX";
        folder = ::mkdtemp(name.data());
        file = (folder / "own.db").string();
    }
    ~QueueCommands() override { std::filesystem::remove_all(folder); }

    ExitCode belay(std::vector<std::string> words) {
        out.str("");
        errors.str("");
        words.insert(words.end(), {"--store", file});
        World world{Screen{out}, errors, [](const std::string&) { return std::nullopt; }, clock,
                    [](Duration) {}};
        return run(words, world);
    }
    boost::json::value json() const { return boost::json::parse(out.str()); }
    void submit(const std::string& id, const std::string& queue) const {
        const auto store = open_to_execute({file, {}, {}});
        store::Submit submit;
        submit.run.id = id;
        submit.run.workflow_key = "INVOICE";
        submit.run.input = "null";
        submit.run.queue = queue;
        store::Batch batch;
        batch.now = clock.now();
        batch.verbs.emplace_back(std::move(submit));
        store->commit(batch);
    }

    std::filesystem::path folder;
    std::string file;
    env::ManualClock clock;
    std::ostringstream out;
    std::ostringstream errors;
};

TEST_F(QueueCommands, a_queue_is_made_and_its_limits_change_one_by_one) {
    ASSERT_EQ(belay({"queues", "set", "uploads", "--concurrency", "8", "--rate", "100/1m"}),
              ExitCode::Ok)
        << errors.str();
    EXPECT_EQ(out.str(), "Queue uploads: 8 at once, 100 per 1 min.\n");
    ASSERT_EQ(belay({"queues", "set", "uploads", "--per-worker", "2"}), ExitCode::Ok);
    EXPECT_EQ(out.str(), "Queue uploads: 8 at once, 2 per worker, 100 per 1 min.\n");
    ASSERT_EQ(belay({"queues", "set", "uploads", "--rate", "none", "--json"}), ExitCode::Ok);
    EXPECT_EQ(json().at("concurrency"), 8);
    EXPECT_TRUE(json().at("rate").is_null());
}

TEST_F(QueueCommands, lists_show_who_is_in_line) {
    EXPECT_EQ(belay({"queues", "set", "uploads"}), ExitCode::Ok);
    submit("july", "uploads");
    clock.advance(90s);

    EXPECT_EQ(belay({"queues"}), ExitCode::Ok);
    EXPECT_NE(out.str().find("uploads"), std::string::npos) << out.str();
    EXPECT_NE(out.str().find("1 min 30 s"), std::string::npos) << out.str();
    EXPECT_EQ(belay({"queues", "list", "--json"}), ExitCode::Ok);
    EXPECT_EQ(json().at("queues").at(0).at("in_line"), 1);
    EXPECT_EQ(belay({"queues", "show", "uploads"}), ExitCode::Ok);
    EXPECT_NE(out.str().find("in line    1, the oldest for"), std::string::npos) << out.str();
}

TEST_F(QueueCommands, a_paused_queue_is_what_its_runs_wait_for) {
    belay({"queues", "set", "uploads"});
    submit("july", "uploads");
    submit("august", "uploads");
    EXPECT_EQ(belay({"queues", "pause", "uploads", "--reason", "the scanner is cleaned"}),
              ExitCode::Ok);

    EXPECT_EQ(belay({"runs", "why", "august"}), ExitCode::Ok);
    EXPECT_NE(out.str().find("it waits in queue `uploads` at position 2: the queue is paused: the "
                             "scanner is cleaned."),
              std::string::npos)
        << out.str();
    EXPECT_NE(out.str().find("belay queues resume uploads"), std::string::npos) << out.str();
    EXPECT_EQ(belay({"runs", "why", "july", "--json"}), ExitCode::Ok);
    EXPECT_EQ(json().at("waits_for"), "queue");
    EXPECT_EQ(belay({"queues", "resume", "uploads"}), ExitCode::Ok);
    EXPECT_EQ(out.str(), "Queue uploads goes on.\n");
}

TEST_F(QueueCommands, what_cannot_be_says_what_can) {
    belay({"queues", "set", "uploads"});
    EXPECT_EQ(belay({"queues", "show", "upload"}), ExitCode::Failed);
    EXPECT_NE(errors.str().find("did you mean `uploads`?"), std::string::npos) << errors.str();
    EXPECT_EQ(belay({"queues", "set", "uploads", "--rate", "many"}), ExitCode::Usage);
    EXPECT_NE(errors.str().find("such as 100/1m"), std::string::npos) << errors.str();
    EXPECT_EQ(belay({"queues", "set", "uploads", "--concurrency", "x"}), ExitCode::Usage);
    EXPECT_EQ(belay({"queues", "set", "no good"}), ExitCode::Usage);
    EXPECT_EQ(belay({"queues", "pause", "nothing"}), ExitCode::Failed);
    submit("july", "uploads");
    EXPECT_EQ(belay({"queues", "remove", "uploads"}), ExitCode::Usage);
    EXPECT_NE(errors.str().find("1 unfinished run is in queue `uploads`"), std::string::npos)
        << errors.str();
}

TEST_F(QueueCommands, a_schedule_is_made_changed_paused_and_removed) {
    ASSERT_EQ(belay({"schedules", "add", "nightly", "--workflow", "REPORT", "--cron", "0 3 * * *",
                     "--zone", "Europe/Stockholm", "--input", R"({"of":"sales"})"}),
              ExitCode::Ok)
        << errors.str();
    EXPECT_EQ(out.str(),
              "Schedule nightly runs REPORT at `0 3 * * *` in Europe/Stockholm; next "
              "2025-01-01T02:00:00.000Z.\n");
    EXPECT_EQ(belay({"schedules", "add", "nightly", "--workflow", "REPORT", "--cron", "0 3 * * *"}),
              ExitCode::Usage);
    ASSERT_EQ(belay({"schedules", "set", "nightly", "--overlap", "skip", "--json"}), ExitCode::Ok)
        << errors.str();
    EXPECT_EQ(json().at("overlap"), "skip");
    EXPECT_EQ(json().at("cron"), "0 3 * * *");
    EXPECT_EQ(json().at("input").at("of"), "sales");

    EXPECT_EQ(belay({"schedules", "pause", "nightly"}), ExitCode::Ok);
    EXPECT_EQ(belay({"schedules"}), ExitCode::Ok);
    EXPECT_NE(out.str().find("paused"), std::string::npos);
    EXPECT_EQ(belay({"schedules", "resume", "nightly"}), ExitCode::Ok);
    EXPECT_EQ(belay({"schedules", "show", "nightly"}), ExitCode::Ok);
    EXPECT_NE(out.str().find("overlap    skip"), std::string::npos) << out.str();
    EXPECT_EQ(belay({"schedules", "remove", "nightly"}), ExitCode::Ok);
    EXPECT_EQ(belay({"schedules", "list", "--json"}), ExitCode::Ok);
    EXPECT_TRUE(json().at("schedules").as_array().empty());
}

TEST_F(QueueCommands, past_ticks_are_counted_and_made_up_for_on_a_store_nobody_executes_on) {
    ASSERT_EQ(belay({"schedules", "add", "nightly", "--workflow", "REPORT", "--cron", "0 3 * * *"}),
              ExitCode::Ok);
    EXPECT_EQ(belay({"schedules", "backfill", "nightly", "--from", "2024-12-01", "--to",
                     "2024-12-04", "--dry-run"}),
              ExitCode::Ok)
        << errors.str();
    EXPECT_EQ(out.str(),
              "Schedule nightly has 3 ticks from 2024-12-01T03:00:00.000Z to "
              "2024-12-03T03:00:00.000Z: 3 runs would be started, 0 there already.\n");
    EXPECT_EQ(belay({"schedules", "backfill", "nightly", "--from", "2024-12-01", "--to",
                     "2024-12-04", "--limit", "2"}),
              ExitCode::Ok);
    EXPECT_NE(out.str().find("2 runs started, 0 there already. There are more: --from "
                             "2024-12-03T03:00:00.000Z."),
              std::string::npos)
        << out.str();
    EXPECT_EQ(belay({"schedules", "backfill", "nightly", "--from", "2024-12-01", "--to",
                     "2024-12-04", "--json"}),
              ExitCode::Ok);
    EXPECT_EQ(json().at("started"), 1);
    EXPECT_EQ(json().at("there"), 2);
    EXPECT_EQ(belay({"runs", "show", "sched_nightly_2024-12-02T03:00:00Z", "--json"}),
              ExitCode::Ok);
    EXPECT_EQ(belay({"schedules", "backfill", "nightly", "--from", "sometimes"}), ExitCode::Usage);
    EXPECT_EQ(belay({"schedules", "backfill", "weekly", "--from", "2024-12-01"}), ExitCode::Failed);
}

TEST_F(QueueCommands, ticks_to_come_are_shown_in_both_times) {
    EXPECT_EQ(belay({"schedules", "next", "--cron", "30 2 * * *", "--zone", "America/New_York",
                     "--count", "2"}),
              ExitCode::Ok)
        << errors.str();
    EXPECT_EQ(out.str(),
              "2025-01-01T07:30:00.000Z  2025-01-01T02:30:00 America/New_York\n"
              "2025-01-02T07:30:00.000Z  2025-01-02T02:30:00 America/New_York\n");
    EXPECT_EQ(belay({"schedules", "next"}), ExitCode::Usage);
    EXPECT_EQ(belay({"schedules", "next", "--cron", "99 * * * *"}), ExitCode::Usage);
    EXPECT_NE(errors.str().find("minute"), std::string::npos) << errors.str();
}

TEST_F(QueueCommands, a_schedule_that_cannot_be_says_why) {
    EXPECT_EQ(belay({"schedules", "set", "nightly"}), ExitCode::Usage);
    EXPECT_NE(errors.str().find("--workflow and --cron"), std::string::npos) << errors.str();
    EXPECT_EQ(
        belay({"schedules", "add", "n", "--workflow", "W", "--cron", "@daily", "--zone", "Mars"}),
        ExitCode::Usage);
    EXPECT_EQ(
        belay({"schedules", "add", "n", "--workflow", "W", "--cron", "@daily", "--overlap", "x"}),
        ExitCode::Usage);
    EXPECT_NE(errors.str().find("buffer_one"), std::string::npos) << errors.str();
    EXPECT_EQ(
        belay({"schedules", "add", "n", "--workflow", "W", "--cron", "@daily", "--queue", "gone"}),
        ExitCode::Usage);
    EXPECT_NE(errors.str().find("there is no queue `gone`"), std::string::npos) << errors.str();
}

TEST(AskExecutor, what_is_asked_is_what_was_typed) {
    CliBench b;
    belay::detail::QueueRequest request;
    request.what = belay::detail::QueueRequest::What::Set;
    request.name = "uploads";
    request.limits = {.concurrency = 3, .rate = RateLimit{5, 1s}};
    const auto nap = [&](Duration) {
        for (const auto& asked : b.commit(store::TakeRequests{}).outcome) {
            EXPECT_EQ(asked.kind, std::string(engine::kCoded) + engine::kQueueRequest);
            const auto heard = engine::queue_request(asked.payload);
            EXPECT_EQ(heard.limits, request.limits);
            EXPECT_EQ(heard.name, "uploads");
            b.commit(store::AnswerRequest{asked.id, true, "done"});
        }
    };
    ask_executor(b.outside, b.now(), engine::kQueueRequest, engine::to_payload(request), nap);
    EXPECT_THROW(ask_executor(b.outside, b.now(), engine::kQueueRequest,
                              engine::to_payload(request), [](Duration) {}),
                 Error);

    const auto refuse = [&](Duration) {
        for (const auto& asked : b.commit(store::TakeRequests{}).outcome)
            b.commit(store::AnswerRequest{
                asked.id, false, R"({"code": "NotFound", "message": "there is no such queue"})"});
    };
    try {
        ask_executor(b.outside, b.now(), engine::kQueueRequest, engine::to_payload(request),
                     refuse);
        FAIL() << "it was refused";
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::NotFound);
        EXPECT_STREQ(error.what(), "there is no such queue");
    }

    belay::detail::ScheduleRequest schedule;
    schedule.name = "nightly";
    schedule.workflow = "REPORT";
    schedule.options.cron = "@daily";
    schedule.options.overlap = Overlap::BufferOne;
    schedule.options.start = b.now();
    const auto heard = engine::schedule_request(engine::to_payload(schedule));
    EXPECT_EQ(heard.options.overlap, Overlap::BufferOne);
    EXPECT_EQ(heard.options.start, b.now());
    EXPECT_EQ(heard.workflow, "REPORT");
}

}  // namespace
}  // namespace belay::cli
