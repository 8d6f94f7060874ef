#include "core/model/schedule.hpp"

#include <set>

#include <gtest/gtest.h>

#include <belay/error.hpp>

#include "core/base/text.hpp"

namespace belay::model {
namespace {

using namespace std::chrono;
using base::TimeZone;
using Texts = std::vector<std::string>;

Time utc(std::string_view text) { return base::parse_time(text).value(); }

std::shared_ptr<const TimeZone> zone_of(const std::string& name) {
    if (name == "UTC") return std::make_shared<const TimeZone>(TimeZone::utc());
    return std::make_shared<const TimeZone>(TimeZone::by_rule(name, "CET-1CEST,M3.5.0,M10.5.0/3"));
}

Schedule nightly() {
    Schedule schedule;
    schedule.name = "nightly";
    schedule.workflow_key = "REPORT";
    schedule.cron = "0 3 * * *";
    return schedule;
}

Timetable table_of(Schedule schedule) {
    auto zone = zone_of(schedule.zone);
    return Timetable{std::move(schedule), std::move(zone)};
}

Texts shown(const std::vector<Time>& times) {
    Texts out;
    for (const Time time : times) out.push_back(base::format_time(time).substr(0, 16));
    return out;
}

DueTicks due(const Schedule& schedule, std::string_view handled_until, std::string_view now) {
    return due_ticks(table_of(schedule), utc(handled_until), utc(now));
}

std::string refused(Schedule schedule) {
    try {
        table_of(std::move(schedule));
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::InvalidArgument);
        return error.what();
    }
    return "not refused";
}

TEST(Schedule, nothing_is_due_before_the_first_tick) {
    const auto now = due(nightly(), "2026-01-01T00:00:00Z", "2026-01-01T02:59:59.999Z");

    EXPECT_TRUE(now.fire.empty());
    EXPECT_EQ(now.handled_until, utc("2026-01-01T00:00:00Z"));
    EXPECT_EQ(now.wake_at, utc("2026-01-01T03:00:00Z"));
}

TEST(Schedule, a_tick_fires_once) {
    const auto first = due(nightly(), "2026-01-01T00:00:00Z", "2026-01-01T03:00:00Z");
    const auto again =
        due_ticks(table_of(nightly()), first.handled_until, utc("2026-01-01T03:00:01Z"));

    EXPECT_EQ(shown(first.fire), Texts{"2026-01-01T03:00"});
    EXPECT_EQ(first.wake_at, utc("2026-01-02T03:00:00Z"));
    EXPECT_TRUE(again.fire.empty());
    EXPECT_EQ(again.wake_at, first.wake_at);
}

TEST(Schedule, asking_at_every_wake_up_fires_every_tick_of_a_year_in_a_zone_with_summer_time) {
    Schedule schedule = nightly();
    schedule.zone = "Europe/Stockholm";
    schedule.cron = "30 2 * * *";
    const auto table = table_of(schedule);
    std::set<std::string> ids;
    Time handled = utc("2026-01-01T00:00:00Z");
    for (Time now = handled; now < utc("2027-01-01T00:00:00Z");) {
        const auto found = due_ticks(table, handled, now);
        for (const Time tick : found.fire)
            EXPECT_TRUE(ids.insert(run_id_of(schedule, tick)).second);
        handled = found.handled_until;
        now = found.wake_at.value();
    }

    EXPECT_EQ(ids.size(), 365u);
}

TEST(Schedule, asking_again_after_a_crash_gives_the_same_runs) {
    const auto before = due(nightly(), "2026-01-01T00:00:00Z", "2026-01-01T03:00:00Z");
    const auto after = due(nightly(), "2026-01-01T00:00:00Z", "2026-01-01T03:10:00Z");

    EXPECT_EQ(run_id_of(nightly(), before.fire.at(0)), run_id_of(nightly(), after.fire.at(0)));
    EXPECT_EQ(run_id_of(nightly(), before.fire.at(0)), "sched_nightly_2026-01-01T03:00:00Z");
}

// ---- catching up

TEST(ScheduleCatchUp, none_loses_what_was_missed_but_not_what_is_a_little_late) {
    Schedule schedule = nightly();
    schedule.catch_up = CatchUp::None;

    const auto late = due(schedule, "2026-01-01T00:00:00Z", "2026-01-01T03:01:00Z");
    const auto missed = due(schedule, "2026-01-01T00:00:00Z", "2026-01-03T12:00:00Z");

    EXPECT_EQ(shown(late.fire), Texts{"2026-01-01T03:00"});
    EXPECT_TRUE(missed.fire.empty());
    EXPECT_EQ(missed.lost, 3);
    EXPECT_EQ(missed.handled_until, utc("2026-01-03T03:00:00Z"));
    EXPECT_EQ(missed.wake_at, utc("2026-01-04T03:00:00Z"));
}

TEST(ScheduleCatchUp, latest_fires_the_last_one_that_was_missed) {
    const auto missed = due(nightly(), "2026-01-01T00:00:00Z", "2026-01-03T12:00:00Z");

    EXPECT_EQ(shown(missed.fire), Texts{"2026-01-03T03:00"});
    EXPECT_EQ(missed.lost, 2);
}

TEST(ScheduleCatchUp, all_fires_every_one_in_order) {
    Schedule schedule = nightly();
    schedule.catch_up = CatchUp::All;

    const auto missed = due(schedule, "2026-01-01T00:00:00Z", "2026-01-03T12:00:00Z");

    EXPECT_EQ(shown(missed.fire),
              (Texts{"2026-01-01T03:00", "2026-01-02T03:00", "2026-01-03T03:00"}));
    EXPECT_EQ(missed.lost, 0);
}

TEST(ScheduleCatchUp, all_is_bounded_and_keeps_the_newest) {
    Schedule schedule = nightly();
    schedule.catch_up = CatchUp::All;
    schedule.catch_up_max = 2;

    const auto missed = due(schedule, "2026-01-01T00:00:00Z", "2026-01-05T12:00:00Z");

    EXPECT_EQ(shown(missed.fire), (Texts{"2026-01-04T03:00", "2026-01-05T03:00"}));
    EXPECT_EQ(missed.lost, 3);
    EXPECT_EQ(missed.handled_until, utc("2026-01-05T03:00:00Z"));
}

TEST(ScheduleCatchUp, ten_years_of_seconds_are_not_walked_through) {
    Schedule schedule = nightly();
    schedule.cron = "* * * * * *";
    schedule.catch_up = CatchUp::All;
    schedule.catch_up_max = 3;

    const auto missed = due(schedule, "2016-01-01T00:00:00Z", "2026-01-01T00:00:00.500Z");

    EXPECT_EQ(missed.fire.size(), 3u);
    EXPECT_EQ(missed.fire.back(), utc("2026-01-01T00:00:00Z"));
    EXPECT_EQ(missed.handled_until, utc("2026-01-01T00:00:00Z"));
    EXPECT_EQ(missed.wake_at, utc("2026-01-01T00:00:01Z"));
}

TEST(ScheduleCatchUp, a_paused_schedule_fires_nothing_and_makes_up_for_nothing_once_resumed) {
    Schedule schedule = nightly();
    schedule.paused = true;

    const auto paused = due(schedule, "2026-01-01T00:00:00Z", "2026-01-03T12:00:00Z");
    schedule.paused = false;
    const auto resumed = due(schedule, "2026-01-03T12:00:00Z", "2026-01-03T12:00:01Z");

    EXPECT_TRUE(paused.fire.empty());
    EXPECT_EQ(paused.wake_at, std::nullopt);
    EXPECT_TRUE(resumed.fire.empty());
    EXPECT_EQ(resumed.wake_at, utc("2026-01-04T03:00:00Z"));
}

TEST(ScheduleCatchUp, a_clock_that_was_set_back_fires_nothing_twice) {
    const auto back = due(nightly(), "2026-01-05T03:00:00Z", "2026-01-03T12:00:00Z");

    EXPECT_TRUE(back.fire.empty());
    EXPECT_EQ(back.handled_until, utc("2026-01-05T03:00:00Z"));
    EXPECT_EQ(back.wake_at, utc("2026-01-06T03:00:00Z"));
}

// ---- start, end, jitter

TEST(Schedule, ticks_lie_from_its_start_until_before_its_end) {
    Schedule schedule = nightly();
    schedule.catch_up = CatchUp::All;
    schedule.start = utc("2026-01-02T03:00:00Z");
    schedule.end = utc("2026-01-04T03:00:00Z");

    const auto early = due(schedule, "2026-01-01T00:00:00Z", "2026-01-01T12:00:00Z");
    const auto late = due(schedule, "2026-01-01T00:00:00Z", "2026-01-10T00:00:00Z");

    EXPECT_TRUE(early.fire.empty());
    EXPECT_EQ(early.wake_at, utc("2026-01-02T03:00:00Z"));
    EXPECT_EQ(shown(late.fire), (Texts{"2026-01-02T03:00", "2026-01-03T03:00"}));
    EXPECT_EQ(late.wake_at, std::nullopt);
}

TEST(Schedule, jitter_moves_a_tick_later_and_always_by_the_same) {
    Schedule schedule = nightly();
    schedule.jitter = 10min;
    const auto table = table_of(schedule);
    const auto tick = utc("2026-01-01T03:00:00Z");
    const auto fires_at = table.fires_at(tick);

    const auto early = due_ticks(table, utc("2026-01-01T00:00:00Z"), fires_at - 1ms);
    const auto now = due_ticks(table, early.handled_until, fires_at);

    EXPECT_GE(fires_at, tick);
    EXPECT_LE(fires_at, tick + 10min);
    EXPECT_NE(table.fires_at(tick) - tick, table.fires_at(tick + 24h) - (tick + 24h));
    EXPECT_TRUE(early.fire.empty());
    EXPECT_EQ(early.wake_at, fires_at);
    EXPECT_EQ(now.fire, std::vector{tick});
    EXPECT_EQ(run_id_of(schedule, now.fire[0]), "sched_nightly_2026-01-01T03:00:00Z");
}

TEST(Schedule, jitter_longer_than_the_interval_still_fires_each_tick_once_and_in_order) {
    Schedule schedule = nightly();
    schedule.cron = "* * * * *";
    schedule.jitter = 10min;
    schedule.catch_up = CatchUp::All;
    const auto table = table_of(schedule);
    std::vector<Time> fired;
    Time handled = utc("2026-01-01T00:00:00Z");
    for (Time now = handled; now < utc("2026-01-01T06:00:00Z");) {
        const auto found = due_ticks(table, handled, now);
        fired.insert(fired.end(), found.fire.begin(), found.fire.end());
        EXPECT_EQ(found.lost, 0);
        handled = found.handled_until;
        ASSERT_GT(found.wake_at.value(), now);
        now = *found.wake_at;
    }

    ASSERT_GT(fired.size(), 340u);
    for (std::size_t i = 0; i < fired.size(); ++i)
        EXPECT_EQ(fired[i], utc("2026-01-01T00:01:00Z") + minutes{i});
}

// ---- overlap

TEST(ScheduleOverlap, says_what_to_do_with_a_tick) {
    for (const auto policy :
         {Overlap::Allow, Overlap::Skip, Overlap::BufferOne, Overlap::CancelPrevious})
        EXPECT_EQ(on_tick(policy, false), OnTick::Start);
    EXPECT_EQ(on_tick(Overlap::Allow, true), OnTick::Start);
    EXPECT_EQ(on_tick(Overlap::Skip, true), OnTick::Lose);
    EXPECT_EQ(on_tick(Overlap::BufferOne, true), OnTick::Buffer);
    EXPECT_EQ(on_tick(Overlap::CancelPrevious, true), OnTick::CancelThenStart);
}

TEST(Schedule, policies_have_words) {
    for (const auto policy : {CatchUp::None, CatchUp::Latest, CatchUp::All})
        EXPECT_EQ(catch_up(to_string(policy)), policy);
    for (const auto policy :
         {Overlap::Allow, Overlap::Skip, Overlap::BufferOne, Overlap::CancelPrevious})
        EXPECT_EQ(overlap(to_string(policy)), policy);
    EXPECT_EQ(catch_up("some"), std::nullopt);
    EXPECT_EQ(overlap(""), std::nullopt);
}

// ---- refusals

TEST(Schedule, what_cannot_be_used_is_refused_by_name) {
    const auto with = [](auto change) {
        Schedule schedule = nightly();
        change(schedule);
        return refused(std::move(schedule));
    };

    EXPECT_EQ(
        with([](auto& s) { s.name = "a/b"; }),
        "the schedule `a/b` cannot be used: a name has 1 to 100 letters, digits, `.`, `-` and "
        "`_`");
    EXPECT_EQ(
        with([](auto& s) { s.workflow_key = ""; }),
        "the schedule `nightly` cannot be used: its workflow_key must have 1 to 200 characters");
    EXPECT_EQ(with([](auto& s) { s.input = "{"; }),
              "the schedule `nightly` cannot be used: its input is not JSON");
    EXPECT_EQ(with([](auto& s) { s.catch_up_max = 0; }),
              "the schedule `nightly` cannot be used: catch_up_max is 0, and must be 1 to 10000");
    EXPECT_EQ(with([](auto& s) { s.jitter = 25h; }),
              "the schedule `nightly` cannot be used: a jitter of 1 d 1 h is outside 0 to 1 d");
    EXPECT_NE(with([](auto& s) {
                  s.start = utc("2026-01-02T00:00:00Z");
                  s.end = utc("2026-01-01T00:00:00Z");
              }).find("it ends (2026-01-01T00:00:00.000Z) before it starts"),
              std::string::npos);
    EXPECT_NE(with([](auto& s) { s.cron = "nonsense"; }).find("it has 1 field"), std::string::npos);
    EXPECT_NE(with([](auto& s) { s.name = ""; }), "not refused");
    EXPECT_NE(with([](auto& s) { s.name = std::string(101, 'x'); }), "not refused");
}

}  // namespace
}  // namespace belay::model
