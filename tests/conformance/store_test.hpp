// store_test.hpp — the fixture of the conformance suite: one store, a time that the test moves, and
// short ways to bring a run into each state.
#pragma once

#include <chrono>
#include <concepts>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <belay/error.hpp>

#include "conformance/store_under_test.hpp"

namespace belay::store {

using namespace std::chrono_literals;

class StoreTest : public testing::TestWithParam<StoreKind> {
protected:
    StoreTest() : under_(GetParam().make()), store(under_->open()) {}

    // ---- the world

    // The process dies and another one starts on the same data, under another name.
    void restart() {
        store.reset();
        store = under_->open();
        worker = "worker-" + std::to_string(++sessions_);
    }
    std::unique_ptr<Store> open_reader() { return under_->open_reader(); }
    // To open its data in another way; close `store` first where that executes.
    StoreUnderTest& under() {
        store.reset();
        return *under_;
    }

    // ---- committing

    // Commits one verb and gives it back with its outcome.
    template <class V>
    V apply(V verb) {
        Batch batch;
        batch.now = now;
        batch.verbs.emplace_back(std::move(verb));
        store->commit(batch);
        return std::get<V>(std::move(batch.verbs.front()));
    }

    // Commits all of them in one batch; outcome_at<V>(i) then gives each.
    void apply_all(std::vector<Verb> verbs) {
        batch_ = Batch{};
        batch_.now = now;
        batch_.verbs = std::move(verbs);
        store->commit(batch_);
    }
    template <class V>
    const V& verb_at(std::size_t i) const {
        return std::get<V>(batch_.verbs.at(i));
    }

    const std::vector<Woken>& woken() const { return batch_.woken; }

    // ---- verbs

    static model::NewRun new_run(const std::string& id) {
        model::NewRun run;
        run.id = id;
        run.workflow_key = "invoice";
        run.input = R"({"file":"july.pdf"})";
        return run;
    }
    Submit submit_of(const std::string& id) const {
        Submit verb;
        verb.run = new_run(id);
        return verb;
    }
    Claim claim_of(int limit = 10) const {
        Claim verb;
        verb.worker = worker;
        verb.workflow_keys = {"invoice"};
        verb.limit = limit;
        verb.suspects_max = 10;
        return verb;
    }
    static Record record_of(const model::Run& run, model::Stage stage) {
        Record verb;
        verb.lease = lease_of(run);
        verb.stage = std::move(stage);
        return verb;
    }
    static Record transaction_of(const model::Run& run, const std::string& path, TxBody body) {
        Record verb = record_of(run, stage_of(path, StageStatus::Succeeded));
        verb.stage.kind = model::StageKind::Transaction;
        verb.body = std::move(body);
        return verb;
    }
    static End end_of(const model::Run& run, RunStatus status) {
        End verb;
        verb.lease = lease_of(run);
        verb.status = status;
        if (status == RunStatus::Succeeded) verb.result = R"({"total":"12.50"})";
        if (status != RunStatus::Succeeded) verb.failure = failure_at("2");
        return verb;
    }
    static Wait wait_of(const model::Run& run, Time wake_at) {
        Wait verb;
        verb.lease = lease_of(run);
        verb.wake_at = wake_at;
        return verb;
    }
    static Release release_of(const model::Run& run) {
        Release verb;
        verb.lease = lease_of(run);
        return verb;
    }
    static Control control_of(const std::string& id, ControlKind kind) {
        Control verb;
        verb.run_id = id;
        verb.kind = kind;
        verb.reason = "because a test said so";
        return verb;
    }

    // ---- values

    static Lease lease_of(const model::Run& run) { return {run.no, run.epoch}; }

