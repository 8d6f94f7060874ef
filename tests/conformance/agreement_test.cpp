// agreement_test.cpp — random batches on every store at once: each must say and hold what memory
// does.
//
// The other files check what someone thought of. Here verbs are drawn at random, with leases old
// and new, bodies that fail and restarts in between, and after every batch the outcomes and all
// rows are compared. BELAY_SEED=n repeats one seed, BELAY_SEEDS=n runs more of them.
#include <cstdlib>
#include <random>

#include <fmt/format.h>

#include "conformance/store_test.hpp"

namespace belay::store {
namespace {

// ---- everything a store says, as text

std::string text_of(const std::optional<Time>& time) {
    return time ? std::to_string(time->time_since_epoch().count()) : "-";
}

// What a database says of a statement that it refuses is in its own words.
std::string text_of(const model::Failure& failure) {
    const std::string message = failure.code == "InvalidArgument" ? "its words" : failure.message;
    return failure.code + "/" + message + "/" + failure.stage + "/" + failure.path;
}

std::string text_of(const model::Run& run) {
    const auto failure = run.failure ? text_of(*run.failure) : "-";
    const auto progress = run.progress ? std::to_string(run.progress->done) : "-";
    // current_stage is left out: while several stages are open, which is the last is the store's
    // choice.
    return fmt::format(
        "{} {} {} {} result {} failure {} progress {} worker {} epoch {} attempts {} "
        "recoveries {} charges {} requested {}{} {} wake {} created {} updated {} started {} "
        "completed {} undo {} {}",
        run.no, run.id, run.workflow_key, to_string(run.status), run.result.value_or("-"), failure,
        progress, run.worker, run.epoch, run.attempts, run.recoveries, run.charges,
        run.cancel_requested, run.pause_requested, run.request_reason, text_of(run.wake_at),
        text_of(run.created_at), text_of(run.updated_at), text_of(run.started_at),
        text_of(run.completed_at), static_cast<int>(run.undo), run.undo_plan.value_or("-"));
}

std::string text_of(const model::Stage& stage) {
    return fmt::format("{} {} {} {} {} attempt {} finished {} next {} output {}", stage.path,
                       stage.stage_key, to_string(stage.kind), to_string(stage.status),
                       stage.position, stage.attempt, text_of(stage.finished_at),
                       text_of(stage.next_attempt_at), stage.output.value_or("-"));
}

std::string text_of(const WriteOutcome& outcome) {
    if (is<Applied>(outcome)) return "applied";
    if (is<Fenced>(outcome)) return "fenced";
    return is<Refused>(outcome) ? "refused" : "body failed";
}

std::string text_of(const Submit& verb) {
    if (is<BodyFailed>(verb.outcome)) return "submit: body failed";
    const auto& outcome = std::get<SubmitOutcome>(verb.outcome);
    return fmt::format("submit: {} {}", static_cast<int>(outcome.kind), text_of(outcome.run));
}

std::string text_of(const Claim& verb) {
    std::string out = fmt::format("claim: more {} next {}", verb.outcome.more_due,
                                  text_of(verb.outcome.next_due));
    for (const auto& run : verb.outcome.claimed) out += "\n    claimed " + text_of(run);
    for (const auto& run : verb.outcome.ended) out += "\n    ended " + text_of(run);
    return out;
}

std::string text_of(const Reclaim& verb) {
    std::string out = "reclaim:";
    for (const auto& run : verb.outcome) out += "\n    " + text_of(run);
    return out;
}

std::string text_of(const Load& verb) {
    std::string out = "load:";
    for (const auto& stages : verb.outcome) {
        for (const auto& stage : stages) out += "\n    " + text_of(stage);
    }
    return out;
}

std::string text_of(const Control& verb) {
    return fmt::format("control: {} {}", static_cast<int>(verb.outcome),
                       verb.run ? text_of(*verb.run) : "-");
}

std::string text_of(const TakeRequests& verb) {
    return fmt::format("requests: {}", verb.outcome.size());
}

std::string text_of(const AnswerRequest&) { return "answer"; }

std::string text_of(const Transact& verb) {
    const auto* output = std::get_if<std::string>(&verb.outcome);
    return output != nullptr ? "transact: " + *output : "transact: body failed";
}

std::string text_of(const Record& verb) {
    return "record: " + text_of(verb.outcome) + " " + text_of(verb.stage);
}

std::string text_of(const Reserve& verb) {
    const auto* refused = std::get_if<Refused>(&verb.outcome);
    return "reserve: " + text_of(verb.outcome) + (refused != nullptr ? " " + refused->why : "");
}

std::string text_of(const Send& verb) {
    return fmt::format("send: {} {}", static_cast<int>(verb.outcome), verb.why);
}

std::string text_of(const Await& verb) {
    return fmt::format("await: {} came {} signals {} {}", text_of(verb.outcome), verb.came,
                       verb.signals, text_of(verb.stage));
}

std::string text_of(const MarkStalled&) { return "mark stalled"; }

std::string text_of(const ChangeQueue& verb) {
    return fmt::format("change queue: {} {}", static_cast<int>(verb.outcome), verb.why);
}

std::string text_of(const ChangeBudget& verb) {
    return fmt::format("change budget: {} {}", static_cast<int>(verb.outcome), verb.why);
}

std::string text_of(const ChangeSchedule& verb) {
    return fmt::format("change schedule: {} {}", static_cast<int>(verb.outcome), verb.why);
}

std::string text_of(const ReadSchedules& verb) {
    return fmt::format("schedules: {}", verb.outcome.size());
}

std::string text_of(const Tick& verb) {
    return fmt::format("tick: {} started {}", verb.done, verb.started.size());
}

std::string text_of(const NoteSaved&) { return "note saved"; }
std::string text_of(const Wake&) { return "wake"; }
std::string text_of(const NoteDeath& verb) {
    std::string text = "note death, charged";
    for (const RunNo run : verb.charged) text += fmt::format(" {}", run.value);
    return text;
}

std::string text_of(const Prune& verb) {
    return fmt::format("prune: {}", verb.outcome.deleted.size());
}

std::string text_of(const Undo& verb) {
    return fmt::format("undo: {} open {}", text_of(verb.outcome), fmt::join(verb.open, " "));
}

template <class Write>
std::string text_of(const Write& verb) requires requires {
    verb.lease;
}
{ return "write: " + text_of(verb.outcome); }

std::string everything_in(Store& store) {
    std::string out;
    for (const auto& run : store.list_runs({.limit = 1000}).runs) {
        out += text_of(run) + "\n";
        for (const auto& stage : store.stages(run.no)) out += "    " + text_of(stage) + "\n";
        for (const auto& a : store.attempts(run.no))
            out += fmt::format("    attempt {} {}\n", a.path, a.attempt);
        const model::Said said = store.said(run.no);
        for (const auto& [name, value] : said.labels)
            out += fmt::format("    label {}={}\n", name, value);
        for (const auto& [name, value] : said.exposed)
            out += fmt::format("    exposes {} {}\n", name, value);
        for (const auto& d : store.deaths(run.no)) {
            out +=
                fmt::format("    death {} {} seen {} by {} at {} in {} charged {} {}\n", d.epoch,
                            d.worker, text_of(d.last_seen), d.picked_up_by, text_of(d.picked_up_at),
                            d.stage, d.charged, model::to_string(d.reason));
        }
    }
    const Time today{1'800'000'000'000ms};
    const auto tell = [&](const BudgetInfo& one) {
        out += fmt::format("    budget {} of {} for {}: limit {} spent {} reserved {}\n", one.name,
                           one.set_by, one.period, one.limit.amount(), one.spent.amount(),
                           one.reserved.amount());
    };
    for (const auto& one : store.budgets(today, nullptr)) tell(one);
    for (const auto& run : store.list_runs({.limit = 1000}).runs) {
        for (const auto& one : store.budgets(today, &run)) tell(one);
    }
    for (const auto& row : store.query("SELECT text FROM notes ORDER BY text", {}).rows) {
        out += "note " + std::get<std::string>(row.at(0)) + "\n";
    }
    return out;
}

// ---- verbs at random

class Dice {
public:
    explicit Dice(std::uint64_t seed) : random_(seed) {}

