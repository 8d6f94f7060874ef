// rider_test.cpp — what rides with a verb: both commit or neither, whatever the verb is.
#include <functional>

#include "conformance/store_test.hpp"

namespace belay::store {
namespace {

// One verb of each kind that can have a rider, and how to see whether it has done what it was asked.
struct Case {
    std::string name;
    std::function<Verb()> verb;
    std::function<bool()> is_done;
};

class RiderTest : public StoreTest {
protected:
    RiderTest() {
        make_notes_table();
        store->migrate(
            {"keys", {"CREATE TABLE keys (key TEXT PRIMARY KEY, answer TEXT NOT NULL)"}});
    }

    // Writes the key with how the verb ended; a key that is there is an error.
    static Rider key(const std::string& name) {
        Rider rider;
        rider.body = [name](SqlTx& tx, const Ridden& told) -> std::string {
            std::string answer = told.run != nullptr        ? told.run->id
                                 : told.schedule != nullptr ? told.schedule->schedule.name
                                 : told.output != nullptr   ? *told.output
                                                            : "done";
            const std::vector<SqlValue> values{SqlValue{name}, SqlValue{answer}};
            const auto written = tx.run(
                "INSERT INTO keys (key, answer) VALUES (?, ?) ON CONFLICT DO NOTHING", values);
            if (written.changed == 0) throw std::runtime_error("the key was used before");
            return answer;
        };
        return rider;
    }
    static Rider failing() {
        Rider rider;
        rider.body = [](SqlTx& tx, const Ridden&) -> std::string {
            write_note("of the rider")(tx);
            throw std::runtime_error("it does not ride");
        };
        return rider;
    }
    std::vector<std::string> keys() {
        std::vector<std::string> out;
        for (const auto& row : store->query("SELECT key, answer FROM keys ORDER BY key", {}).rows)
            out.push_back(std::get<std::string>(row.at(0)) + "=" +
                          std::get<std::string>(row.at(1)));
        return out;
    }

    // With a hook of its own, so that there is a body before the rider's.
    Control cancel_of(const std::string& id) const {
        Control verb = control_of(id, ControlKind::Cancel);
        verb.on_end = [](const model::Run&) { return write_note("of the hook"); };
        return verb;
    }
    Send message_to(const std::string& id) const {
        Send verb;
        verb.message.run_id = id;
        verb.message.topic = "answer";
        verb.message.payload = "1";
        verb.message.dedupe_key = "once";
        return verb;
    }
    static ChangeQueue queue_of(const std::string& name) {
        ChangeQueue verb;
        verb.kind = ChangeKind::Set;
        verb.queue.name = name;
        return verb;
    }
    static ChangeSchedule schedule_of(const std::string& name) {
        ChangeSchedule verb;
        verb.kind = ChangeKind::Set;
        verb.schedule.name = name;
        verb.schedule.workflow_key = "invoice";
        verb.schedule.cron = "0 3 * * *";
        verb.schedule.zone = "UTC";
        verb.schedule.input = "{}";
        return verb;
    }
    static Transact transact_of(const std::string& note) {
        Transact verb;
        verb.body = write_note(note, "written");
        return verb;
    }

