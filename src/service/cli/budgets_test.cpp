// Budgets on the command line: whole command lines on a SQLite file.
#include "service/cli/budgets.hpp"

#include <filesystem>
#include <sstream>

#include <gtest/gtest.h>
#include <boost/json.hpp>

#include "core/library/host.hpp"
#include "core/model/budget.hpp"
#include "service/cli/cli_test.hpp"
#include "service/cli/command.hpp"
#include "service/cli/run.hpp"

namespace belay::cli {
namespace {

class BudgetCommands : public testing::Test {
protected:
    BudgetCommands() {
        std::string name = testing::TempDir() + "belay-budgets-XXXXXX";
        folder = ::mkdtemp(name.data());
        file = (folder / "own.db").string();
    }
    ~BudgetCommands() override { std::filesystem::remove_all(folder); }

    ExitCode belay(std::vector<std::string> words) {
        out.str("");
        errors.str("");
        words.insert(words.end(), {"--store", file});
        World world{Screen{out}, errors, [](const std::string&) { return std::nullopt; }, clock,
                    [](Duration) {}};
        return run(words, world);
    }
    boost::json::value json() const { return boost::json::parse(out.str()); }
    bool says(std::string_view text) const { return out.str().find(text) != std::string::npos; }

    template <class V>
    V commit(store::Store& store, V verb) const {
        store::Batch batch;
        batch.now = clock.now();
        batch.verbs.emplace_back(std::move(verb));
        store.commit(batch);
        return std::get<V>(std::move(batch.verbs.front()));
    }
    // A run whose paid step asked for too much.
    void pause_a_run(const std::string& id) const {
        const auto store = open_to_execute({file, {}, {}});
        store::Submit submit;
        submit.run.id = id;
        submit.run.workflow_key = "INVOICE";
        submit.run.input = "null";
        submit.run.organization_id = "default";
        submit.claim_as = "worker";
        const auto run =
            std::get<store::SubmitOutcome>(commit(*store, std::move(submit)).outcome).run;
        store::Reserve reserve;
        reserve.lease = {run.no, run.epoch};
        reserve.path = "1";
        reserve.stage_key = "ask";
        reserve.workflow_key = run.workflow_key;
        reserve.organization_id = run.organization_id;
        reserve.at_most.pay(Money("30", "USD"));
        const auto refused = commit(*store, std::move(reserve));
        store::End end;
        end.lease = {run.no, run.epoch};
        end.status = RunStatus::Paused;
        end.failure = model::Failure{std::string(to_string(ErrorCode::BudgetReached)),
                                     std::get<store::Refused>(refused.outcome).why, "ask", "1"};
        commit(*store, std::move(end));
    }

    std::filesystem::path folder;
    std::string file;
    env::ManualClock clock;
    std::ostringstream out;
    std::ostringstream errors;
};

TEST_F(BudgetCommands, a_budget_is_set_listed_and_removed) {
    ASSERT_EQ(belay({"budgets", "set", "models", "--limit", "20 USD"}), ExitCode::Ok)
        << errors.str();
    EXPECT_EQ(out.str(), "Budget models: 20 USD a day.\n");
    ASSERT_EQ(belay({"budgets", "set", "papers", "--limit", "50000 tokens", "--per", "run",
                     "--workflow", "WF1_RECEIPT", "--of", "*"}),
              ExitCode::Ok)
        << errors.str();
    EXPECT_EQ(out.str(),
              "Budget papers: 50000 tokens a run for WF1_RECEIPT, of every organization.\n");

    EXPECT_EQ(belay({"budgets"}), ExitCode::Ok);
    EXPECT_TRUE(says("models")) << out.str();
    EXPECT_EQ(belay({"budgets", "list", "--json"}), ExitCode::Ok);
    const auto first = json().at("budgets").at(0);
    EXPECT_EQ(first.at("name"), "models");
    EXPECT_EQ(first.at("limit"), "20");
    EXPECT_EQ(first.at("unit"), "USD");
    EXPECT_EQ(first.at("organization"), "default");
    EXPECT_EQ(json().at("budgets").at(1).at("unit"), "tokens");

    EXPECT_EQ(belay({"budgets", "remove", "models"}), ExitCode::Ok);
    EXPECT_EQ(belay({"budgets", "remove", "models"}), ExitCode::Failed);
    EXPECT_NE(errors.str().find("there is no budget `models`"), std::string::npos) << errors.str();
}

TEST_F(BudgetCommands, a_run_that_waits_for_more_says_so_and_is_let_go_on) {
    belay({"budgets", "set", "models", "--limit", "20 USD"});
    pause_a_run("july");

    EXPECT_EQ(belay({"runs", "why", "july"}), ExitCode::Ok);
    EXPECT_TRUE(says("budget `models` (20 USD a day) has 0 USD spent and 0 USD reserved"))
        << out.str();
    EXPECT_TRUE(out.str().ends_with("  belay budgets approve july --store " + file + "\n"))
        << out.str();
    EXPECT_EQ(belay({"budgets", "approve", "july", "--limit", "25 USD"}), ExitCode::Usage);
    EXPECT_NE(errors.str().find("would not be made either"), std::string::npos) << errors.str();
    EXPECT_EQ(belay({"budgets", "approve", "july", "--limit", "40 USD"}), ExitCode::Ok)
        << errors.str();
    EXPECT_EQ(out.str(), "Run july goes on under a limit of 40 USD.\n");
    EXPECT_EQ(belay({"budgets", "list", "--json"}), ExitCode::Ok);
    EXPECT_EQ(json().at("budgets").at(0).at("limit"), "40");
    EXPECT_EQ(json().at("budgets").at(0).at("amount"), "20");
    EXPECT_EQ(belay({"budgets", "approve", "july"}), ExitCode::Usage);
    EXPECT_EQ(belay({"budgets", "approve", "nobody"}), ExitCode::Failed);
}

TEST_F(BudgetCommands, approved_once_what_it_asked_is_reserved) {
    belay({"budgets", "set", "models", "--limit", "20 USD"});
    pause_a_run("july-2026");

    EXPECT_EQ(belay({"budgets", "approve", "july"}), ExitCode::Ok) << errors.str();
    EXPECT_EQ(out.str(), "Run july-2026 goes on, and may pay what it asked, once.\n");
    EXPECT_EQ(belay({"budgets", "list", "--run", "july", "--json"}), ExitCode::Ok);
    EXPECT_EQ(json().at("budgets").at(0).at("reserved"), "30");
}

TEST_F(BudgetCommands, what_cannot_be_says_what_can) {
    for (const char* limit : {"20", "much", "20 dollars", "-5 USD", "1.5 tokens", "5 TOK", ""}) {
        EXPECT_EQ(belay({"budgets", "set", "models", "--limit", limit}), ExitCode::Usage) << limit;
    }
    EXPECT_EQ(belay({"budgets", "set", "no name", "--limit", "20 USD"}), ExitCode::Usage);
    EXPECT_EQ(belay({"budgets", "set", "models", "--limit", "20 USD", "--per", "week"}),
              ExitCode::Usage);
    EXPECT_EQ(belay({"budgets"}), ExitCode::Ok);
    EXPECT_TRUE(says("No budgets yet")) << out.str();
}

}  // namespace
}  // namespace belay::cli