    int upto(int n) { return static_cast<int>(random_() % static_cast<std::uint64_t>(n)); }
    bool one_in(int n) { return upto(n) == 0; }

    Batch batch(Time now, const std::string& worker) {
        Batch batch;
        batch.now = now;
        const int verbs = 1 + upto(6);
        for (int i = 0; i < verbs; ++i) batch.verbs.push_back(verb(now, worker));
        return batch;
    }

private:
    Verb verb(Time now, const std::string& worker) {
        switch (upto(25)) {
            case 20:
            case 21:
                return undo();
            case 22:
            case 23:
                return reserve();
            case 24:
                return change_budget();
            case 19:
                return note_death(worker);
            case 0:
            case 1:
                return submit(now, worker);
            case 2:
                return claim(worker);
            case 3:
                return reclaim(worker);
            case 4:
                return load();
            case 5:
            case 6:
                return control();
            case 7:
                return end();
            case 8:
                return wait(now);
            case 9:
                return release();
            case 10:
                return Transact{body(), {}};
            case 11:
                return say();
            case 12:
                return Wake{RunNo{1 + upto(8)}};
            case 14:
                return send(now);
            case 15:
            case 16:
                return await(now);
            default:
                return record();
        }
    }

    std::string id() { return "run-" + std::to_string(upto(8)); }
    Lease lease() { return {RunNo{1 + upto(8)}, 1 + upto(5)}; }

