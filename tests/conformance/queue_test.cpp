// queue_test.cpp — runs wait for their turn: limits hold exactly, turns are fair, nothing is forgotten.
#include "conformance/store_test.hpp"

namespace belay::store {
namespace {

class QueueTest : public StoreTest {
protected:
    ChangeQueue change(ChangeKind kind, const std::string& name, const QueueLimits& limits = {},
                       const std::string& declared = "") {
        ChangeQueue verb;
        verb.kind = kind;
        verb.queue.name = name;
        verb.queue.limits = limits;
        verb.queue.declared = declared;
        verb.queue.pause_reason = kind == ChangeKind::Pause ? "the printer burns" : "";
        return apply(verb);
    }
    void queue(const QueueLimits& limits = {}, const std::string& name = "uploads") {
        ASSERT_EQ(change(ChangeKind::Set, name, limits).outcome, ChangeResult::Done);
    }

    Submit enqueue(const std::string& id, const std::string& partition = "",
                   std::int64_t priority = 0, const std::string& queue = "uploads") const {
        Submit verb = submit_of(id);
        verb.run.queue = queue;
        verb.run.partition = partition;
        verb.run.priority = priority;
        return verb;
    }
    model::Run enqueued(const std::string& id, const std::string& partition = "",
                        std::int64_t priority = 0) {
        return std::get<SubmitOutcome>(apply(enqueue(id, partition, priority)).outcome).run;
    }
    Claim::Outcome claim(int limit = 10) { return apply(claim_of(limit)).outcome; }
    Ids claimed(int limit = 10) { return ids_of(claim(limit).claimed); }
    void finish(const std::string& id) { apply(end_of(get(id), RunStatus::Succeeded)); }
    QueueInfo info(const std::string& name = "uploads") {
        for (const auto& one : store->queues(now, "")) {
            if (one.name == name) return one;
        }
        return {};
    }
    std::optional<model::QueuePlace> place(const std::string& id) {
        return store->place_in_queue(get(id).no, now);
    }
};

TEST_P(QueueTest, how_a_queue_stands_can_be_asked_for_one_organization_alone) {
    queue();
    for (const auto& [id, organization] :
         {std::pair{"july", "acme"}, {"august", "acme"}, {"june", "other"}}) {
        Submit verb = enqueue(id);
        verb.run.organization_id = organization;
        apply(verb);
    }
    claim(0);  // they come into line

    EXPECT_EQ(info().in_line + info().delayed, 3);
    const auto of = [&](std::string_view organization) {
        return store->queues(now, organization).at(0);
    };
    EXPECT_EQ(of("acme").in_line + of("acme").delayed, 2);
    EXPECT_EQ(of("other").in_line + of("other").delayed, 1);
    EXPECT_EQ(of("nobody").in_line + of("nobody").delayed, 0);
    EXPECT_FALSE(of("nobody").oldest_at);
    EXPECT_EQ(of("nobody").limits.concurrency, info().limits.concurrency);
}

TEST_P(QueueTest, a_run_keeps_what_its_submission_says_of_its_queue) {
    queue();
    Submit verb = enqueue("july", "acme", 5);
    verb.run.dedupe_id = "once";
    apply(verb);

    const auto run = get("july");
    EXPECT_EQ(run.queue, "uploads");
    EXPECT_EQ(run.partition, "acme");
    EXPECT_EQ(run.priority, 5);
    EXPECT_EQ(run.dedupe_id, "once");
    EXPECT_EQ(run.status, RunStatus::Queued);
    EXPECT_TRUE(run.turn);
}

TEST_P(QueueTest, a_run_for_a_queue_that_does_not_exist_is_refused_and_not_made) {
    const auto outcome = std::get<SubmitOutcome>(apply(enqueue("july")).outcome);

    EXPECT_EQ(outcome.kind, SubmitKind::UnknownQueue);
    EXPECT_FALSE(exists("july"));
}

TEST_P(QueueTest, it_is_not_claimed_with_its_submission) {
    queue();
    Submit verb = enqueue("july");
    verb.claim_as = worker;

    EXPECT_EQ(std::get<SubmitOutcome>(apply(verb).outcome).run.status, RunStatus::Queued);
    EXPECT_EQ(claimed(), Ids{"july"});
}

TEST_P(QueueTest, no_more_run_at_once_than_its_concurrency) {
    queue({.concurrency = 2});
    for (const auto* id : {"a", "b", "c", "d"}) enqueued(id);

    const auto first = claim();
    EXPECT_EQ(ids_of(first.claimed), (Ids{"a", "b"}));
    EXPECT_TRUE(first.more_due);
    EXPECT_EQ(claimed(), Ids{});

    finish("a");
    EXPECT_EQ(claimed(), Ids{"c"});
    finish("b");
    finish("c");
    const auto last = claim();
    EXPECT_EQ(ids_of(last.claimed), Ids{"d"});
    EXPECT_FALSE(last.more_due);
}

TEST_P(QueueTest, two_claims_of_one_batch_share_its_slots) {
    queue({.concurrency = 1});
    enqueued("a");
    enqueued("b");

    apply_all({claim_of(), claim_of()});

    EXPECT_EQ(ids_of(verb_at<Claim>(0).outcome.claimed), Ids{"a"});
    EXPECT_EQ(ids_of(verb_at<Claim>(1).outcome.claimed), Ids{});
}

TEST_P(QueueTest, each_worker_runs_no_more_than_its_share) {
    queue({.concurrency_per_worker = 1});
    for (const auto* id : {"a", "b", "c"}) enqueued(id);

    EXPECT_EQ(claimed(), Ids{"a"});
    EXPECT_EQ(claimed(), Ids{});
    EXPECT_EQ(info().running, 1);
}

TEST_P(QueueTest, a_failed_or_canceled_run_gives_its_slot_back) {
    queue({.concurrency = 1});
    for (const auto* id : {"a", "b", "c"}) enqueued(id);

    EXPECT_EQ(claimed(), Ids{"a"});
    apply(end_of(get("a"), RunStatus::Failed));
    EXPECT_EQ(claimed(), Ids{"b"});
    apply(end_of(get("b"), RunStatus::Paused));
    EXPECT_EQ(claimed(), Ids{"c"});
}

TEST_P(QueueTest, a_run_that_waits_holds_no_slot_and_is_the_next_when_it_wakes) {
    queue({.concurrency = 1});
    for (const auto* id : {"a", "b", "c"}) enqueued(id);
    EXPECT_EQ(claimed(), Ids{"a"});
    apply(wait_of(get("a"), now + 1s));
    EXPECT_EQ(claimed(), Ids{"b"});
    EXPECT_EQ(info().waiting, 1);

    now += 2s;
    EXPECT_EQ(claimed(), Ids{});
    EXPECT_EQ(place("a")->ahead, 0);
    EXPECT_EQ(place("c")->ahead, 1);
    finish("b");

    EXPECT_EQ(claimed(), Ids{"a"});
}

TEST_P(QueueTest, a_run_that_a_stopping_worker_puts_back_is_the_next) {
    queue({.concurrency = 1});
    enqueued("a");
    enqueued("b");
    claim();
    apply(release_of(get("a")));

    EXPECT_EQ(claimed(), Ids{"a"});
}

TEST_P(QueueTest, a_takeover_needs_no_slot_and_takes_no_token) {
    queue({.concurrency = 1, .rate = RateLimit{1, 1h}});
    enqueued("a");
    enqueued("b");
    EXPECT_EQ(claimed(), Ids{"a"});

    restart();
    EXPECT_EQ(claimed(), Ids{"a"});
    EXPECT_EQ(get("a").recoveries, 1);
    EXPECT_EQ(info().tokens_left, 0);
    finish("a");
    EXPECT_EQ(claimed(), Ids{});
    now += 1h;
    EXPECT_EQ(claimed(), Ids{"b"});
}

TEST_P(QueueTest, a_takeover_that_finds_no_slot_in_its_worker_waits_first_in_line) {
    queue({.concurrency_per_worker = 2});
    for (const auto* id : {"a", "b", "c"}) enqueued(id);
    EXPECT_EQ(claimed(), (Ids{"a", "b"}));
    restart();
    queue({.concurrency_per_worker = 1});

    EXPECT_EQ(claimed(), Ids{"a"});
    EXPECT_EQ(get("b").status, RunStatus::Queued);
    EXPECT_EQ(get("b").recoveries, 1);
    EXPECT_EQ(place("b")->ahead, 0);
    finish("a");
    EXPECT_EQ(claimed(), Ids{"b"});
}

TEST_P(QueueTest, no_more_begin_in_a_period_than_its_rate) {
    queue({.rate = RateLimit{2, 10s}});
    for (const auto* id : {"a", "b", "c", "d"}) enqueued(id);
    const Time begin = now;

    const auto first = claim();
    EXPECT_EQ(ids_of(first.claimed), (Ids{"a", "b"}));
    EXPECT_FALSE(first.more_due);
    EXPECT_EQ(first.next_due, begin + 10s);
    finish("a");
    finish("b");
    now = begin + 9999ms;
    EXPECT_EQ(claimed(), Ids{});

    now = begin + 10s;
    EXPECT_EQ(claimed(), (Ids{"c", "d"}));
}

TEST_P(QueueTest, each_token_comes_back_one_period_after_it_was_taken) {
    queue({.rate = RateLimit{2, 10s}});
    const Time begin = now;
    enqueued("a");
    EXPECT_EQ(claimed(), Ids{"a"});
    now = begin + 6s;
    enqueued("b");
    enqueued("c");
    enqueued("d");
    EXPECT_EQ(claimed(), Ids{"b"});

    now = begin + 10s;
    EXPECT_EQ(claimed(), Ids{"c"});
    now = begin + 15s;
    EXPECT_EQ(claimed(), Ids{});
    now = begin + 16s;
    EXPECT_EQ(claimed(), Ids{"d"});
}

TEST_P(QueueTest, a_run_that_wakes_takes_no_second_token_and_a_retry_does) {
    queue({.rate = RateLimit{1, 1h}});
    enqueued("a");
    claim();
    apply(wait_of(get("a"), now + 1s));
    now += 2s;
    EXPECT_EQ(claimed(), Ids{"a"});
    apply(end_of(get("a"), RunStatus::Failed));
    Control retry = control_of("a", ControlKind::Retry);
    retry.expected_epoch = get("a").epoch;
    EXPECT_EQ(apply(retry).outcome, ControlResult::Done);

    EXPECT_EQ(claimed(), Ids{});
    now += 1h;
    EXPECT_EQ(claimed(), Ids{"a"});
}

TEST_P(QueueTest, a_paused_queue_lets_none_begin_or_go_on_and_what_runs_goes_on) {
    queue({.concurrency = 5});
    enqueued("a");
    enqueued("sleeper");
    claim();
    apply(wait_of(get("sleeper"), now + 1s));
    EXPECT_EQ(change(ChangeKind::Pause, "uploads").outcome, ChangeResult::Done);
    enqueued("b");
    now += 2s;

    const auto outcome = claim();
    EXPECT_EQ(ids_of(outcome.claimed), Ids{});
    EXPECT_FALSE(outcome.more_due);
    EXPECT_EQ(info().paused, true);
    EXPECT_EQ(info().pause_reason, "the printer burns");
    EXPECT_EQ(place("b")->held_up_by, model::HeldUpBy::Paused);
    finish("a");

    EXPECT_EQ(change(ChangeKind::Resume, "uploads").outcome, ChangeResult::Done);
    EXPECT_EQ(claimed(), (Ids{"sleeper", "b"}));
}

TEST_P(QueueTest, higher_priority_goes_first_and_then_who_came_first) {
    queue({.concurrency = 1});
    enqueued("low", "", -1);
    enqueued("first");
    enqueued("second");
    enqueued("urgent", "", 9);

    Ids order;
    for (int i = 0; i < 4; ++i) {
        order.push_back(claimed().at(0));
        finish(order.back());
    }
    EXPECT_EQ(order, (Ids{"urgent", "first", "second", "low"}));
}

TEST_P(QueueTest, partitions_take_turns) {
    queue({.concurrency = 1});
    for (const auto* id : {"a1", "a2", "a3", "a4"}) enqueued(id, "a");
    for (const auto* id : {"b1", "b2"}) enqueued(id, "b");
    enqueued("c1", "c");

    Ids order;
    for (int i = 0; i < 7; ++i) {
        order.push_back(claimed().at(0));
        finish(order.back());
    }
    EXPECT_EQ(order, (Ids{"a1", "b1", "c1", "a2", "b2", "a3", "a4"}));
}

TEST_P(QueueTest, who_comes_while_another_has_much_in_line_waits_for_two_at_most) {
    queue({.concurrency = 1});
    for (int i = 0; i < 50; ++i) enqueued("a" + std::to_string(i), "a");
    for (int i = 0; i < 10; ++i) finish(claimed().at(0));
    const auto running = claimed().at(0);
    enqueued("b0", "b");

    EXPECT_LE(place("b0")->ahead, 1);
    finish(running);
    finish(claimed().at(0));
    EXPECT_EQ(claimed(), Ids{"b0"});
}

TEST_P(QueueTest, a_stream_of_new_partitions_does_not_keep_back_one_that_is_here) {
    queue({.concurrency = 1});
    for (int i = 0; i < 3; ++i) enqueued("a" + std::to_string(i), "a");
    Ids order;
    for (int i = 0; i < 12 && get("a2").status == RunStatus::Queued; ++i) {
        enqueued("n" + std::to_string(2 * i), "n" + std::to_string(2 * i));
        enqueued("n" + std::to_string(2 * i + 1), "n" + std::to_string(2 * i + 1));
        order.push_back(claimed().at(0));
        finish(order.back());
    }
    EXPECT_NE(get("a2").status, RunStatus::Queued) << testing::PrintToString(order);
}

TEST_P(QueueTest, turns_of_one_priority_say_nothing_about_another) {
    queue({.concurrency = 1});
    for (int i = 0; i < 5; ++i) enqueued("high" + std::to_string(i), "a", 1);
    for (int i = 0; i < 5; ++i) finish(claimed().at(0));
    for (int i = 0; i < 5; ++i) enqueued("a" + std::to_string(i), "a");
    enqueued("b0", "b");

    finish(claimed().at(0));
    EXPECT_EQ(claimed(), Ids{"b0"});
}

TEST_P(QueueTest, a_delayed_run_comes_into_line_when_its_time_has_come) {
    queue({.concurrency = 1});
    Submit later = enqueue("later");
    later.run.available_at = now + 1min;
    apply(later);
    EXPECT_EQ(info().delayed, 1);
    EXPECT_EQ(place("later"), std::nullopt);
    const auto nothing = claim();
    EXPECT_EQ(nothing.next_due, now + 1min);

    now += 1min;
    enqueued("now");
    EXPECT_EQ(claimed(), Ids{"now"});
    EXPECT_TRUE(place("later"));
    finish("now");
    EXPECT_EQ(claimed(), Ids{"later"});
}

TEST_P(QueueTest, queues_do_not_hold_up_each_other_or_runs_without_one) {
    queue({.concurrency = 0}, "closed");
    queue({.concurrency = 1}, "narrow");
    apply(enqueue("stuck", "", 0, "closed"));
    now += 1s;
    apply(enqueue("first", "", 0, "narrow"));
    apply(enqueue("second", "", 0, "narrow"));
    now += 1s;
    queued("free");

    EXPECT_EQ(claimed(), (Ids{"first", "free"}));
    EXPECT_EQ(place("stuck")->held_up_by, model::HeldUpBy::Concurrency);
}

TEST_P(QueueTest, a_claims_own_limit_is_shared_by_who_has_been_due_longest) {
    queue();
    queued("one");
    now += 1s;
    enqueued("two");
    now += 1s;
    queued("three");

    EXPECT_EQ(claimed(2), (Ids{"one", "two"}));
    EXPECT_EQ(claimed(2), Ids{"three"});
}

TEST_P(QueueTest, only_workflows_that_the_worker_defines_are_taken_out_of_line) {
    queue({.concurrency = 1});
    Submit other = enqueue("other");
    other.run.workflow_key = "receipt";
    apply(other);
    enqueued("mine");

    EXPECT_EQ(claimed(), Ids{"mine"});
    Claim both = claim_of();
    both.workflow_keys = {"receipt", "invoice"};
    EXPECT_EQ(apply(both).outcome.claimed.size(), 0u);
    finish("mine");
    EXPECT_EQ(ids_of(apply(both).outcome.claimed), Ids{"other"});
}

TEST_P(QueueTest, limits_can_be_changed_while_runs_are_in_line) {
    queue({.concurrency = 1});
    for (const auto* id : {"a", "b", "c"}) enqueued(id);
    EXPECT_EQ(claimed(), Ids{"a"});

    queue({.concurrency = 3});
    EXPECT_EQ(claimed(), (Ids{"b", "c"}));
    queue({.concurrency = 2});
    enqueued("d");
    finish("a");
    EXPECT_EQ(claimed(), Ids{});
    finish("b");
    EXPECT_EQ(claimed(), Ids{"d"});
}

TEST_P(QueueTest, a_dedupe_id_joins_the_unfinished_run_that_has_it) {
    queue();
    Submit first = enqueue("first");
    first.run.dedupe_id = "sync-42";
    apply(first);
    Submit again = enqueue("again");
    again.run.dedupe_id = "sync-42";

    const auto joined = std::get<SubmitOutcome>(apply(again).outcome);
    EXPECT_EQ(joined.kind, SubmitKind::Joined);
    EXPECT_EQ(joined.run.id, "first");
    EXPECT_FALSE(exists("again"));

    Submit other = again;
    other.run.input = "2";
    EXPECT_EQ(std::get<SubmitOutcome>(apply(other).outcome).kind, SubmitKind::Mismatch);
    claim();
    finish("first");
    EXPECT_EQ(std::get<SubmitOutcome>(apply(again).outcome).kind, SubmitKind::Created);
}

TEST_P(QueueTest, a_dedupe_id_is_that_of_one_organization_and_one_queue) {
    queue();
    queue({}, "others");
    const auto submit = [&](const std::string& id, const std::string& organization,
                            const std::string& queue) {
        Submit verb = enqueue(id, "", 0, queue);
        verb.run.organization_id = organization;
        verb.run.dedupe_id = "same";
        return std::get<SubmitOutcome>(apply(verb).outcome).kind;
    };
    EXPECT_EQ(submit("a", "acme", "uploads"), SubmitKind::Created);
    EXPECT_EQ(submit("b", "globex", "uploads"), SubmitKind::Created);
    EXPECT_EQ(submit("c", "acme", "others"), SubmitKind::Created);
    EXPECT_EQ(submit("d", "", ""), SubmitKind::Created);
    EXPECT_EQ(submit("e", "acme", "uploads"), SubmitKind::Joined);
    EXPECT_EQ(submit("f", "", ""), SubmitKind::Joined);
}

TEST_P(QueueTest, a_run_that_is_canceled_in_line_leaves_it) {
    queue({.concurrency = 1});
    for (const auto* id : {"a", "b", "c"}) enqueued(id);
    claim();
    EXPECT_EQ(apply(control_of("b", ControlKind::Cancel)).outcome, ControlResult::Done);
    EXPECT_EQ(place("b"), std::nullopt);
    EXPECT_EQ(info().in_line, 1);
    finish("a");
    EXPECT_EQ(claimed(), Ids{"c"});
}

TEST_P(QueueTest, a_run_that_is_paused_in_line_keeps_its_place) {
    queue({.concurrency = 1});
    for (const auto* id : {"a", "b", "c"}) enqueued(id);
    claim();
    apply(control_of("b", ControlKind::Pause));
    EXPECT_EQ(info().paused_runs, 1);
    apply(control_of("b", ControlKind::Resume));
    finish("a");
    EXPECT_EQ(claimed(), Ids{"b"});
}

TEST_P(QueueTest, a_child_in_line_whose_parent_is_canceled_needs_no_slot_to_end) {
    queue({.concurrency = 0});
    const auto parent = running("parent");
    Submit child = enqueue("child");
    child.run.parent = parent.no;
    child.run.parent_path = "1";
    apply(child);
    EXPECT_EQ(claimed(), Ids{});
    apply(control_of("parent", ControlKind::Cancel));

    EXPECT_EQ(claimed(), Ids{"child"});
    EXPECT_TRUE(get("child").cancel_requested);
}

TEST_P(QueueTest, a_start_hook_that_throws_gives_back_the_slot_and_takes_no_token) {
    queue({.concurrency = 1, .rate = RateLimit{1, 1h}});
    enqueued("bad");
    enqueued("good");
    Claim verb = claim_of();
    verb.on_start = [](const model::Run& run) -> TxBody {
        if (run.id != "bad") return {};
        return [](SqlTx&) -> std::string { throw std::runtime_error("no such customer"); };
    };

    const auto outcome = apply(verb).outcome;
    EXPECT_EQ(ids_of(outcome.ended), Ids{"bad"});
    EXPECT_EQ(ids_of(outcome.claimed), Ids{"good"});
}

TEST_P(QueueTest, a_place_says_how_many_are_ahead_and_why_none_goes) {
    queue({.concurrency = 1, .rate = RateLimit{2, 1h}});
    for (const auto* id : {"a", "b", "c"}) enqueued(id);
    EXPECT_EQ(place("c")->ahead, 2);
    EXPECT_EQ(place("c")->held_up_by, model::HeldUpBy::Nothing);
    claim();
    EXPECT_EQ(place("a"), std::nullopt);
    EXPECT_EQ(place("c")->ahead, 1);
    EXPECT_EQ(place("c")->held_up_by, model::HeldUpBy::Concurrency);
    EXPECT_EQ(place("c")->running, 1);
    const Time began = now;
    finish("a");
    claim();
    finish("b");
    EXPECT_EQ(place("c")->held_up_by, model::HeldUpBy::Rate);
    EXPECT_EQ(place("c")->next_token, began + 1h);
    queue({.concurrency_per_worker = 1});
    enqueued("d");
    claim();
    EXPECT_EQ(place("d")->held_up_by, model::HeldUpBy::PerWorker);
}

TEST_P(QueueTest, a_declaration_makes_a_queue_and_leaves_what_someone_changed_since) {
    EXPECT_EQ(change(ChangeKind::Declare, "uploads", {.concurrency = 8}, "8").outcome,
              ChangeResult::Done);
    EXPECT_EQ(info().limits.concurrency, 8);
    queue({.concurrency = 2});

    change(ChangeKind::Declare, "uploads", {.concurrency = 8}, "8");
    EXPECT_EQ(info().limits.concurrency, 2);
    change(ChangeKind::Pause, "uploads");
    change(ChangeKind::Declare, "uploads", {.concurrency = 9}, "9");
    EXPECT_EQ(info().limits.concurrency, 9);
    EXPECT_TRUE(info().paused);
}

TEST_P(QueueTest, a_queue_with_unfinished_runs_or_a_schedule_is_not_removed) {
    queue();
    enqueued("july");
    EXPECT_EQ(change(ChangeKind::Remove, "uploads").outcome, ChangeResult::Refused);
    claim();
    finish("july");
    ChangeSchedule schedule;
    schedule.kind = ChangeKind::Set;
    schedule.schedule.name = "nightly";
    schedule.schedule.workflow_key = "invoice";
    schedule.schedule.cron = "0 3 * * *";
    schedule.schedule.queue = "uploads";
    EXPECT_EQ(apply(schedule).outcome, ChangeResult::Done);
    const auto refused = change(ChangeKind::Remove, "uploads");
    EXPECT_EQ(refused.outcome, ChangeResult::Refused);
    EXPECT_NE(refused.why.find("nightly"), std::string::npos) << refused.why;
    schedule.kind = ChangeKind::Remove;
    apply(schedule);

    EXPECT_EQ(change(ChangeKind::Remove, "uploads").outcome, ChangeResult::Done);
    EXPECT_TRUE(store->queues(now, "").empty());
    EXPECT_EQ(change(ChangeKind::Remove, "uploads").outcome, ChangeResult::NotFound);
    EXPECT_EQ(change(ChangeKind::Pause, "uploads").outcome, ChangeResult::NotFound);
}

TEST_P(QueueTest, queues_and_lines_survive_a_restart) {
    queue({.concurrency = 1, .rate = RateLimit{3, 1h}});
    for (const auto* id : {"a1", "a2", "a3"}) enqueued(id, "a");
    enqueued("b1", "b");
    claim();
    finish("a1");
    restart();

    EXPECT_EQ(info().limits, (QueueLimits{.concurrency = 1, .rate = RateLimit{3, 1h}}));
    EXPECT_EQ(info().tokens_left, 2);
    EXPECT_EQ(claimed(), Ids{"b1"});
    finish("b1");
    EXPECT_EQ(claimed(), Ids{"a2"});
}

TEST_P(QueueTest, a_line_of_thousands_costs_a_claim_what_it_takes) {
    queue({.concurrency = 1});
    std::vector<Verb> verbs;
    for (int i = 0; i < 3000; ++i) verbs.emplace_back(enqueue("a" + std::to_string(i), "a"));
    apply_all(std::move(verbs));
    enqueued("b", "b");

    Ids order;
    for (int i = 0; i < 3; ++i) {
        order.push_back(claimed().at(0));
        finish(order.back());
    }
    EXPECT_EQ(order, (Ids{"a0", "b", "a1"}));
    EXPECT_EQ(info().in_line, 2998);
}

BELAY_ON_EVERY_STORE(QueueTest);

}  // namespace
}  // namespace belay::store
