// schedule_test.cpp — ticks become runs, once each, by the policy of their schedule.
#include "conformance/store_test.hpp"

namespace belay::store {
namespace {

class ScheduleTest : public StoreTest {
protected:
    static model::Schedule nightly(Overlap overlap = Overlap::Allow) {
        model::Schedule schedule;
        schedule.name = "nightly";
        schedule.workflow_key = "invoice";
        schedule.cron = "0 3 * * *";
        schedule.input = R"({"for":"yesterday"})";
        schedule.organization_id = "acme";
        schedule.overlap = overlap;
        return schedule;
    }
    ChangeSchedule change(ChangeKind kind, const model::Schedule& schedule = nightly(),
                          const std::string& declared = "") {
        ChangeSchedule verb;
        verb.kind = kind;
        verb.schedule = schedule;
        verb.declared = declared;
        return apply(verb);
    }
    model::StoredSchedule stored(const std::string& name = "nightly") {
        for (auto& one : store->schedules()) {
            if (one.schedule.name == name) return one;
        }
        return {};
    }
    Tick tick_of(std::vector<Time> ticks, const std::string& name = "nightly") {
        Tick verb;
        verb.schedule = name;
        verb.version = stored(name).version;
        verb.handled_until = ticks.empty() ? stored(name).handled_until : ticks.back();
        verb.ticks = std::move(ticks);
        verb.code_version = "7";
        return verb;
    }
    static Ids ids_of_started(const Tick& tick) {
        Ids ids;
        for (const auto& one : tick.started) ids.push_back(one.run.id);
        return ids;
    }
    // 2027-01-15T08:00:00Z and the hours after it.
    Time hour(int n) const { return kNow + n * 1h; }
    static constexpr Time kNow{1'800'000'000'000ms};
    static std::string id(int hour) {
        return "sched_nightly_2027-01-15T" + std::string(hour < 10 ? "0" : "") +
               std::to_string(hour) + ":00:00Z";
    }
};

TEST_P(ScheduleTest, a_schedule_is_kept_whole) {
    model::Schedule schedule = nightly(Overlap::BufferOne);
    schedule.zone = "Europe/Stockholm";
    schedule.catch_up = CatchUp::All;
    schedule.catch_up_max = 7;
    schedule.jitter = 5s;
    schedule.start = hour(1);
    schedule.end = hour(9);
    schedule.priority = 3;
    EXPECT_EQ(change(ChangeKind::Set, schedule).outcome, ChangeResult::Done);
    restart();

    const auto kept = stored();
    EXPECT_EQ(kept.schedule, schedule);
    EXPECT_EQ(kept.handled_until, now);
    EXPECT_EQ(kept.created_at, now);
    EXPECT_EQ(kept.fired, 0);
    ASSERT_EQ(apply(ReadSchedules{}).outcome.size(), 1u);
    EXPECT_EQ(apply(ReadSchedules{}).outcome[0].schedule, schedule);
}

TEST_P(ScheduleTest, a_tick_makes_its_run_and_moves_on_in_one_commit) {
    change(ChangeKind::Set);
    now = hour(1);

    const auto tick = apply(tick_of({hour(1)}));

    EXPECT_TRUE(tick.done);
    EXPECT_EQ(ids_of_started(tick), Ids{id(9)});
    const auto run = get(id(9));
    EXPECT_EQ(run.workflow_key, "invoice");
    EXPECT_EQ(run.input, R"({"for":"yesterday"})");
    EXPECT_EQ(run.organization_id, "acme");
    EXPECT_EQ(run.schedule, "nightly");
    EXPECT_EQ(run.code_version, "7");
    EXPECT_EQ(run.status, RunStatus::Queued);
    EXPECT_EQ(stored().handled_until, hour(1));
    EXPECT_EQ(stored().last_tick, hour(1));
    EXPECT_EQ(stored().last_run_id, id(9));
    EXPECT_EQ(stored().fired, 1);
}

TEST_P(ScheduleTest, of_two_workers_that_saw_the_same_tick_one_makes_the_run) {
    change(ChangeKind::Set);
    now = hour(1);

    apply_all({tick_of({hour(1)}), tick_of({hour(1)})});

    EXPECT_TRUE(verb_at<Tick>(0).done);
    EXPECT_FALSE(verb_at<Tick>(1).done);
    EXPECT_EQ(verb_at<Tick>(1).started.size(), 0u);
    EXPECT_EQ(stored().fired, 1);
}

TEST_P(ScheduleTest, a_tick_that_was_read_before_a_change_does_nothing) {
    change(ChangeKind::Set);
    const Tick old = tick_of({hour(1)});
    change(ChangeKind::Pause);

    EXPECT_FALSE(apply(old).done);
    change(ChangeKind::Remove);
    EXPECT_FALSE(apply(old).done);
    EXPECT_FALSE(exists(id(9)));
}

TEST_P(ScheduleTest, allowed_overlap_starts_every_tick) {
    change(ChangeKind::Set);
    EXPECT_EQ(ids_of_started(apply(tick_of({hour(1), hour(2)}))), (Ids{id(9), id(10)}));
    EXPECT_EQ(ids_of_started(apply(tick_of({hour(3)}))), Ids{id(11)});
}

TEST_P(ScheduleTest, a_tick_is_skipped_while_the_run_before_it_goes_on) {
    change(ChangeKind::Set, nightly(Overlap::Skip));
    apply(tick_of({hour(1)}));

    EXPECT_EQ(ids_of_started(apply(tick_of({hour(2)}))), Ids{});
    EXPECT_EQ(stored().lost, 1);
    EXPECT_EQ(stored().handled_until, hour(2));
    apply(end_of(apply(claim_of()).outcome.claimed.at(0), RunStatus::Failed));
    EXPECT_EQ(ids_of_started(apply(tick_of({hour(3)}))), Ids{id(11)});
}

TEST_P(ScheduleTest, one_tick_is_buffered_and_starts_when_the_run_before_it_has_finished) {
    change(ChangeKind::Set, nightly(Overlap::BufferOne));
    apply(tick_of({hour(1)}));
    const auto running = apply(claim_of()).outcome.claimed.at(0);
    apply(tick_of({hour(2)}));
    apply(tick_of({hour(3)}));
    EXPECT_EQ(stored().buffered, hour(3));
    EXPECT_EQ(stored().lost, 1);
    const auto version = stored().version;
    EXPECT_TRUE(apply(tick_of({})).done);
    EXPECT_EQ(stored().version, version) << "a look that finds nothing writes nothing";

    apply(end_of(running, RunStatus::Succeeded));
    EXPECT_EQ(ids_of_started(apply(tick_of({}))), Ids{id(11)});
    EXPECT_EQ(stored().buffered, std::nullopt);
    EXPECT_EQ(stored().fired, 2);
}

TEST_P(ScheduleTest, the_run_before_is_canceled_for_the_next_tick) {
    change(ChangeKind::Set, nightly(Overlap::CancelPrevious));
    apply(tick_of({hour(1)}));
    const auto running = apply(claim_of()).outcome.claimed.at(0);
    Submit child = submit_of("child");
    child.run.parent = running.no;
    child.run.parent_path = "1";
    apply(child);

    apply_all({tick_of({hour(2)})});

    EXPECT_EQ(ids_of_started(verb_at<Tick>(0)), Ids{id(10)});
    EXPECT_TRUE(get(id(9)).cancel_requested);
    EXPECT_TRUE(get("child").cancel_requested);
    ASSERT_EQ(woken().size(), 2u);
    EXPECT_EQ(woken()[0].run, running.no);
    EXPECT_TRUE(woken()[0].canceled);
}

TEST_P(ScheduleTest, ticks_go_into_their_queue) {
    ChangeQueue queue;
    queue.kind = ChangeKind::Set;
    queue.queue.name = "reports";
    queue.queue.limits.concurrency = 1;
    apply(queue);
    model::Schedule schedule = nightly();
    schedule.queue = "reports";
    schedule.priority = 4;
    change(ChangeKind::Set, schedule);
    apply(tick_of({hour(1), hour(2)}));

    EXPECT_EQ(get(id(9)).queue, "reports");
    EXPECT_EQ(get(id(9)).priority, 4);
    EXPECT_EQ(apply(claim_of()).outcome.claimed.size(), 1u);
    schedule.queue = "no-such";
    const auto refused = change(ChangeKind::Set, schedule);
    EXPECT_EQ(refused.outcome, ChangeResult::Refused);
    EXPECT_NE(refused.why.find("no-such"), std::string::npos);
}

TEST_P(ScheduleTest, an_id_that_someone_else_took_costs_the_tick_and_not_the_schedule) {
    change(ChangeKind::Set);
    queued(id(9));

    const auto tick = apply(tick_of({hour(1), hour(2)}));

    ASSERT_EQ(tick.started.size(), 2u);
    EXPECT_EQ(tick.started[0].kind, SubmitKind::Mismatch);
    EXPECT_EQ(stored().lost, 1);
    EXPECT_EQ(stored().fired, 1);
    EXPECT_EQ(stored().last_run_id, id(10));
}

TEST_P(ScheduleTest, pausing_and_resuming_let_the_ticks_between_go) {
    change(ChangeKind::Set);
    now = hour(1);
    EXPECT_EQ(change(ChangeKind::Pause).outcome, ChangeResult::Done);
    EXPECT_TRUE(stored().schedule.paused);
    now = hour(5);
    change(ChangeKind::Resume);
    EXPECT_FALSE(stored().schedule.paused);
    EXPECT_EQ(stored().handled_until, hour(5));
}

TEST_P(ScheduleTest, a_declaration_changes_only_what_the_code_changed) {
    change(ChangeKind::Declare, nightly(), "v1");
    model::Schedule by_hand = nightly();
    by_hand.cron = "0 4 * * *";
    change(ChangeKind::Set, by_hand);
    change(ChangeKind::Pause);
    const auto version = stored().version;

    change(ChangeKind::Declare, nightly(), "v1");
    EXPECT_EQ(stored().schedule.cron, "0 4 * * *");
    EXPECT_EQ(stored().version, version);
    now = hour(2);
    change(ChangeKind::Declare, nightly(Overlap::Skip), "v2");
    EXPECT_EQ(stored().schedule.cron, "0 3 * * *");
    EXPECT_EQ(stored().schedule.overlap, Overlap::Skip);
    EXPECT_TRUE(stored().schedule.paused) << "a pause is an operator's, not the code's";
    EXPECT_EQ(stored().handled_until, hour(2)) << "other times begin now";
}

TEST_P(ScheduleTest, what_is_not_there_is_not_changed) {
    EXPECT_EQ(change(ChangeKind::Pause).outcome, ChangeResult::NotFound);
    EXPECT_EQ(change(ChangeKind::Remove).outcome, ChangeResult::NotFound);
    change(ChangeKind::Set);
    EXPECT_EQ(change(ChangeKind::Remove).outcome, ChangeResult::Done);
    EXPECT_TRUE(store->schedules().empty());
}

BELAY_ON_EVERY_STORE(ScheduleTest);

// What Engine::backfill does: the runs of past ticks in one transaction, of no schedule for the policy of overlapping.
TEST_P(ScheduleTest,
       runs_of_past_ticks_are_made_whole_or_not_at_all_and_a_tick_that_fires_joins_them) {
    change(ChangeKind::Set, nightly(Overlap::Skip));
    const auto past = [this](bool fails) {
        Transact verb;
        verb.body = [this, fails](SqlTx& tx) {
            std::string kinds;
            for (const int n : {1, 2}) {
                model::NewRun run = model::run_of(nightly(), hour(n), "7");
                run.schedule.clear();
                kinds += std::to_string(static_cast<int>(tx.submit(run).kind));
            }
            if (fails) throw std::runtime_error("only counted " + kinds);
            return kinds;
        };
        return apply(std::move(verb)).outcome;
    };

    EXPECT_TRUE(std::holds_alternative<BodyFailed>(past(true)));
    EXPECT_FALSE(exists(id(9)));
    EXPECT_EQ(std::get<std::string>(past(false)), "00") << "created";
    EXPECT_EQ(std::get<std::string>(past(false)), "11") << "joined";
    now = hour(3);
    const auto tick = apply(tick_of({hour(2), hour(3)}));

    ASSERT_TRUE(tick.done);
    EXPECT_EQ(ids_of_started(tick), (Ids{id(10), id(11)})) << "they are not what it may overlap";
    EXPECT_EQ(tick.started.at(0).kind, SubmitKind::Joined);
    EXPECT_EQ(stored().fired, 2);
}

}  // namespace
}  // namespace belay::store
