// w1_postgres.cpp — W1 on a PostgreSQL server, by one or more workers, beside bare batched inserts of the same rows.
//
// Each measurement has a schema of its own, dropped at the end. Workers are engines of this process, each with its
// own connections and its own name in the database, as they would be on machines of their own.
#ifdef BELAY_HAS_POSTGRES
#include <algorithm>
#include <thread>

#include <fmt/format.h>
#include <fmt/ostream.h>

#include "core/base/time_ordered_id.hpp"
#include "core/library/host.hpp"
#include "core/store/postgres/address.hpp"
#include "core/store/postgres/connection.hpp"
#include "service/measure/work.hpp"

namespace belay::measure {
namespace {

using store::postgres::Connection;
using store::postgres::ConnectOptions;
using store::postgres::IntegerArray;
using store::postgres::Parameters;
using store::postgres::TextArray;

constexpr int kSteps = 10;
constexpr int kSubmitAtOnce = 100;
constexpr const char* kSchema = "belay_bench";

Note trivial(int number) { return {number, kNoteText}; }

Task<Note> ten_steps(Context& ctx, int number) {
    Note last;
    for (int i = 0; i < kSteps; ++i) last = co_await ctx.step("step", trivial, number + i);
    co_return last;
}

ConnectOptions connect_options(const std::string& address) {
    ConnectOptions options;
    options.url = store::postgres::parse_address(address).url;
    options.schema = kSchema;
    options.application = "belay bench";
    options.reply_time_max = std::chrono::minutes{20};  // to fill, vacuum and drop
    return options;
}

// The tables of one measurement, gone at its end.
class BenchSchema {
public:
    BenchSchema(const std::string& address, std::int64_t finished)
        : connection(connect_options(address)),
          address_(store::postgres::parse_address(address).url) {
        drop();
        library::open_store(postgres(this->address()), true).reset();
        if (finished > 0) fill(finished);
    }
    ~BenchSchema() {
        try {
            drop();
        } catch (const std::exception&) {
            // A schema that is left over is dropped by the next measurement.
        }
    }
    BenchSchema(const BenchSchema&) = delete;
    BenchSchema& operator=(const BenchSchema&) = delete;

    std::string address() const {
        return address_ + (address_.find('?') == std::string::npos ? "?" : "&") +
               "schema=" + kSchema;
    }

    Connection connection;

private:
    // Runs that ended long ago, in pieces that a server answers in time; then what autovacuum would have done.
    void fill(std::int64_t finished) {
        constexpr std::int64_t kAtOnce = 200'000;
        for (std::int64_t first = 1; first <= finished; first += kAtOnce) {
            Parameters range;
            range.add(first);
            range.add(std::min(first + kAtOnce - 1, finished));
            connection.run(
                "INSERT INTO workflow_runs (id, public_id, workflow_key, input, organization_id, "
                "created_at, updated_at, "
                "status, worker, epoch, started_at, completed_at, current_stage, result) SELECT n, "
                "'old-' || n, 'W1', "
                "'1', 'default', 1700000000000 + n, 1700000000000 + n, 'succeeded', "
                "'bench/1/0123abcd', 1, "
                "1700000000000 + n, 1700000000000 + n, 'step', '{\"number\":1}' FROM "
                "generate_series($1::bigint, "
                "$2::bigint) AS n",
                range);
        }
        Parameters last;
        last.add(finished);
        connection.run("UPDATE belay_meta SET value = $1 WHERE key = 'run_number'", last);
        connection.run("VACUUM (ANALYZE) workflow_runs");
        try {
            connection.run("CHECKPOINT");
        } catch (const store::postgres::PgError&) {
            // Not everyone may; then the server does it when it likes.
        }
    }
    void drop() { connection.run(fmt::format("DROP SCHEMA IF EXISTS {} CASCADE", kSchema)); }

