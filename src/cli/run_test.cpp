// run_test.cpp — whole command lines, on a SQLite file as a program leaves it.
#include "cli/run.hpp"

#include <cstdlib>
#include <filesystem>
#include <sstream>

#include <gtest/gtest.h>
#include <boost/json.hpp>

namespace belay::cli {
namespace {

class RunTest : public testing::Test {
protected:
    RunTest() {
        std::string name = testing::TempDir() + "belay-cli-XXXXXX";
        folder = ::mkdtemp(name.data());
        file = (folder / "own.db").string();
    }
    ~RunTest() override { std::filesystem::remove_all(folder); }

    void make_queued_run(const std::string& id) const {
        const auto store = open_to_execute({file, {}, {}});
        store::Submit submit;
        submit.run.id = id;
        submit.run.workflow_key = "INVOICE";
        submit.run.input = "null";
        store::Batch batch;
        batch.now = clock.now();
        batch.verbs.emplace_back(std::move(submit));
        store->commit(batch);
    }

    ExitCode belay(std::vector<std::string> words) {
        out.str("");
        errors.str("");
        World world{Screen{out}, errors, [](const std::string&) { return std::nullopt; }, clock,
                    [](Duration) {}};
        return run(words, world);
    }

    std::filesystem::path folder;
    std::string file;
    env::ManualClock clock;
    std::ostringstream out;
    std::ostringstream errors;
};

TEST_F(RunTest, an_unknown_command_suggests_the_nearest) {
    EXPECT_EQ(belay({"rns", "list"}), ExitCode::Usage);
    EXPECT_EQ(errors.str(), "belay: `belay` has no command `rns`; did you mean `belay runs`?\n");

    EXPECT_EQ(belay({"runs", "--store", "x", "shwo"}), ExitCode::Usage);
    EXPECT_EQ(errors.str(),
              "belay: `belay runs` has no command `shwo`; did you mean `belay runs show`?\n");

    EXPECT_EQ(belay({"runs", "list", "--nonsense"}), ExitCode::Usage);
    EXPECT_TRUE(errors.str().ends_with("See belay runs list --help.\n")) << errors.str();
}

TEST_F(RunTest, help_and_version_go_to_the_output) {
    EXPECT_EQ(belay({"--version"}), ExitCode::Ok);
    EXPECT_TRUE(out.str().starts_with("belay ")) << out.str();
    EXPECT_EQ(belay({"--help"}), ExitCode::Ok);
    EXPECT_NE(out.str().find("Exit codes:"), std::string::npos) << out.str();
    EXPECT_EQ(belay({"help", "exit-codes"}), ExitCode::Ok);
    EXPECT_EQ(out.str(), kExitCodesHelp);
}

TEST_F(RunTest, every_command_has_an_example_in_its_help) {
    for (const std::string name :
         {"list", "show", "why", "tail", "cancel", "pause", "resume", "retry"}) {
        EXPECT_EQ(belay({"runs", name, "--help"}), ExitCode::Ok);
        EXPECT_NE(out.str().find("Example:\n  belay runs " + name), std::string::npos) << out.str();
    }
}

TEST_F(RunTest, a_store_that_is_not_there_is_exit_code_3_and_a_run_that_is_not_there_1) {
    EXPECT_EQ(belay({"runs", "list", "--store", file}), ExitCode::NoStore);
    EXPECT_NE(errors.str().find("there is no database at"), std::string::npos) << errors.str();
    EXPECT_FALSE(std::filesystem::exists(file));

    make_queued_run("july");
    EXPECT_EQ(belay({"runs", "list", "--store", file}), ExitCode::Ok);
    EXPECT_EQ(belay({"--store", file, "runs", "show", "august"}), ExitCode::Failed);
}

TEST_F(RunTest, a_run_is_canceled_and_retried_while_nobody_executes) {
    make_queued_run("july");

    EXPECT_EQ(belay({"runs", "cancel", "july", "--store", file}), ExitCode::Ok);
    EXPECT_TRUE(out.str().starts_with("july is canceled.")) << out.str();
    EXPECT_EQ(belay({"runs", "cancel", "july", "--store", file}), ExitCode::Failed);
    EXPECT_EQ(belay({"runs", "retry", "july", "--store", file, "--json"}), ExitCode::Ok);

    EXPECT_EQ(boost::json::parse(out.str()).at("status").as_string(), "queued");
}

TEST_F(RunTest, while_somebody_executes_it_reads_asks_and_says_who) {
    make_queued_run("july");
    const auto executing = open_to_execute({file, {}, {}});

    EXPECT_EQ(belay({"runs", "why", "july", "--store", file}), ExitCode::Ok);
    EXPECT_NE(out.str().find("executes on this store"), std::string::npos) << out.str();
    EXPECT_EQ(belay({"runs", "cancel", "july", "--store", file, "--wait", "1"}), ExitCode::NoStore);
    EXPECT_NE(errors.str().find("did not answer"), std::string::npos) << errors.str();
}

TEST_F(RunTest, the_doctor_finds_a_good_store_well_and_a_missing_one_not) {
    make_queued_run("july");
    EXPECT_EQ(belay({"doctor", "--store", file, "--json"}), ExitCode::Ok);
    const auto found = boost::json::parse(out.str());
    EXPECT_TRUE(found.at("ok").as_bool()) << out.str();

    EXPECT_EQ(belay({"doctor", "--data", (folder / "none").string()}), ExitCode::Failed);
    EXPECT_NE(out.str().find("✗ folder"), std::string::npos) << out.str();
}

}  // namespace
}  // namespace belay::cli