    model::Stage stage() {
        model::Stage stage;
        const int number = 1 + upto(4);
        stage.path = one_in(3) ? fmt::format("{}.{}", number, 1 + upto(3)) : std::to_string(number);
        stage.stage_key = "stage_" + stage.path;
        stage.position = number * 10 + (stage.path.size() > 1 ? stage.path.back() - '0' : 0);
        stage.status = static_cast<StageStatus>(upto(7));
        stage.attempt = 1 + upto(3);
        if (stage.status == StageStatus::Succeeded) stage.output = std::to_string(upto(100));
        return stage;
    }

    TxBody body() {
        const std::string note = std::to_string(random_());
        const std::string child = id();
        const int kind = upto(8);
        return [note, child, kind](SqlTx& tx) -> std::string {
            const SqlValue value{note};
            tx.run("INSERT INTO notes (text) VALUES (?)", std::span(&value, 1));
            if (kind == 0) throw std::runtime_error("by chance");
            if (kind == 1)
                tx.run("INSERT OR ROLLBACK INTO notes (id, text) SELECT id, 'x' FROM notes", {});
            if (kind == 2) tx.run("COMMIT", {});
            if (kind == 3) {
                model::NewRun run;
                run.id = child;
                run.workflow_key = "invoice";
                tx.submit(run);
            }
            return "\"" + note + "\"";
        };
    }

    Submit submit(Time now, const std::string& worker) {
        Submit verb;
        verb.run.id = id();
        verb.run.workflow_key = one_in(8) ? "receipt" : "invoice";
        verb.run.input = one_in(10) ? "1" : "";
        if (one_in(4)) verb.run.available_at = now + Duration{upto(2000) - 500};
        if (one_in(2)) verb.claim_as = worker;
        verb.retry_failed = one_in(2);
        if (one_in(3)) verb.on_start = body();
        if (one_in(3)) verb.run.labels = labels();
        return verb;
    }

    Claim claim(const std::string& worker) {
        Claim verb;
        verb.worker = worker;
        verb.workflow_keys = {"invoice"};
        if (one_in(2)) verb.workflow_keys.emplace_back("receipt");
        verb.limit = upto(5);
        verb.suspects_max = upto(3);
        verb.charges_max = 1 + upto(3);
        if (one_in(2)) {
            verb.on_start = [hook = body()](const model::Run&) { return hook; };
        }
        return verb;
    }

    Reclaim reclaim(const std::string& worker) {
        Reclaim verb;
        verb.worker = worker;
        for (int i = 1; i <= 8; ++i) {
            if (one_in(4)) verb.runs.emplace_back(i);
        }
        return verb;
    }

    // Of a worker that has lived: whether another's run is in anybody's hands is for a store of many workers to see, and
    // one with a single executor need not ask (deaths_test has both).
    NoteDeath note_death(const std::string& worker) {
        NoteDeath verb;
        verb.worker = worker;
        verb.last_seen = Time{Duration{upto(5000)}};
        verb.reason = static_cast<model::DeathReason>(1 + upto(2));
        for (int i = upto(4); i > 0; --i) verb.executing.push_back({lease(), "stage"});
        return verb;
    }