    std::string address_;
};

struct Worker {
    std::shared_ptr<engine::Core> core;
    std::unique_ptr<Engine> engine;
};

struct Measured {
    double seconds = 0;
    double rows_per_commit = 0;
};

Measured measure_workers(const BenchOptions& options, const std::string& address, int runs) {
    EngineOptions engine_options;
    engine_options.log_to_stderr = false;
    engine_options.pool_threads_max = 4;
    std::vector<Worker> workers;
    for (int i = 0; i < options.workers; ++i) {
        Worker& worker = workers.emplace_back();
        worker.core = library::make_core(postgres(address), engine_options);
        worker.engine = std::make_unique<Engine>(worker.core);
        worker.engine->define("W1", ten_steps);
        worker.engine->start();
    }
    const auto ended = [&] {
        std::int64_t sum = 0;
        for (const Worker& worker : workers) sum += worker.core->counters().runs_ended;
        return sum;
    };
    const Stopwatch watch;
    int submitted = 0;
    std::size_t next = 0;
    while (ended() < runs) {
        if (submitted < runs && submitted - ended() <= options.in_flight - kSubmitAtOnce) {
            std::vector<int> inputs(
                static_cast<std::size_t>(std::min(kSubmitAtOnce, runs - submitted)), submitted);
            workers[next++ % workers.size()].engine->submit_many<Note>("W1", inputs);
            submitted += static_cast<int>(inputs.size());
        } else {
            std::this_thread::sleep_for(std::chrono::microseconds(200));
        }
    }
    Measured measured{watch.seconds(), 0};
    std::int64_t commits = 0;
    for (const Worker& worker : workers) commits += worker.core->counters().commits;
    measured.rows_per_commit =
        static_cast<double>(runs) * (kSteps + 1) / static_cast<double>(commits);
    const auto counts = workers.front().core->store().count_runs();
    if (counts.succeeded != runs + options.finished) {
        throw Error(ErrorCode::RunFailed, fmt::format("{} of {} runs succeeded",
                                                      counts.succeeded - options.finished, runs));
    }
    return measured;
}

// The same rows by one connection, `rows_per_commit` in a transaction, with nothing in between. Each row brings values of
// its own in every column that differs from run to run, and goes the cheapest way known.
class BareRows {
public:
    explicit BareRows(Connection& connection) : connection_(&connection) {}

    void add_run(std::int64_t no, const std::string& id) {
        run_.add(no);
        id_.add(std::string_view(id));
        input_.add(std::string_view("1"));
        created_.add(kSomeTime);
        completed_.add(kSomeTime);
        result_.add(std::string_view(output_));
        ++rows_;
    }
    void add_stage(std::int64_t run, int step) {
        stage_run_.add(run);
        path_.add(std::string_view(std::to_string(step)));
        key_.add(std::string_view("step"));
        position_.add(std::int64_t{step});
        started_.add(kSomeTime);
        finished_.add(kSomeTime);
        stage_output_.add(std::string_view(output_));
        ++rows_;
    }
    int rows() const { return rows_; }

    void commit() {
        connection_->send("BEGIN");
        if (!id_.empty()) {
            Parameters parameters;
            run_.give(parameters);
            id_.give(parameters);
            input_.give(parameters);
            created_.give(parameters);
            completed_.give(parameters);
            result_.give(parameters);
            connection_->send_prepared(
                "bare_runs",
                "INSERT INTO workflow_runs (id, public_id, workflow_key, input, organization_id, "
                "created_at, updated_at, status, worker, epoch, started_at, completed_at, "
                "current_stage, result) SELECT unnest($1::bigint[]), unnest($2::text[]), 'W1', "
                "unnest($3::text[]), 'default', unnest($4::bigint[]), unnest($5::bigint[]), "
                "'succeeded', 'bench/1/0123abcd', 1, unnest($4::bigint[]), unnest($5::bigint[]), "
                "'step', unnest($6::text[])",
                parameters);
        }
        if (!path_.empty()) {
            Parameters parameters;
            stage_run_.give(parameters);
            path_.give(parameters);
            key_.give(parameters);
            position_.give(parameters);
            started_.give(parameters);
            finished_.give(parameters);
            stage_output_.give(parameters);
            connection_->send_prepared(
                "bare_stages",
                "INSERT INTO workflow_stage_runs (workflow_run_id, path, stage_key, kind, status, "
                "position, attempt, attempts_before, started_at, finished_at, output) SELECT "
                "unnest($1::bigint[]), unnest($2::text[]), unnest($3::text[]), 'step', "
                "'succeeded', unnest($4::bigint[]), 1, 0, unnest($5::bigint[]), "
                "unnest($6::bigint[]), unnest($7::text[])",
                parameters);
        }
        connection_->send("COMMIT");
        connection_->finish();
        *this = BareRows(*connection_);
    }

private:
    static constexpr std::int64_t kSomeTime = 1'800'000'000'000;