    std::vector<Case> cases() {
        waiting("canceled");
        waiting("sent");
        running("asked");
        const auto has_queue = [this] {
            for (const QueueInfo& queue : store->queues(now, "")) {
                if (queue.name == "uploads") return true;
            }
            return false;
        };
        return {
            {"Submit",
             [] {
                 return Verb{[] {
                     Submit verb;
                     verb.run = new_run("new");
                     return verb;
                 }()};
             },
             [this] { return exists("new"); }},
            {"Control", [this] { return Verb{cancel_of("canceled")}; },
             [this] { return get("canceled").status == RunStatus::Canceled; }},
            {"Control of a running one", [this] { return Verb{cancel_of("asked")}; },
             [this] { return get("asked").cancel_requested; }},
            {"Send", [this] { return Verb{message_to("sent")}; },
             [this] { return !store->messages("sent", 10).empty(); }},
            {"ChangeQueue", [] { return Verb{queue_of("uploads")}; }, has_queue},
            {"ChangeSchedule", [] { return Verb{schedule_of("nightly")}; },
             [this] { return !store->schedules().empty(); }},
            {"Transact", [] { return Verb{transact_of("of the body")}; },
             [this] {
                 const auto all = notes();
                 return std::find(all.begin(), all.end(), "of the body") != all.end();
             }},
        };
    }
    static void give(Verb& verb, const Rider& rider) {
        std::visit(
            [&](auto& one) {
                if constexpr (requires { one.rider; }) one.rider = rider;
            },
            verb);
    }
    static std::exception_ptr failure_of_rider(const Verb& verb) {
        return std::visit(
            [](const auto& one) -> std::exception_ptr {
                if constexpr (requires { one.rider; }) return one.rider.failed;
                return nullptr;
            },
            verb);
    }
    Verb commit(Verb verb) {
        std::vector<Verb> one;
        one.push_back(std::move(verb));
        return std::move(commit_all(std::move(one)).front());
    }
    std::vector<Verb> commit_all(std::vector<Verb> verbs) {
        Batch batch;
        batch.now = now;
        batch.verbs = std::move(verbs);
        store->commit(batch);
        return std::move(batch.verbs);
    }
};

TEST_P(RiderTest, a_verb_and_its_rider_commit_together) {
    for (const Case& one : cases()) {
        SCOPED_TRACE(one.name);
        Verb verb = one.verb();
        give(verb, key(one.name));

        EXPECT_FALSE(failure_of_rider(commit(std::move(verb))));

        EXPECT_TRUE(one.is_done());
    }
    EXPECT_EQ(keys(), (Ids{"ChangeQueue=done", "ChangeSchedule=nightly", "Control=canceled",
                           "Control of a running one=asked", "Send=done", "Submit=new",
                           "Transact=written"}));
}

TEST_P(RiderTest, a_rider_that_throws_takes_its_verb_back_and_spares_its_neighbours) {
    for (const Case& one : cases()) {
        SCOPED_TRACE(one.name);
        std::vector<Verb> verbs{transact_of("before " + one.name), one.verb(),
                                transact_of("after " + one.name)};
        give(verbs[1], failing());

        verbs = commit_all(std::move(verbs));

        EXPECT_EQ(text_of(BodyFailed{failure_of_rider(verbs[1])}), "it does not ride");
        EXPECT_FALSE(one.is_done());
        const auto all = notes();
        ASSERT_GE(all.size(), 2u);
        EXPECT_EQ(all.at(all.size() - 2), "before " + one.name);
        EXPECT_EQ(all.back(), "after " + one.name);

        // What was taken back can be done after all.
        Verb again = one.verb();
        give(again, key(one.name));
        commit(std::move(again));
        EXPECT_TRUE(one.is_done());
    }
}

TEST_P(RiderTest, of_two_with_one_key_the_second_is_taken_back) {
    std::vector<Verb> verbs{transact_of("first"), transact_of("second")};
    for (Verb& verb : verbs) give(verb, key("k"));

    verbs = commit_all(std::move(verbs));
    Verb third{transact_of("third")};
    give(third, key("k"));
    third = commit(std::move(third));

    EXPECT_FALSE(failure_of_rider(verbs[0]));
    EXPECT_EQ(text_of(BodyFailed{failure_of_rider(verbs[1])}), "the key was used before");
    EXPECT_EQ(text_of(BodyFailed{failure_of_rider(third)}), "the key was used before");
    EXPECT_EQ(notes(), Ids{"first"});
}

TEST_P(RiderTest, nothing_rides_with_a_verb_that_is_refused) {
    ended("over", RunStatus::Succeeded);
    Control cancel = cancel_of("over");
    Control nobody = cancel_of("nobody");
    Send late = message_to("over");
    ChangeQueue remove = queue_of("nowhere");
    remove.kind = ChangeKind::Remove;
    Transact throwing;
    throwing.body = [](SqlTx&) -> std::string { throw std::runtime_error("no"); };
    int n = 0;
    for (Verb verb : {Verb{cancel}, Verb{nobody}, Verb{late}, Verb{remove}, Verb{throwing}}) {
        give(verb, key(std::to_string(++n)));
        EXPECT_FALSE(failure_of_rider(commit(std::move(verb))));
    }
    EXPECT_TRUE(keys().empty());
}

TEST_P(RiderTest, a_run_that_was_taken_back_can_be_written_for) {
    const auto july = running("july");
    Verb cancel{cancel_of("july")};
    give(cancel, failing());

    const auto verbs =
        commit_all({std::move(cancel), Verb{record_of(july, stage_of("1", StageStatus::Succeeded))},
                    Verb{end_of(july, RunStatus::Succeeded)}});

    EXPECT_TRUE(is<Applied>(std::get<Record>(verbs[1]).outcome));
    EXPECT_TRUE(is<Applied>(std::get<End>(verbs[2]).outcome));
    EXPECT_EQ(get("july").status, RunStatus::Succeeded);
}

TEST_P(RiderTest, a_request_is_answered_in_the_commit_of_what_it_asks_for) {
    ControlRequest asked;
    asked.kind = "tokens";
    asked.created_at = now;
    const auto first = store->ask(asked);
    const auto second = store->ask(asked);
    Transact good = transact_of("good");
    good.rider = key("good");
    good.rider.request = first;
    Transact bad = transact_of("bad");
    bad.rider = failing();
    bad.rider.request = second;

    commit_all({Verb{good}, Verb{bad}});

    ASSERT_TRUE(store->answer(first).has_value());
    EXPECT_TRUE(store->answer(first)->ok);
    EXPECT_EQ(store->answer(first)->text, "written");
    EXPECT_EQ(store->answer(second), std::nullopt);
    EXPECT_EQ(notes(), Ids{"good"});
    EXPECT_EQ(apply(TakeRequests{}).outcome.size(), 1u);
}

BELAY_ON_EVERY_STORE(RiderTest);

}  // namespace
}  // namespace belay::store
