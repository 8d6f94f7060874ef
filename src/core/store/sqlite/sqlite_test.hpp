// sqlite_test.hpp — the fixture of this room's tests: a folder of its own, and short ways to use a store.
//
// How a store behaves is the conformance suite's (tests/conformance); here is only what is SQLite's own.
#pragma once

#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include <belay/error.hpp>

#include "core/store/sqlite/connection.hpp"
#include "core/store/sqlite/open.hpp"

namespace belay::store::sqlite {

using namespace std::chrono_literals;

class SqliteTest : public testing::Test {
protected:
    SqliteTest() {
        std::string pattern = (std::filesystem::temp_directory_path() / "belay-XXXXXX").string();
        folder = ::mkdtemp(pattern.data());
        file = folder / "belay.db";
    }
    ~SqliteTest() override { std::filesystem::remove_all(folder); }

    std::unique_ptr<Store> open_store(bool execute = true) {
        OpenOptions options;
        options.execute = execute;
        options.holder = "a test";
        options.transaction_time_max = time_max;
        options.busy_time_max = 100ms;
        return open(file, options);
    }

    // A connection beside the store's, as somebody's SQL prompt has.
    Connection prompt() { return Connection{file, OpenMode::Write, 100ms}; }
    void write_file(const std::string& text) { std::ofstream{file} << text; }
    std::string read_file() const {
        std::ifstream in{file, std::ios::binary};
        return {std::istreambuf_iterator<char>{in}, {}};
    }

    template <class V>
    static V apply(Store& store, V verb) {
        Batch batch;
        batch.now = kNow;
        batch.verbs.emplace_back(std::move(verb));
        store.commit(batch);
        return std::get<V>(std::move(batch.verbs.front()));
    }

    static Submit submit_of(const std::string& id, const std::string& worker = "") {
        Submit verb;
        verb.run.id = id;
        verb.run.workflow_key = "invoice";
        verb.run.input = "{}";
        verb.claim_as = worker;
        return verb;
    }
    static model::Run running(Store& store, const std::string& id) {
        return std::get<SubmitOutcome>(apply(store, submit_of(id, "worker-1")).outcome).run;
    }
    static Record record_of(const model::Run& run, const std::string& path, TxBody body = nullptr) {
        Record verb;
        verb.lease = {run.no, run.epoch};
        verb.stage.path = path;
        verb.stage.stage_key = "stage_" + path;
        verb.stage.status = StageStatus::Succeeded;
        verb.stage.output = "1";
        verb.body = std::move(body);
        return verb;
    }
    static Claim claim_of(int limit = 100) {
        Claim verb;
        verb.worker = "worker-1";
        verb.workflow_keys = {"invoice"};
        verb.limit = limit;
        verb.suspects_max = 1;
        return verb;
    }

    // What `attempt` throws as an Error; fails the test if it throws none.
    template <class F>
    static Error error_of(F&& attempt) {
        try {
            attempt();
        } catch (const Error& error) {
            return error;
        }
        ADD_FAILURE() << "expected an Error";
        return Error(ErrorCode::InvalidArgument, "");
    }
    static Error body_error_of(const WriteOutcome& outcome) {
        return error_of([&] {
            if (const auto* failed = std::get_if<BodyFailed>(&outcome)) {
                std::rethrow_exception(failed->error);
            }
        });
    }

    static constexpr Time kNow{std::chrono::milliseconds{1'763'240'000'000}};
    std::filesystem::path folder;
    std::filesystem::path file;
    Duration time_max = 10s;
};

}  // namespace belay::store::sqlite