    Load load() {
        Load verb;
        verb.runs = {RunNo{1 + upto(8)}, RunNo{1 + upto(8)}};
        return verb;
    }

    Control control() {
        Control verb;
        verb.run_id = id();
        verb.kind = static_cast<ControlKind>(upto(5));
        verb.reason = "by chance";
        verb.expected_epoch = upto(6);
        if (verb.kind == ControlKind::Resume && one_in(2)) {
            verb.approves = model::Approval{one_in(2) ? "acme" : "default", one_in(2), {}};
            if (one_in(2)) verb.approves->limit = Money(std::to_string(5 + upto(20)), "USD");
        }
        for (int i = upto(3); i > 0; --i) verb.reset_paths.push_back(stage().path);
        for (int i = upto(3); i > 0; --i) verb.forget_paths.push_back(stage().path);
        if (one_in(2)) {
            verb.on_end = [hook = body()](const model::Run&) { return hook; };
        }
        return verb;
    }

    Record record() {
        Record verb;
        verb.lease = lease();
        verb.stage = stage();
        if (one_in(3)) verb.body = body();
        if (one_in(4)) {
            model::Attempt attempt;
            attempt.path = verb.stage.path;
            attempt.attempt = 1 + upto(3);
            verb.attempts.push_back(attempt);
        }
        if (one_in(4)) verb.progress = model::Progress{upto(10), 10, "by chance"};
        verb.touch_run = one_in(3);
        verb.clear_recoveries = one_in(3);
        if (one_in(3)) {
            verb.settles = static_cast<Record::Settles>(1 + upto(2));
            verb.stage.cost = to_json(cost());
        }
        return verb;
    }

    End end() {
        End verb;
        verb.lease = lease();
        verb.status = static_cast<RunStatus>(upto(7));
        if (verb.status == RunStatus::Succeeded) verb.result = "1";
        if (verb.status == RunStatus::Failed)
            verb.failure = model::Failure{"StepFailed", "by chance", "x", stage().path};
        if (verb.status == RunStatus::Paused && one_in(2))
            verb.failure = model::Failure{one_in(2) ? "UndoFailed" : "BudgetReached", "by chance",
                                          "x", stage().path};
        if (one_in(2)) verb.on_end = body();
        return verb;
    }

    Cost cost() {
        Cost cost;
        if (one_in(2)) cost.pay(Money(std::to_string(upto(6)), "USD"));
        if (one_in(2)) cost.tokens_out = upto(600);
        return cost;
    }

    Reserve reserve() {
        Reserve verb;
        verb.lease = lease();
        verb.path = stage().path;
        verb.stage_key = "ask";
        verb.workflow_key = "invoice";
        verb.at_most = cost();
        if (one_in(3)) verb.before = cost();
        return verb;
    }

    ChangeBudget change_budget() {
        ChangeBudget verb;
        verb.kind = one_in(4)   ? ChangeKind::Remove
                    : one_in(2) ? ChangeKind::Set
                                : ChangeKind::Declare;
        Budget budget;
        if (one_in(2)) {
            budget.money = Money(std::to_string(3 + upto(9)), "USD");
        } else {
            budget.tokens = 300 + upto(900);
        }
        budget.per = one_in(2) ? BudgetPer::Run : BudgetPer::Day;
        if (one_in(2)) budget.workflow = one_in(2) ? "receipt" : "invoice";
        if (one_in(3)) budget.organization = "*";
        verb.budget = {one_in(2) ? "acme" : "default", "b" + std::to_string(upto(3)), budget,
                       std::to_string(upto(3))};
        return verb;
    }

    Wait wait(Time now) {
        Wait verb;
        verb.lease = lease();
        verb.wake_at = now + Duration{upto(3000)};
        if (one_in(2)) verb.progress = model::Progress{upto(5), 5, "by chance"};
        return verb;
    }

    std::string topic() { return one_in(2) ? "word" : "other"; }

