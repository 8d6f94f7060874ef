// run_test.cpp — whole command lines, on a SQLite file as a program leaves it.
#include "service/cli/run.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>
#include <boost/json.hpp>

#include "core/model/history_json.hpp"
#include "ingestion/cli/belay_bench.hpp"
#include "service/cli/runs_control.hpp"

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
        return run_belay(words, world);
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

TEST_F(RunTest, help_without_a_topic_is_that_of_belay_and_with_one_that_of_the_command) {
    for (const std::vector<std::string>& topic :
         {std::vector<std::string>{}, {"runs"}, {"runs", "why"}, {"doctor"}}) {
        std::vector<std::string> asked{"help"};
        asked.insert(asked.end(), topic.begin(), topic.end());
        EXPECT_EQ(belay(asked), ExitCode::Ok);
        const std::string told = out.str();
        asked = topic;
        asked.emplace_back("--help");
        EXPECT_EQ(belay(asked), ExitCode::Ok);
        EXPECT_EQ(told, out.str());
    }
    belay({"help", "runs", "why"});
    EXPECT_NE(out.str().find("Usage: belay runs why [OPTIONS] ID"), std::string::npos) << out.str();
}

TEST_F(RunTest, a_line_without_a_command_prints_the_help_and_asks_for_one) {
    for (const std::vector<std::string>& words :
         {std::vector<std::string>{}, {"--store", "own.db"}}) {
        EXPECT_EQ(belay(words), ExitCode::Usage);
        EXPECT_NE(errors.str().find("Exit codes:"), std::string::npos) << errors.str();
        EXPECT_TRUE(errors.str().ends_with("belay: name a command, such as `belay runs list`\n"))
            << errors.str();
    }
}

TEST_F(RunTest, runs_alone_lists_them_and_says_if_nobody_executes) {
    make_queued_run("july");
    EXPECT_EQ(belay({"runs", "list", "--store", file}), ExitCode::Ok);
    const std::string listed = out.str();
    EXPECT_TRUE(
        listed.ends_with("No process executes on this store: 1 unfinished run waits for one.\n"))
        << listed;
    EXPECT_EQ(belay({"runs", "--store", file}), ExitCode::Ok);
    EXPECT_EQ(out.str(), listed);
    EXPECT_EQ(belay({"runs", "--json", "--store", file}), ExitCode::Ok);
    EXPECT_EQ(boost::json::parse(out.str()).at("runs").as_array().size(), 1U);

    const auto executing = open_to_execute({file, {}, {}});
    EXPECT_EQ(belay({"runs", "--store", file}), ExitCode::Ok);
    EXPECT_EQ(out.str().find("No process"), std::string::npos) << out.str();
}

TEST_F(RunTest, every_command_has_an_example_in_its_help) {
    for (const std::string name :
         {"list", "show", "why", "tail", "export", "cancel", "pause", "resume", "retry"}) {
        EXPECT_EQ(belay({"runs", name, "--help"}), ExitCode::Ok);
        EXPECT_NE(out.str().find("Example:\n  belay runs " + name), std::string::npos) << out.str();
    }
}

TEST_F(RunTest, no_command_shows_the_examples_of_another) {
    for (const std::string name : {"content", "serve", "tokens", "doctor", "demo", "bench",
                                   "queues", "cards", "inbox", "backup"}) {
        EXPECT_EQ(belay({name, "--help"}), ExitCode::Ok);
        EXPECT_EQ(out.str().find("belay runs why july"), std::string::npos) << out.str();
    }
    belay({"content", "--help"});
    EXPECT_NE(out.str().find("Example:\n  belay content fetch"), std::string::npos) << out.str();
}

TEST_F(RunTest, a_number_that_cannot_be_is_refused_in_one_line) {
    EXPECT_EQ(belay({"runs", "list", "--store", file, "--before", "-3"}), ExitCode::Usage);
    EXPECT_EQ(
        errors.str(),
        "belay: --before: `-3` is not a whole number from 1 on\nSee belay runs list --help.\n");
}

TEST_F(RunTest, a_benchmark_is_of_this_machine_and_not_of_a_server) {
    EXPECT_EQ(belay({"bench", "W2", "--server", "http://127.0.0.1:1"}), ExitCode::Usage);
    EXPECT_NE(errors.str().find("this machine"), std::string::npos) << errors.str();
}

TEST_F(RunTest, a_store_that_is_not_there_is_exit_code_3_and_a_run_that_is_not_there_1) {
    EXPECT_EQ(belay({"runs", "list", "--store", file}), ExitCode::NoStore);
    EXPECT_NE(errors.str().find("there is no database at"), std::string::npos) << errors.str();
    EXPECT_FALSE(std::filesystem::exists(file));

    make_queued_run("july");
    EXPECT_EQ(belay({"runs", "list", "--store", file}), ExitCode::Ok);
    EXPECT_EQ(belay({"--store", file, "runs", "show", "august"}), ExitCode::Failed);
}

