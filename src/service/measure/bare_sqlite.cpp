#include "service/measure/bare_sqlite.hpp"

#include <algorithm>
#include <string>

#include <fmt/format.h>
#include <sqlite3.h>

#include <belay/error.hpp>

#include "core/base/time_ordered_id.hpp"
#include "core/library/host.hpp"
#include "service/measure/work.hpp"

namespace belay::measure {
namespace {

// The least that can be called a connection: measured code has no use for more.
class Bare {
public:
    explicit Bare(const std::filesystem::path& file) {
        library::open_store(belay::sqlite(file.string()), true).reset();  // makes the tables
        check(sqlite3_open(file.c_str(), &db_));
        exec("PRAGMA journal_mode=WAL");
        exec("PRAGMA synchronous=FULL");
        exec("PRAGMA wal_autocheckpoint=4000");
        exec("PRAGMA cache_size=-65536");
        exec("PRAGMA secure_delete=FAST");
        insert_run_ = prepare(
            "INSERT INTO workflow_runs (id, public_id, workflow_key, input, organization_id, "
            "created_at, "
            "updated_at, status, worker, epoch, started_at, completed_at, current_stage, result) "
            "VALUES (?1, ?2, 'W1', ?3, 'default', ?4, ?4, 'succeeded', 'bench/1/0123abcd', 1, ?4, "
            "?4, "
            "'step', ?5)");
        insert_stage_ = prepare(
            "INSERT INTO workflow_stage_runs (workflow_run_id, path, stage_key, kind, status, "
            "position, "
            "attempt, attempts_before, started_at, finished_at, output) "
            "VALUES (?1, ?2, 'step', 'step', 'succeeded', ?3, 1, 0, ?4, ?4, ?5)");
        begin_ = prepare("BEGIN IMMEDIATE");
        commit_ = prepare("COMMIT");
    }
    ~Bare() {
        for (sqlite3_stmt* statement : {insert_run_, insert_stage_, begin_, commit_}) {
            sqlite3_finalize(statement);
        }
        sqlite3_close(db_);
    }
    Bare(const Bare&) = delete;
    Bare& operator=(const Bare&) = delete;

    void begin() { run(begin_); }
    void commit() { run(commit_); }

    void insert_run(std::int64_t no, const std::string& id) {
        sqlite3_bind_int64(insert_run_, 1, no);
        sqlite3_bind_text(insert_run_, 2, id.data(), static_cast<int>(id.size()), SQLITE_STATIC);
        sqlite3_bind_text(insert_run_, 3, "1", 1, SQLITE_STATIC);
        sqlite3_bind_int64(insert_run_, 4, kSomeTime);
        sqlite3_bind_text(insert_run_, 5, output_.data(), static_cast<int>(output_.size()),
                          SQLITE_STATIC);
        run(insert_run_);
    }

    void insert_stage(std::int64_t run_no, int step) {
        char path[16];
        const auto end = fmt::format_to(path, "{}", step);
        sqlite3_bind_int64(insert_stage_, 1, run_no);
        sqlite3_bind_text(insert_stage_, 2, path, static_cast<int>(end - path), SQLITE_STATIC);
        sqlite3_bind_int(insert_stage_, 3, step);
        sqlite3_bind_int64(insert_stage_, 4, kSomeTime);
        sqlite3_bind_text(insert_stage_, 5, output_.data(), static_cast<int>(output_.size()),
                          SQLITE_STATIC);
        run(insert_stage_);
    }

private:
    static constexpr std::int64_t kSomeTime = 1'800'000'000'000;

    void check(int code) {
        if (code == SQLITE_OK || code == SQLITE_DONE || code == SQLITE_ROW) return;
        throw Error(ErrorCode::StoreUnavailable,
                    fmt::format("the baseline failed: {}", sqlite3_errmsg(db_)));
    }
    void exec(const char* sql) { check(sqlite3_exec(db_, sql, nullptr, nullptr, nullptr)); }
    sqlite3_stmt* prepare(const char* sql) {
        sqlite3_stmt* statement = nullptr;
        check(sqlite3_prepare_v3(db_, sql, -1, SQLITE_PREPARE_PERSISTENT, &statement, nullptr));
        return statement;
    }
    void run(sqlite3_stmt* statement) {
        check(sqlite3_step(statement));
        sqlite3_reset(statement);
    }

    sqlite3* db_ = nullptr;
    sqlite3_stmt* insert_run_ = nullptr;
    sqlite3_stmt* insert_stage_ = nullptr;
    sqlite3_stmt* begin_ = nullptr;
    sqlite3_stmt* commit_ = nullptr;
    const std::string output_ = to_json(Note{1, kNoteText});
};

}  // namespace

BareResult bare_batched_inserts(const std::filesystem::path& file, int runs, int steps,
                                int in_flight, int rows_per_commit) {
    Bare bare(file);
    std::vector<std::string> ids;
    for (int i = 0; i < runs; ++i) {
        ids.push_back(base::time_ordered_id(Time{Duration{1'800'000'000'000 + i}}, 7, 11));
    }
    BareResult result;
    int in_batch = 0;
    const auto count_row = [&] {
        ++result.rows;
        if (++in_batch < rows_per_commit) return;
        bare.commit();
        ++result.commits;
        bare.begin();
        in_batch = 0;
    };
    const Stopwatch watch;
    bare.begin();
    for (int first = 0; first < runs; first += in_flight) {
        const int last = std::min(first + in_flight, runs);
        for (int run = first; run < last; ++run) {
            bare.insert_run(run + 1, ids[static_cast<std::size_t>(run)]);
            count_row();
        }
        for (int step = 1; step <= steps; ++step) {
            for (int run = first; run < last; ++run) {
                bare.insert_stage(run + 1, step);
                count_row();
            }
        }
    }
    bare.commit();
    ++result.commits;
    result.seconds = watch.seconds();
    return result;
}

BareResult bare_single_commits(const std::filesystem::path& file, int steps) {
    Bare bare(file);
    BareResult result;
    const Stopwatch watch;
    for (int step = 1; step <= steps; ++step) {
        bare.begin();
        bare.insert_stage(1, step);
        bare.commit();
    }
    result.seconds = watch.seconds();
    result.rows = result.commits = steps;
    return result;
}

}  // namespace belay::measure
