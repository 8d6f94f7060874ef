// stats_test.cpp — sums by what was asked for, as a table and as JSON.
#include "service/cli/stats.hpp"

#include <sstream>

#include <gtest/gtest.h>
#include <boost/json.hpp>

#include <belay/error.hpp>

#include "service/cli/live_feed.hpp"

namespace belay::cli {
namespace {

using namespace std::chrono_literals;

const Time kMonday{std::chrono::sys_days{std::chrono::year{2026} / 11 / 16}};

model::LedgerRow row(Time day, const std::string& workflow, int runs, const char* dollars) {
    model::LedgerRow made;
    made.day = day;
    made.workflow_key = workflow;
    made.organization_id = "acme";
    made.succeeded = runs;
    made.failed = 1;
    made.steps = 10 * runs;
    made.cost.pay(Money(dollars, "USD"));
    made.saved = {2, 3s, {}};
    return made;
}

std::vector<model::LedgerRow> rows() {
    return {row(kMonday, "INVOICE", 2, "0.10"), row(kMonday, "RECEIPT", 3, "0.20"),
            row(kMonday + 24h, "INVOICE", 4, "0.30")};
}

TEST(Stats, rows_that_are_not_told_apart_are_added_up) {
    EXPECT_EQ(added_up(rows(), stats_by("workflow,day")).size(), 3u);
    const auto by_day = added_up(rows(), stats_by("day"));
    ASSERT_EQ(by_day.size(), 2u);
    EXPECT_EQ(by_day[0].succeeded, 5);
    EXPECT_EQ(by_day[0].cost.money.at("USD").amount(), "0.3");
    const auto by_workflow = added_up(rows(), stats_by("workflow"));
    ASSERT_EQ(by_workflow.size(), 2u);
    EXPECT_EQ(by_workflow[0].saved.steps, 4);
    EXPECT_EQ(added_up(rows(), stats_by("organization")).size(), 1u);
    EXPECT_THROW(stats_by("week"), Error);
}

TEST(Stats, a_table_has_a_total_and_json_the_same_numbers) {
    std::ostringstream text;
    print_stats(added_up(rows(), stats_by("workflow")), stats_by("workflow"),
                Screen{text, 200, false});
    EXPECT_NE(text.str().find("INVOICE"), std::string::npos) << text.str();
    EXPECT_NE(text.str().find("0.6 USD"), std::string::npos) << text.str();
    EXPECT_NE(text.str().find("total"), std::string::npos);

    std::ostringstream json;
    print_stats_json(rows(), stats_by("workflow,day"), Screen{json, 200, false});
    const auto parsed = boost::json::parse(json.str()).as_object();
    EXPECT_EQ(parsed.at("stats").as_array().size(), 3u);
    EXPECT_EQ(parsed.at("stats").as_array()[0].as_object().at("day"), "2026-11-16");
    EXPECT_EQ(parsed.at("total").as_object().at("runs").to_number<int>(), 12);
    EXPECT_EQ(
        parsed.at("total").as_object().at("cost").as_object().at("money").as_object().at("USD"),
        "0.6");
}

TEST(LiveFeed,
     an_event_of_the_engine_says_which_run_and_stage_and_one_of_a_program_is_as_published) {
    Event ended;
    ended.type = "stage_ended";
    ended.run_id = "july";
    ended.workflow_key = "INVOICE";
    ended.status = "succeeded";
    ended.stage_key = "ocr";
    ended.path = "1";
    ended.attempt = 2;
    ended.data = R"({"pages":3})";
    EXPECT_EQ(boost::json::parse(live_data(ended)),
              boost::json::parse(
                  R"({"workflow_run_id":"july","workflow_key":"INVOICE","status":"succeeded",
                                     "stage_key":"ocr","path":"1","attempt":2,"output":{"pages":3}})"));
    Event own;
    own.type = "classification_updated";
    own.run_id = "july";
    own.data = R"({"label":"cat"})";
    EXPECT_EQ(live_data(own), own.data);
}

}  // namespace
}  // namespace belay::cli