TEST_F(RunTest, a_run_is_exported_to_the_screen_or_to_a_file) {
    make_queued_run("july");
    EXPECT_EQ(belay({"runs", "export", "july", "--store", file}), ExitCode::Ok);
    const std::string text = out.str();
    EXPECT_EQ(model::read_history(text).run.id, "july");

    const auto to = (folder / "july.json").string();
    EXPECT_EQ(belay({"runs", "export", "july", "--store", file, "--output", to}), ExitCode::Ok);
    EXPECT_EQ(out.str(), "july: 0 stages, 0 failed attempts written to " + to + ".\n");
    std::ostringstream written;
    written << std::ifstream(to).rdbuf();
    EXPECT_EQ(written.str(), text);

    const auto nowhere = (folder / "none/july.json").string();
    EXPECT_NE(belay({"runs", "export", "july", "--store", file, "--output", nowhere}),
              ExitCode::Ok);
    EXPECT_NE(errors.str().find("No such file or directory"), std::string::npos) << errors.str();
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

    EXPECT_EQ(belay({"doctor", "--data", (folder / "none").string()}), ExitCode::NoStore);
    EXPECT_NE(out.str().find("✗ folder"), std::string::npos) << out.str();
    EXPECT_EQ(belay({"doctor", "--store", (folder / "nope.db").string()}), ExitCode::NoStore);
    EXPECT_NE(out.str().find("✗ database"), std::string::npos) << out.str();
}

TEST_F(RunTest, the_doctor_names_the_whole_folder_and_does_not_call_what_it_could_not_check_bad) {
    std::ofstream(file) << "this is no database, and long enough to be seen as none";
    const auto relative = std::filesystem::relative(file).string();
    EXPECT_EQ(belay({"doctor", "--store", relative}), ExitCode::NoStore);
    EXPECT_NE(out.str().find(folder.string() + " can be written"), std::string::npos) << out.str();
    EXPECT_NE(out.str().find("? integrity        not checked: "), std::string::npos) << out.str();
    EXPECT_NE(out.str().find("✗ database"), std::string::npos) << out.str();
    // Whether belay-media is beside this program is told as well, and is none of the store's.
    EXPECT_NE(out.str().find("1 to put right, "), std::string::npos) << out.str();
    EXPECT_NE(out.str().find(", 4 not checked."), std::string::npos) << out.str();
}

TEST_F(RunTest, the_doctor_tells_of_paused_runs) {
    make_queued_run("july");
    EXPECT_EQ(belay({"runs", "pause", "july", "--store", file}), ExitCode::Ok);
    EXPECT_EQ(belay({"doctor", "--store", file}), ExitCode::Ok);
    EXPECT_NE(out.str().find("1 run is paused and needs you: belay runs why july --store " + file),
              std::string::npos)
        << out.str();
    EXPECT_EQ(out.str().find("All is well"), std::string::npos) << out.str();
}

TEST_F(RunTest, the_doctor_says_where_a_crash_loop_dies_if_it_is_known) {
    make_queued_run("july");
    const auto store = open_to_execute({file, {}, {}});
    const auto pause = [&](const std::string& stage, const std::string& last_stage) {
        store::Claim claim;
        claim.worker = "w";
        claim.workflow_keys = {"INVOICE"};
        claim.limit = 1;
        store::Batch batch;
        batch.now = clock.now();
        batch.verbs.emplace_back(std::move(claim));
        store->commit(batch);
        const auto& run = std::get<store::Claim>(batch.verbs.front()).outcome.claimed.at(0);
        store::End end;
        end.lease = {run.no, run.epoch};
        end.status = RunStatus::Paused;
        end.current_stage = last_stage;
        end.failure = model::Failure{"CrashLoop", "crash loop: it died", stage, ""};
        batch.verbs.clear();
        batch.verbs.emplace_back(std::move(end));
        store->commit(batch);
    };
    pause("ocr", "");
    EXPECT_EQ(belay({"doctor", "--store", file}), ExitCode::Failed);
    EXPECT_NE(out.str().find("1 run paused, such as july: it died in step `ocr`\n"),
              std::string::npos)
        << out.str();
    EXPECT_EQ(out.str().find("needs you"), std::string::npos) << out.str();

    change_here(*store, {store::ControlKind::Resume, "july", ""}, clock.now());
    pause("", "");
    EXPECT_EQ(belay({"doctor", "--store", file}), ExitCode::Failed);
    EXPECT_NE(out.str().find("it died before its first step was recorded; the program's own log"),
              std::string::npos)
        << out.str();

    change_here(*store, {store::ControlKind::Resume, "july", ""}, clock.now());
    pause("", "split");
    EXPECT_EQ(belay({"doctor", "--store", file}), ExitCode::Failed);
    EXPECT_NE(out.str().find("it died after `split` was recorded; the program's own log"),
              std::string::npos)
        << out.str();
}

}  // namespace
}  // namespace belay::cli
