#include "core/model/transitions.hpp"

#include <fstream>
#include <iterator>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "core/model/status_words.hpp"

namespace belay::model {
namespace {

using Pair = std::pair<std::string, std::string>;

template <class Words>
std::set<Pair> allowed(const Words& words) {
    std::set<Pair> pairs;
    for (const auto& from : words) {
        for (const auto& to : words) {
            if (may_follow(from.value, to.value)) pairs.emplace(from.text, to.text);
        }
    }
    return pairs;
}

TEST(Transitions, a_run_moves_only_as_the_design_says) {
    const std::set<Pair> expected{
        {"queued", "running"},  {"queued", "paused"},    {"queued", "canceled"},
        {"queued", "failed"},   {"running", "running"},  {"running", "queued"},
        {"running", "waiting"}, {"running", "paused"},   {"running", "succeeded"},
        {"running", "failed"},  {"running", "canceled"}, {"waiting", "running"},
        {"waiting", "paused"},  {"waiting", "canceled"}, {"paused", "queued"},
        {"paused", "canceled"}, {"failed", "queued"},    {"canceled", "queued"},
    };

    EXPECT_EQ(allowed(kRunStatusWords), expected);
    EXPECT_EQ(kRunTransitions.size(), expected.size());
}

TEST(Transitions, a_stage_ends_from_any_open_state_and_never_leaves_its_end) {
    for (const auto& from : kStageStatusWords) {
        for (const auto& to : kStageStatusWords) {
            const bool allowed = may_follow(from.value, to.value);
            if (is_finished(from.value)) {
                EXPECT_FALSE(allowed) << from.text << " to " << to.text;
            } else if (is_finished(to.value)) {
                EXPECT_TRUE(allowed) << from.text << " to " << to.text;
            }
        }
    }
}

TEST(Transitions, a_stage_that_began_is_not_queued_again) {
    for (const auto& from : kStageStatusWords) {
        EXPECT_FALSE(may_follow(from.value, StageStatus::Queued)) << from.text;
    }
}

TEST(Transitions, nothing_leads_out_of_succeeded) {
    for (const auto& to : kRunStatusWords) {
        EXPECT_FALSE(may_follow(RunStatus::Succeeded, to.value)) << to.text;
    }
    for (const auto& to : kStageStatusWords) {
        EXPECT_FALSE(may_follow(StageStatus::Succeeded, to.value)) << to.text;
    }
}

TEST(Transitions, every_state_can_be_reached_from_queued) {
    std::set<RunStatus> reached{RunStatus::Queued};
    for (std::size_t before = 0; before != reached.size();) {
        before = reached.size();
        for (const auto& t : kRunTransitions) {
            if (reached.contains(t.from)) reached.insert(t.to);
        }
    }

    EXPECT_EQ(reached.size(), kRunStatusWords.size());
}

TEST(Transitions, every_transition_says_why) {
    for (const auto& t : kRunTransitions) EXPECT_FALSE(t.why.empty());
    for (const auto& t : kStageTransitions) EXPECT_FALSE(t.why.empty());
}

TEST(Transitions, the_sql_lists_name_every_state_once) {
    EXPECT_EQ(sql_list_of_run_statuses(),
              "'queued', 'running', 'waiting', 'paused', 'succeeded', 'failed', 'canceled'");
    EXPECT_EQ(sql_list_of_stage_statuses(),
              "'queued', 'running', 'retrying', 'succeeded', 'failed', 'skipped', 'canceled'");
}

TEST(Transitions, the_diagram_begins_at_queued_shows_every_transition_and_ends_where_runs_end) {
    const std::string diagram = run_diagram();

    EXPECT_TRUE(diagram.starts_with("stateDiagram-v2\n    [*] --> queued\n"));
    for (const auto& t : kRunTransitions) {
        const std::string line = "    " + std::string(to_string(t.from)) + " --> " +
                                 std::string(to_string(t.to)) + ": " + std::string(t.why) + "\n";
        EXPECT_NE(diagram.find(line), std::string::npos) << line;
    }
    EXPECT_NE(diagram.find("    succeeded --> [*]\n"), std::string::npos);
    EXPECT_EQ(diagram.find("    paused --> [*]\n"), std::string::npos);
}

TEST(Transitions, the_diagram_in_architecture_md_is_the_one_of_the_table) {
    std::ifstream file(BELAY_ARCHITECTURE);
    const std::string text{std::istreambuf_iterator<char>(file), {}};

    EXPECT_NE(text.find("```mermaid\n" + run_diagram() + "```"), std::string::npos)
        << "put this between the marks:\n"
        << run_diagram();
}

}  // namespace
}  // namespace belay::model
