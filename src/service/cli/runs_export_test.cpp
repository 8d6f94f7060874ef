#include "service/cli/runs_export.hpp"

#include <gtest/gtest.h>

#include <belay/error.hpp>

#include "core/env/memory_files.hpp"
#include "service/cli/cli_test.hpp"

namespace belay::cli {
namespace {

TEST(RunsExport, has_the_run_its_stages_and_its_failed_attempts) {
    CliBench b;
    const auto lease = b.submit("july", "w1");
    model::Attempt attempt;
    attempt.path = "1";
    attempt.finished_at = b.now();
    attempt.message = "503";
    b.record(lease, b.stage("1", "ocr", StageStatus::Succeeded), {attempt});
    b.end(lease, RunStatus::Succeeded);

    const auto text = model::history_json(history_of(b.outside, "july"));
    const auto history = model::read_history(text);

    EXPECT_EQ(history.run.id, "july");
    EXPECT_EQ(history.run.input, R"({"file_id":"f"})");
    EXPECT_EQ(history.run.result, R"({"total":"12.50"})");
    EXPECT_EQ(history.stages.at(0).stage_key, "ocr");
    EXPECT_EQ(history.attempts.at(0).message, "503");
}

TEST(RunsExport, a_run_that_is_not_there_is_said_so) {
    CliBench b;
    EXPECT_THROW(history_of(b.outside, "nowhere"), Error);
}

TEST(WriteWhole, a_file_is_whole_or_as_it_was_wherever_the_power_goes) {
    for (int n = 1;; ++n) {
        env::MemoryFiles files;
        files.create("/x.json")->sync();
        files.sync_folder("/");
        files.fail_call(n, env::MemoryFiles::Fault::PowerLost);
        bool done = false;
        try {
            write_whole(files, "/x.json", "all of it");
            done = true;
        } catch (const env::PowerLost&) {
        }
        files.lose_power();

        const auto size = files.open("/x.json")->size();
        EXPECT_TRUE(size == 9 || (size == 0 && !done)) << n;
        if (done) break;
        ASSERT_LT(n, 50);
    }
}

}  // namespace
}  // namespace belay::cli