    Connection* connection_;
    IntegerArray run_, created_, completed_, stage_run_, position_, started_, finished_;
    TextArray id_, input_, result_, path_, key_, stage_output_;
    int rows_ = 0;
    std::string output_ = to_json(Note{1, kNoteText});
};

double bare_seconds(Connection& connection, int runs, int in_flight, int rows_per_commit) {
    std::vector<std::string> ids;
    for (int i = 0; i < runs; ++i) {
        ids.push_back(base::time_ordered_id(Time{Duration{1'800'000'000'000 + i}}, 7, 11));
    }
    BareRows rows(connection);
    const auto added = [&] {
        if (rows.rows() >= rows_per_commit) rows.commit();
    };
    const Stopwatch watch;
    for (int first = 0; first < runs; first += in_flight) {
        const int last = std::min(runs, first + in_flight);
        for (int run = first; run < last; ++run) {
            rows.add_run(run + 1, ids[static_cast<std::size_t>(run)]);
            added();
        }
        for (int step = 1; step <= kSteps; ++step) {
            for (int run = first; run < last; ++run) {
                rows.add_stage(run + 1, step);
                added();
            }
        }
    }
    if (rows.rows() > 0) rows.commit();
    return watch.seconds();
}

}  // namespace

void run_w1_postgres(const BenchOptions& options, std::ostream& out) {
    // A few seconds: the start and the last runs, of which few are in flight, do not count.
    const int runs = options.runs > 0 ? options.runs : 30'000;
    std::vector<double> steps;
    std::vector<double> baseline;
    std::vector<double> ratios;
    const double rows = static_cast<double>(runs) * (kSteps + 1);
    for (int i = 0; i < options.rounds; ++i) {
        Measured measured;
        {
            BenchSchema schema(options.store, options.finished);
            measured = measure_workers(options, schema.address(), runs);
        }
        BenchSchema schema(options.store, 0);
        const double bare =
            bare_seconds(schema.connection, runs, options.in_flight,
                         std::max(1, static_cast<int>(measured.rows_per_commit + 0.5)));
        steps.push_back(static_cast<double>(runs) * kSteps / measured.seconds);
        baseline.push_back(rows / bare);
        ratios.push_back(bare / measured.seconds);
        if (!options.json) {
            fmt::print(out,
                       "round {}: {} workers {:>9.0f} steps/s, {:.0f} rows a commit; bare "
                       "PostgreSQL {:>9.0f} rows/s; "
                       "ratio {:.2f}\n",
                       i + 1, options.workers, steps.back(), measured.rows_per_commit,
                       baseline.back(), ratios.back());
            out.flush();
        }
    }
    if (options.json) {
        fmt::print(
            out,
            R"({{"work":"W1","store":"postgres","workers":{},"steps_per_s":{:.0f},"baseline_rows_per_s":{:.0f},)"
            R"("ratio":{:.3f},"runs":{},"steps_per_run":{},"in_flight":{},"rounds":{}}})"
            "\n",
            options.workers, median(steps), median(baseline), median(ratios), runs, kSteps,
            options.in_flight, options.rounds);
        return;
    }
    fmt::print(out,
               "W1 on PostgreSQL: {} runs of {} steps, {} in flight, {} workers: {:.0f} durable "
               "steps a second; bare "
               "batched inserts of the same rows {:.0f} rows/s; ratio {:.2f} (of rows a second, "
               "median of {})\n",
               runs, kSteps, options.in_flight, options.workers, median(steps), median(baseline),
               median(ratios), options.rounds);
}

}  // namespace belay::measure
#endif
