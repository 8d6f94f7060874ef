// budget_test.cpp — what a paid call may cost is kept free before it is made: reserved, settled, given back, approved.
#include "core/model/budget.hpp"
#include "conformance/store_test.hpp"

namespace belay::store {
namespace {

Cost usd(const std::string& amount, std::int64_t tokens = 0) {
    Cost cost;
    cost.pay(Money(amount, "USD"));
    cost.tokens_in = tokens;
    return cost;
}

class BudgetTest : public StoreTest {
protected:
    void set(const std::string& name, Budget budget, const std::string& by = "acme") {
        if (budget.organization.empty()) budget.organization = by;
        ChangeBudget verb;
        verb.kind = ChangeKind::Set;
        verb.budget = {by, name, budget, ""};
        ASSERT_EQ(apply(verb).outcome, ChangeResult::Done);
    }
    void daily(const std::string& amount) { set("daily", {.money = Money(amount, "USD")}); }

    model::Run run_of(const std::string& id, const std::string& organization = "acme") {
        Submit verb = submit_of(id);
        verb.run.organization_id = organization;
        verb.claim_as = worker;
        return std::get<SubmitOutcome>(apply(verb).outcome).run;
    }
    static Reserve reserve_of(const model::Run& run, const std::string& path, const Cost& at_most,
                              const Cost& before = {}) {
        Reserve verb;
        verb.lease = lease_of(run);
        verb.path = path;
        verb.stage_key = "ask";
        verb.workflow_key = run.workflow_key;
        verb.organization_id = run.organization_id;
        verb.at_most = at_most;
        verb.before = before;
        return verb;
    }
    bool reserves(const model::Run& run, const std::string& path, const std::string& amount) {
        return is<Applied>(apply(reserve_of(run, path, usd(amount))).outcome);
    }
    static Record settling(const model::Run& run, const std::string& path, StageStatus status,
                           const Cost& cost) {
        Record verb = record_of(run, stage_of(path, status));
        verb.stage.cost = to_json(cost);
        verb.settles = Record::Settles::ByCost;
        return verb;
    }
    void pay(const model::Run& run, const std::string& path, const std::string& amount) {
        ASSERT_TRUE(
            is<Applied>(apply(settling(run, path, StageStatus::Succeeded, usd(amount))).outcome));
    }
    // It asked for too much, and waits for a person.
    void refuse_and_pause(const model::Run& run, const std::string& path,
                          const std::string& amount) {
        refuse_and_pause(run, path, usd(amount));
    }
    void refuse_and_pause(const model::Run& run, const std::string& path, const Cost& at_most) {
        const Reserve refused = apply(reserve_of(run, path, at_most));
        ASSERT_TRUE(is<Refused>(refused.outcome));
        End end = end_of(run, RunStatus::Paused);
        end.failure->code = to_string(ErrorCode::BudgetReached);
        ASSERT_TRUE(is<Applied>(apply(end).outcome));
    }
    Control approve(const std::string& id, const Money& limit = {}, const std::string& by = "acme",
                    bool is_own = false) {
        Control verb = control_of(id, ControlKind::Resume);
        verb.approves = model::Approval{by, is_own, limit};
        return apply(verb);
    }
    model::Run again(const std::string& id) {
        apply(claim_of());
        return get(id);
    }
    BudgetInfo standing(const std::string& name, const model::Run* run = nullptr) {
        for (BudgetInfo& one : store->budgets(now, run)) {
            if (one.name == name) return std::move(one);
        }
        throw std::logic_error("no budget " + name);
    }
    std::string spent(const std::string& name = "daily") { return standing(name).spent.amount(); }
    std::string reserved(const std::string& name = "daily") {
        return standing(name).reserved.amount();
    }
};

TEST_P(BudgetTest, what_a_call_may_cost_is_kept_free_until_its_record_says_what_it_cost) {
    daily("10");
    const auto run = run_of("july");

    EXPECT_TRUE(reserves(run, "1", "6"));
    EXPECT_EQ(reserved(), "6");
    EXPECT_EQ(spent(), "0");
    pay(run, "1", "1.25");

    EXPECT_EQ(reserved(), "0");
    EXPECT_EQ(spent(), "1.25");
    EXPECT_EQ(standing("daily").period, model::day_text(now));
}

TEST_P(BudgetTest, two_that_ask_at_once_never_get_more_than_there_is) {
    daily("10");
    const auto july = run_of("july");
    const auto august = run_of("august");

    apply_all({reserve_of(july, "1", usd("6")), reserve_of(august, "1", usd("5"))});

    EXPECT_TRUE(is<Applied>(verb_at<Reserve>(0).outcome));
    const auto& refused = verb_at<Reserve>(1);
    ASSERT_TRUE(refused.reached);
    EXPECT_EQ(refused.reached->budget.name, "daily");
    EXPECT_EQ(refused.reached->reserved.amount(), "6");
    EXPECT_EQ(std::get<Refused>(refused.outcome).why,
              "step `ask` may cost 5 USD, and budget `daily` (10 USD a day) has 0 USD spent and 6 "
              "USD reserved. The call was not made.");
    EXPECT_EQ(reserved(), "6");
    pay(july, "1", "5");
    EXPECT_TRUE(reserves(august, "1", "5"));
    EXPECT_FALSE(reserves(august, "2", "0.000000001"));
}

TEST_P(BudgetTest, a_reservation_survives_its_process_and_is_taken_by_the_same_call) {
    daily("10");
    const auto before = run_of("july");
    EXPECT_TRUE(reserves(before, "1", "6"));
    restart();
    EXPECT_EQ(reserved(), "6");

    const auto after = again("july");

    EXPECT_TRUE(is<Fenced>(apply(reserve_of(before, "2", usd("1"))).outcome));
    EXPECT_TRUE(reserves(after, "1", "6"));
    EXPECT_EQ(reserved(), "6");
    EXPECT_FALSE(reserves(after, "2", "5"));
    pay(after, "1", "6");
    EXPECT_EQ(spent(), "6");
    EXPECT_EQ(reserved(), "0");
}

TEST_P(BudgetTest, a_run_that_ends_gives_back_what_it_has_not_spent_however_it_ends) {
    daily("10");
    for (const RunStatus status : {RunStatus::Succeeded, RunStatus::Failed, RunStatus::Canceled}) {
        const auto run = run_of(std::string(to_string(status)));
        EXPECT_TRUE(reserves(run, "1", "8")) << to_string(status);
        apply(end_of(run, status));
        EXPECT_EQ(reserved(), "0") << to_string(status);
    }
    const auto waits = run_of("waits");
    EXPECT_TRUE(reserves(waits, "1", "8"));
    apply(wait_of(waits, now + 1h));
    EXPECT_EQ(reserved(), "8");
    apply(control_of("waits", ControlKind::Cancel));
    EXPECT_EQ(reserved(), "0");
}

TEST_P(BudgetTest, what_a_failed_attempt_cost_is_spent_and_the_next_asks_anew) {
    daily("10");
    const auto run = run_of("july");
    EXPECT_TRUE(reserves(run, "1", "6"));

    apply(settling(run, "1", StageStatus::Retrying, usd("2")));
    EXPECT_EQ(spent(), "2");
    EXPECT_EQ(reserved(), "0");
    EXPECT_TRUE(is<Applied>(apply(reserve_of(run, "1", usd("6"), usd("2"))).outcome));
    apply(settling(run, "1", StageStatus::Succeeded, usd("3.5")));

    EXPECT_EQ(spent(), "3.5");
    EXPECT_EQ(reserved(), "0");
}

TEST_P(BudgetTest, a_record_counts_once_and_one_of_which_nobody_knows_the_cost_counts_whole) {
    daily("10");
    const auto run = run_of("july");
    EXPECT_TRUE(reserves(run, "1", "4"));
    Record left_behind = settling(run, "1", StageStatus::Retrying, Cost{});
    left_behind.settles = Record::Settles::Whole;

    apply(left_behind);
    apply(left_behind);

    EXPECT_EQ(spent(), "4");
}

TEST_P(BudgetTest, a_record_that_is_not_written_settles_nothing) {
    daily("10");
    const auto run = run_of("july");
    pay(run, "1", "0");
    EXPECT_TRUE(reserves(run, "1", "4"));

    const auto refused = apply(settling(run, "1", StageStatus::Failed, usd("3")));

    EXPECT_TRUE(is<Refused>(refused.outcome));
    EXPECT_EQ(spent(), "0");
    EXPECT_EQ(reserved(), "4");
}

TEST_P(BudgetTest, a_day_ends_at_midnight_utc_and_a_run_has_one_budget_for_all_its_days) {
    daily("10");
    set("each", {.money = Money("15", "USD"), .per = BudgetPer::Run});
    const auto run = run_of("july");
    EXPECT_TRUE(reserves(run, "1", "10"));
    pay(run, "1", "10");
    EXPECT_FALSE(reserves(run, "2", "1"));

    now += 24h;

    EXPECT_EQ(spent(), "0");
    EXPECT_TRUE(reserves(run, "2", "5"));
    pay(run, "2", "5");
    const Reserve refused = apply(reserve_of(run, "3", usd("1")));
    ASSERT_TRUE(refused.reached);
    EXPECT_EQ(refused.reached->budget.name, "each");
    EXPECT_EQ(standing("each", &run).spent.amount(), "15");
    EXPECT_EQ(standing("each", &run).period, "july");
    const auto other = run_of("august");
    EXPECT_TRUE(reserves(other, "1", "1"));
}

TEST_P(BudgetTest, money_and_tokens_are_counted_each_by_its_own_and_other_currencies_not) {
    set("dollars", {.money = Money("1", "USD")});
    set("tokens", {.tokens = 1000});
    const auto run = run_of("july");
    Cost crowns;
    crowns.pay(Money("500", "SEK"));
    crowns.tokens_in = 400;
    crowns.tokens_out = 500;

    EXPECT_TRUE(is<Applied>(apply(reserve_of(run, "1", crowns)).outcome));
    const Reserve refused = apply(reserve_of(run, "2", usd("0.5", 200)));

    ASSERT_TRUE(refused.reached);
    EXPECT_EQ(refused.reached->budget.name, "tokens");
    EXPECT_EQ(model::amount_text(refused.reached->reserved), "900 tokens");
    EXPECT_EQ(reserved("dollars"), "0");
}

TEST_P(BudgetTest, it_counts_the_runs_it_names_and_no_others) {
    set("acme", {.money = Money("1", "USD")});
    set("letters", {.money = Money("1", "USD"), .workflow = "letter"});
    set("all", {.money = Money("3", "USD"), .organization = "*"}, "default");
    const auto acme = run_of("a");
    const auto other = run_of("b", "umbrella");

    EXPECT_TRUE(reserves(acme, "1", "1"));
    EXPECT_FALSE(reserves(acme, "2", "1"));
    EXPECT_TRUE(reserves(other, "1", "2"));
    const Reserve refused = apply(reserve_of(other, "2", usd("1")));
    ASSERT_TRUE(refused.reached);
    EXPECT_EQ(refused.reached->budget.name, "all");
    // P9: what the others pay is not told.
    EXPECT_EQ(std::get<Refused>(refused.outcome).why,
              "step `ask` may cost 1 USD, and budget `all` (3 USD a day, all organizations "
              "together) has not that much left. The call was not made.");
    pay(acme, "1", "1");
    EXPECT_EQ(spent("acme"), "1");
    EXPECT_EQ(spent("letters"), "0");
    EXPECT_EQ(spent("all"), "1");
}

TEST_P(BudgetTest, what_was_spent_before_a_budget_was_set_counts) {
    const auto run = run_of("july");
    EXPECT_TRUE(reserves(run, "1", "5"));
    pay(run, "1", "5");

    daily("6");

    EXPECT_EQ(spent(), "5");
    EXPECT_FALSE(reserves(run, "2", "2"));
}

TEST_P(BudgetTest, a_person_lets_what_was_asked_be_paid_once) {
    daily("10");
    const auto run = run_of("july");
    refuse_and_pause(run, "1", "12");

    const Control approved = approve("july");
    EXPECT_EQ(approved.outcome, ControlResult::Done) << approved.why;

    const auto resumed = again("july");
    EXPECT_TRUE(reserves(resumed, "1", "12"));
    EXPECT_EQ(reserved(), "12");
    EXPECT_FALSE(reserves(resumed, "2", "1"));
    pay(resumed, "1", "11");
    EXPECT_EQ(spent(), "11");
    EXPECT_FALSE(reserves(resumed, "1", "0.5"));
}

TEST_P(BudgetTest, a_new_limit_is_for_that_day_alone) {
    daily("10");
    const auto run = run_of("july");
    refuse_and_pause(run, "1", "12");

    EXPECT_EQ(approve("july", Money("11", "USD")).outcome, ControlResult::Refused);
    EXPECT_EQ(approve("july", Money("20", "EUR")).outcome, ControlResult::Refused);
    const Control approved = approve("july", Money("20", "USD"));
    EXPECT_EQ(approved.outcome, ControlResult::Done) << approved.why;

    const auto resumed = again("july");
    EXPECT_EQ(standing("daily").limit.amount(), "20");
    EXPECT_TRUE(reserves(resumed, "1", "12"));
    EXPECT_TRUE(reserves(resumed, "2", "8"));
    EXPECT_FALSE(reserves(resumed, "3", "1"));
    now += 24h;
    EXPECT_EQ(standing("daily").limit.amount(), "10");
}

// By then others have given back what they had reserved: each has room alone, and both together have not.
TEST_P(BudgetTest, a_new_limit_is_for_all_that_asked_at_once) {
    daily("10");
    const auto run = run_of("july");
    const auto other = run_of("august");
    EXPECT_TRUE(reserves(other, "1", "8"));
    EXPECT_FALSE(reserves(run, "1", "6"));
    refuse_and_pause(run, "2", "6");
    apply(end_of(other, RunStatus::Succeeded));

    EXPECT_EQ(approve("july", Money("11", "USD")).outcome, ControlResult::Refused);
    EXPECT_EQ(approve("july", Money("12", "USD")).outcome, ControlResult::Done);

    const auto resumed = again("july");
    EXPECT_TRUE(reserves(resumed, "1", "6"));
    EXPECT_TRUE(reserves(resumed, "2", "6"));
}

TEST_P(BudgetTest, a_limit_of_the_servers_own_organization_is_approved_by_nobody_else) {
    set("given", {.money = Money("10", "USD"), .organization = "acme"}, "default");
    const auto run = run_of("july");
    refuse_and_pause(run, "1", "12");

    for (const Money& limit : {Money{}, Money("20", "USD")}) {
        const Control refused = approve("july", limit);
        EXPECT_EQ(refused.outcome, ControlResult::Refused);
        EXPECT_NE(refused.why.find("set by `default`"), std::string::npos) << refused.why;
    }
    EXPECT_EQ(get("july").status, RunStatus::Paused);
    EXPECT_EQ(approve("july", {}, "default", true).outcome, ControlResult::Done);
}

// Of two calls that asked, one is in the way of a budget that this person may not approve.
TEST_P(BudgetTest, an_approval_that_is_refused_has_let_nothing_through) {
    set("own", {.money = Money("10", "USD")});
    const auto run = run_of("july");
    EXPECT_TRUE(is<Refused>(apply(reserve_of(run, "1", usd("12"))).outcome));
    set("given", {.tokens = 100, .organization = "acme"}, "default");
    refuse_and_pause(run, "2", usd("1", 200));

    EXPECT_EQ(approve("july").outcome, ControlResult::Refused);

    EXPECT_EQ(reserved("own"), "0");
    EXPECT_EQ(approve("july", {}, "default", true).outcome, ControlResult::Done);
    EXPECT_EQ(reserved("own"), "13");
    EXPECT_EQ(reserved("given"), "200");
}

TEST_P(BudgetTest, only_a_run_that_a_budget_has_paused_is_approved) {
    daily("10");
    const auto run = run_of("july");
    apply(end_of(run, RunStatus::Paused));

    const Control refused = approve("july");

    EXPECT_EQ(refused.outcome, ControlResult::Refused);
    EXPECT_NE(refused.why.find("not paused by a budget"), std::string::npos) << refused.why;
    EXPECT_EQ(get("july").status, RunStatus::Paused);
}

TEST_P(BudgetTest, what_the_code_declares_stands_until_it_declares_something_else) {
    ChangeBudget declare;
    declare.kind = ChangeKind::Declare;
    declare.budget = {"acme", "daily", {.money = Money("10", "USD"), .organization = "acme"}, "10"};
    apply(declare);
    daily("20");

    apply(declare);
    EXPECT_EQ(standing("daily").limit.amount(), "20");
    declare.budget.declared = "11";
    declare.budget.budget.money = Money("11", "USD");
    apply(declare);
    EXPECT_EQ(standing("daily").limit.amount(), "11");

    ChangeBudget remove;
    remove.kind = ChangeKind::Remove;
    remove.budget = {"umbrella", "daily", {}, ""};
    EXPECT_EQ(apply(remove).outcome, ChangeResult::NotFound);
    remove.budget.set_by = "acme";
    EXPECT_EQ(apply(remove).outcome, ChangeResult::Done);
    EXPECT_TRUE(store->budgets(now, nullptr).empty());
}

TEST_P(BudgetTest, a_run_that_goes_takes_its_own_sums_with_it_and_the_days_stay) {
    daily("10");
    set("each", {.money = Money("5", "USD"), .per = BudgetPer::Run});
    const auto run = run_of("july");
    EXPECT_TRUE(reserves(run, "1", "5"));
    pay(run, "1", "5");
    apply(end_of(run, RunStatus::Succeeded));
    Prune prune;
    prune.run_ids = {"july"};

    ASSERT_EQ(apply(prune).outcome.deleted.size(), 1U);

    EXPECT_EQ(spent(), "5");
    EXPECT_EQ(standing("each", &run).spent.amount(), "0");
}

BELAY_ON_EVERY_STORE(BudgetTest);

}  // namespace
}  // namespace belay::store
