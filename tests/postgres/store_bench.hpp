// store_bench.hpp — stores of several workers on one real PostgreSQL, and what tests do to them.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <belay/error.hpp>

#include "core/store/postgres/address.hpp"
#include "core/store/postgres/connection.hpp"
#include "core/store/postgres/open.hpp"
#include "support/postgres_server.hpp"

namespace belay::store {

using namespace std::chrono_literals;

class PostgresStoreTest : public testing::Test {
protected:
    PostgresStoreTest() : PostgresStoreTest(test::PostgresServer::shared()) {}
    explicit PostgresStoreTest(test::PostgresServer& on) : server(on), address(on.new_schema()) {}

    std::unique_ptr<Store> open(Duration lease_for = postgres::kLeaseFor) {
        postgres::OpenOptions options;
        options.reply_time_max = 20s;
        options.lease_for = lease_for;
        options.share_from = 2;  // small batches go the way of large ones
        return postgres::open(address, options);
    }
    // A worker that beats once and then is not heard of again while its test runs.
    std::unique_ptr<Store> open_silent() { return open(1h); }
    // One that judges the others after a moment: nobody is taken for dead within a lease of the server's start.
    std::unique_ptr<Store> open_quick() { return open(300ms); }
    std::string schema() const { return address.substr(address.rfind('=') + 1); }
    std::string table(const std::string& name) const { return schema() + "." + name; }

    template <class V>
    V apply(Store& store, V verb) {
        Batch batch;
        batch.now = now;
        batch.verbs.emplace_back(std::move(verb));
        store.commit(batch);
        return std::get<V>(std::move(batch.verbs.front()));
    }
    static Submit submit_of(const std::string& id, const std::string& worker) {
        Submit submit;
        submit.run.id = id;
        submit.run.workflow_key = "invoice";
        submit.run.input = "1";
        submit.claim_as = worker;
        return submit;
    }
    model::Run running(Store& store, const std::string& id, const std::string& worker) {
        return std::get<SubmitOutcome>(apply(store, submit_of(id, worker)).outcome).run;
    }
    static Claim claim_of(const std::string& worker, int limit = 100) {
        Claim claim;
        claim.worker = worker;
        claim.workflow_keys = {"invoice"};
        claim.limit = limit;
        claim.suspects_max = 100;
        return claim;
    }
    static Record record_of(const model::Run& run, const std::string& path) {
        Record record;
        record.lease = {run.no, run.epoch};
        record.stage.path = path;
        record.stage.stage_key = "step";
        record.stage.status = StageStatus::Succeeded;
        record.stage.output = "1";
        return record;
    }
    static End end_of(const model::Run& run) {
        End end;
        end.lease = {run.no, run.epoch};
        end.result = "1";
        return end;
    }
    static Await await_of(const model::Run& parent, const model::Run& child) {
        Await await;
        await.lease = {parent.no, parent.epoch};
        await.stage.path = "1";
        await.stage.stage_key = "child";
        await.stage.kind = model::StageKind::Child;
        await.stage.status = StageStatus::Running;
        await.child_id = child.id;
        return await;
    }
    // Claims until there was something: whoever judges may have to wait for its first lease to pass.
    std::vector<model::Run> take_over(Store& store, const std::string& worker) {
        const auto patience = std::chrono::steady_clock::now() + 30s;
        while (std::chrono::steady_clock::now() < patience) {
            auto taken = apply(store, claim_of(worker)).outcome.claimed;
            if (!taken.empty()) return taken;
        }
        return {};
    }
    // The worker's last beat is long ago, as if it had been frozen for longer than its lease.
    void let_lease_run_out(const std::string& worker) {
        server.sql("UPDATE " + table("belay_workers") + " SET expires_at = 1 WHERE name = '" +
                   worker + "'");
    }
    void kill_connections() {
        server.sql(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE "
            "'belay%'");
    }
    // A session of the test's own, to hold what others wait for.
    std::unique_ptr<postgres::Connection> session() const {
        const postgres::Address parts = postgres::parse_address(address);
        postgres::ConnectOptions options;
        options.url = parts.url;
        options.schema = parts.schema;
        options.application = "test";
        options.reply_time_max = 20s;
        return std::make_unique<postgres::Connection>(options);
    }
    // How many sessions of stores wait for a lock.
    int waiting() const {
        return std::stoi(
            server.sql("SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND "
                       "application_name LIKE 'belay%'"));
    }
    static std::optional<ErrorCode> code_of(const std::function<void()>& act) {
        try {
            act();
        } catch (const Error& error) {
            return error.code();
        }
        return std::nullopt;
    }

    test::PostgresServer& server;
    std::string address;
    Time now{1'800'000'000'000ms};
};

}  // namespace belay::store