    Send send(Time now) {
        Send verb;
        verb.message = {id(), topic(), std::to_string(upto(100)), "", "", std::nullopt};
        if (one_in(4)) verb.message.dedupe_key = std::to_string(upto(3));
        if (one_in(4)) verb.message.expires_at = now + Duration{upto(2000)};
        if (one_in(10)) verb.message.organization_id = "another";
        return verb;
    }

    Await await(Time now) {
        Await verb;
        verb.lease = lease();
        verb.stage = stage();
        verb.stage.status = StageStatus::Running;
        verb.stage.output.reset();
        if (one_in(2)) {
            verb.topic = topic();
            if (one_in(3)) verb.until = now + Duration{upto(1000) - 500};
            return verb;
        }
        verb.child_id = id();
        if (one_in(2)) {
            verb.start.emplace();
            verb.start->id = verb.child_id;
            verb.start->workflow_key = "invoice";
            verb.start->parent = verb.lease.run;
            verb.start->parent_path = verb.stage.path;
            verb.retry_failed = one_in(3);
        }
        return verb;
    }

    Say say() {
        Say verb;
        verb.lease = lease();
        verb.said.labels = labels();
        if (one_in(2))
            verb.said.exposed.emplace("e" + std::to_string(upto(3)), std::to_string(upto(9)));
        return verb;
    }

    Labels labels() {
        Labels labels;
        for (int i = upto(3); i > 0; --i)
            labels.insert_or_assign("l" + std::to_string(upto(4)), std::to_string(upto(3)));
        return labels;
    }

    Undo undo() {
        Undo verb;
        verb.lease = lease();
        verb.what = static_cast<UndoVerb>(upto(4));
        if (verb.what == UndoVerb::Begin) verb.plan = std::to_string(upto(100));
        return verb;
    }

    Release release() {
        Release verb;
        verb.lease = lease();
        return verb;
    }

    std::mt19937_64 random_;
};

// ---- two stores side by side

struct Side {
    std::unique_ptr<StoreUnderTest> under;
    std::unique_ptr<Store> store;

    explicit Side(const StoreKind& kind) : under(kind.make()), store(under->open()) {
        store->migrate({"notes", {"CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT)"}});
    }
    void restart() {
        store.reset();
        store = under->open();
    }
};

std::string commit(Store& store, Batch batch) {
    store.commit(batch);
    std::string out;
    for (const auto& verb : batch.verbs) {
        out += std::visit([](const auto& v) { return text_of(v); }, verb) + "\n";
    }
    for (const Woken& woken : batch.woken) {
        out += fmt::format("woken {} {} {} {} {}\n", woken.run.value, woken.signals, woken.path,
                           woken.topic, woken.canceled);
    }
    return out;
}

void compare(const StoreKind& kind, std::uint64_t seed) {
    SCOPED_TRACE(fmt::format("repeat with BELAY_SEED={}", seed));
    Dice dice{seed};
    Side oracle{every_store().front()};
    Side tested{kind};
    Time now{1'800'000'000'000ms};
    int session = 1;
    for (int step = 0; step < 60; ++step) {
        now += Duration{dice.upto(1000)};
        if (dice.one_in(12)) {
            ++session;
            oracle.restart();
            tested.restart();
        }
        const Batch batch = dice.batch(now, "worker-" + std::to_string(session));
        ASSERT_EQ(commit(*tested.store, batch), commit(*oracle.store, batch)) << "at step " << step;
        ASSERT_EQ(everything_in(*tested.store), everything_in(*oracle.store))
            << "after step " << step;
    }
}

std::uint64_t from_environment(const char* name, std::uint64_t otherwise) {
    const char* text = std::getenv(name);
    return text == nullptr ? otherwise : std::stoull(text);
}

class AgreementTest : public testing::TestWithParam<StoreKind> {};

TEST_P(AgreementTest, whatever_is_committed_every_store_says_and_holds_what_memory_does) {
    const auto first = from_environment("BELAY_SEED", 1);
    const auto count = from_environment("BELAY_SEEDS", std::getenv("BELAY_SEED") ? 1 : 20);
    for (auto seed = first; seed < first + count && !HasFatalFailure(); ++seed) {
        compare(GetParam(), seed);
    }
}

BELAY_ON_EVERY_STORE(AgreementTest);

}  // namespace
}  // namespace belay::store