    // A stage at a top-level path; its position is its number.
    static model::Stage stage_of(const std::string& path, StageStatus status) {
        model::Stage stage;
        stage.path = path;
        stage.stage_key = "stage_" + path;
        stage.status = status;
        stage.position = std::stoll(path);
        if (status == StageStatus::Succeeded) stage.output = "\"output of " + path + "\"";
        return stage;
    }
    static model::Attempt attempt_of(const std::string& path, std::int64_t number) {
        model::Attempt attempt;
        attempt.path = path;
        attempt.attempt = number;
        attempt.started_at = Time{1'000'000ms};
        attempt.finished_at = Time{1'000'500ms};
        attempt.error_code = "StepFailed";
        attempt.message = "no such page";
        attempt.worker = "worker-1";
        return attempt;
    }
    static model::Failure failure_at(const std::string& path) {
        model::Failure failure;
        failure.code = "StepFailed";
        failure.message = "the page is not readable";
        failure.stage = "stage_" + path;
        failure.path = path;
        return failure;
    }

    // ---- runs in a state

    model::Run queued(const std::string& id) {
        return std::get<SubmitOutcome>(apply(submit_of(id)).outcome).run;
    }
    model::Run running(const std::string& id) {
        Submit verb = submit_of(id);
        verb.claim_as = worker;
        return std::get<SubmitOutcome>(apply(verb).outcome).run;
    }
    model::Run waiting(const std::string& id) {
        apply(wait_of(running(id), now + 1h));
        return get(id);
    }
    model::Run ended(const std::string& id, RunStatus status) {
        apply(end_of(running(id), status));
        return get(id);
    }
    model::Run in_state(const std::string& id, RunStatus status) {
        switch (status) {
            case RunStatus::Queued:
                return queued(id);
            case RunStatus::Running:
                return running(id);
            case RunStatus::Waiting:
                return waiting(id);
            default:
                return ended(id, status);
        }
    }

    // ---- looking

    model::Run get(const std::string& id) {
        auto run = store->find_run(id);
        if (!run) throw std::logic_error("no run " + id);
        return *run;
    }
    bool exists(const std::string& id) { return store->find_run(id).has_value(); }
    std::optional<model::Stage> stage_at(const model::Run& run, std::string_view path) {
        for (auto& stage : store->stages(run.no)) {
            if (stage.path == path) return stage;
        }
        return std::nullopt;
    }

    // ---- tables of the program

    void make_notes_table() {
        store->migrate({"notes", {"CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT)"}});
    }
    static TxBody write_note(const std::string& text, const std::string& output = "null") {
        return [text, output](SqlTx& tx) {
            const SqlValue value{text};
            tx.run("INSERT INTO notes (text) VALUES (?)", std::span(&value, 1));
            return output;
        };
    }
    std::vector<std::string> notes() {
        std::vector<std::string> out;
        for (const auto& row : store->query("SELECT text FROM notes ORDER BY id", {}).rows) {
            out.push_back(std::get<std::string>(row.at(0)));
        }
        return out;
    }

private:
    std::unique_ptr<StoreUnderTest> under_;
    int sessions_ = 1;
    Batch batch_;

protected:
    std::unique_ptr<Store> store;
    std::string worker = "worker-1";
    Time now{1'800'000'000'000ms};
};

// ---- reading outcomes

template <class Outcome, class Variant>
bool is(const Variant& outcome) {
    return std::holds_alternative<Outcome>(outcome);
}

inline std::string text_of(const BodyFailed& failed) {
    try {
        std::rethrow_exception(failed.error);
    } catch (const std::exception& e) {
        return e.what();
    }
}

inline std::optional<ErrorCode> code_of(const std::exception_ptr& error) {
    try {
        std::rethrow_exception(error);
    } catch (const Error& e) {
        return e.code();
    } catch (...) {
        return std::nullopt;
    }
}

// The code of the Error that `act` throws; nothing if it throws none.
template <std::invocable F>
std::optional<ErrorCode> thrown_by(F&& act) {
    try {
        act();
    } catch (const Error& e) {
        return e.code();
    }
    return std::nullopt;
}

inline std::vector<std::string> ids_of(const std::vector<model::Run>& runs) {
    std::vector<std::string> ids;
    for (const auto& run : runs) ids.push_back(run.id);
    return ids;
}

using Ids = std::vector<std::string>;

#define BELAY_ON_EVERY_STORE(Suite)                                           \
    INSTANTIATE_TEST_SUITE_P(Stores, Suite, testing::ValuesIn(every_store()), \
                             [](const auto& tested) { return tested.param.name; })

}  // namespace belay::store
