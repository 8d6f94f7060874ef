// The log of an engine as a program gets it.
#include <mutex>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <belay/belay.hpp>

#include "core/base/events.hpp"
#include "core/library/host.hpp"

namespace belay::library {
namespace {

struct Kept {
    std::mutex mutex;
    std::vector<std::string> lines;

    LogSink sink() {
        return [this](const LogEntry& entry) {
            const std::lock_guard lock(mutex);
            lines.push_back(base::log_json(entry));
        };
    }
    // The first line with this event, or nothing.
    std::string with(const std::string& event) {
        const std::lock_guard lock(mutex);
        for (const auto& line : lines) {
            if (line.find("\"event\":\"" + event + "\"") != std::string::npos) return line;
        }
        return {};
    }
};

int refuse(int) { throw NonRetryable("no paper"); }
Task<int> print(Context& ctx, int n) { co_return co_await ctx.step("print", refuse, n); }

TEST(Log, names_the_run_the_workflow_and_the_step_that_an_event_is_about) {
    Kept kept;
    EngineOptions options;
    options.log = kept.sink();
    {
        Engine engine(memory(), options);
        engine.define("PRINT", print);
        engine.start();
        EXPECT_THROW(engine.submit<int>("PRINT", 1, {.id = "july"}).result(), Error);
        engine.stop();
    }

    const std::string attempt = kept.with("attempt_failed");
    EXPECT_NE(attempt.find(R"("run_id":"july","workflow_key":"PRINT","organization_id":"default",)"
                           R"("stage_key":"print","attempt":1,"worker":")"),
              std::string::npos)
        << attempt;
    EXPECT_NE(kept.with("run_failed").find(R"("run_id":"july")"), std::string::npos)
        << kept.with("run_failed");
}

TEST(Log, says_of_how_many_an_attempt_is_only_where_more_may_follow) {
    Kept kept;
    EngineOptions options;
    options.log = kept.sink();
    {
        Engine engine(memory(), options);
        engine.define("PRINT", print);
        engine.start();
        EXPECT_THROW(engine.submit<int>("PRINT", 1, {.id = "july"}).result(), Error);
        engine.stop();
    }

    const std::string attempt = kept.with("attempt_failed");
    EXPECT_NE(attempt.find("attempt 1, not to be tried again: no paper"), std::string::npos) << attempt;
    EXPECT_EQ(attempt.find(" of 3"), std::string::npos) << attempt;
}

TEST(Log, keeps_what_a_workflow_redacts_to_itself) {
    Kept kept;
    EngineOptions options;
    options.log = kept.sink();
    {
        Engine engine(memory(), options);
        WorkflowOptions secret;
        secret.redact = true;
        engine.define("PRINT", print, secret);
        engine.start();
        EXPECT_THROW(engine.submit<int>("PRINT", 1).result(), Error);
        engine.stop();
    }

    EXPECT_NE(kept.with("attempt_failed").find("(redacted)"), std::string::npos);
    for (const auto& line : kept.lines) EXPECT_EQ(line.find("no paper"), std::string::npos) << line;
}

TEST(Log, goes_nowhere_when_that_is_asked) {
    EngineOptions options;
    options.log_to_stderr = false;
    EXPECT_FALSE(log_sink(options));
    options.log_to_stderr = true;
    EXPECT_TRUE(log_sink(options));
}

}  // namespace
}  // namespace belay::library
