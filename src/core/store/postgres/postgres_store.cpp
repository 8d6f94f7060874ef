#include "core/store/postgres/postgres_store.hpp"

#include <algorithm>
#include <chrono>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include <belay/error.hpp>

#include "core/env/clock.hpp"
#include "core/store/postgres/failure.hpp"
#include "core/store/postgres/limits.hpp"
#include "core/store/postgres/pooler.hpp"
#include "core/store/postgres/schema.hpp"

namespace belay::store::postgres {

namespace {

// Long enough for whoever asked to come back for the answer.
constexpr Duration kKeepAnswers = std::chrono::hours{24 * 7};

constexpr const char* kSchema = "belay";

// A frozen worker must not hold its locks for longer than others wait before they take its runs; one that runs a
// body may be silent for as long as a body may take.
constexpr Duration kBodyMargin{1000};

ConnectOptions connect_options(const Address& address, const OpenOptions& options) {
    ConnectOptions connect;
    connect.url = address.url;
    connect.schema = !address.schema.empty()   ? address.schema
                     : !options.schema.empty() ? options.schema
                                               : kSchema;
    connect.application = options.application;
    connect.reply_time_max = options.reply_time_max;
    connect.idle_in_transaction_max =
        std::max(options.lease_for, options.transaction_time_max + kBodyMargin);
    connect.lock_wait_max = 3 * options.lease_for;
    return connect;
}

// Whoever looks into pg_stat_activity sees which connection is which.
ConnectOptions named(ConnectOptions connect, std::string_view purpose) {
    connect.application += fmt::format(" {}", purpose);
    return connect;
}

ConnectOptions writer_connection(const ConnectOptions& connect) {
    ConnectOptions writer = named(connect, "writer");
    writer.by_index = true;
    return writer;
}

// How far the database's clock is from this machine's monotonic one: by the shortest of a few round trips, because when
// in it the server read its clock is not known.
void set_clock(Connection& connection, std::atomic<std::int64_t>& offset) {
    using Steady = std::chrono::steady_clock;
    auto shortest = Steady::duration::max();
    for (int i = 0; i < 3; ++i) {
        const auto before = Steady::now();
        const auto time =
            connection.run("SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint")
                .integer(0, 0);
        const auto took = Steady::now() - before;
        if (took >= shortest) continue;
        shortest = took;
        const auto middle = std::chrono::duration_cast<std::chrono::milliseconds>(
            (before + took / 2).time_since_epoch());
        offset.store(time - middle.count());
    }
}

}  // namespace

std::unique_ptr<Store> open(const std::string& address, const OpenOptions& options) {
    return std::make_unique<PostgresStore>(address, options);
}

PostgresStore::PostgresStore(const std::string& address, const OpenOptions& options)
    : address_(parse_address(address)), options_(options),
      connect_(connect_options(address_, options_)),
      readers_(connect_, address_.shown, kReadersMax, kReaderIdleFor),
      queries_(named(connect_, "queries"), address_.shown, kQueriesMax, kReaderIdleFor),
      news_(named(connect_, "news"), address_.shown) {
    explained(address_.shown, [&] {
        Connection first{connect_};
        refuse_shared_sessions(first, connect_, address_.shown);
        if (options_.clock_offset) set_clock(first, *options_.clock_offset);
        if (options_.execute) {
            bring_up_to_date(first, address_.shown);
        } else {
            check_up_to_date(first, address_.shown);
        }
    });
    if (!options_.execute) return;
    heart_ = std::make_unique<Heart>(
        Heart::Options{named(connect_, "heart"), options_.lease_for, options_.clock_offset});
    writer_ = open_writer();
    writer_->start_session(env::SystemClock{}.now() - kKeepAnswers);
}

PostgresStore::~PostgresStore() {
    if (heart_) heart_->stop_beating();
    if (writer_) writer_->stop();
    writer_.reset();
    if (heart_) heart_->stop();
}

std::unique_ptr<Writer> PostgresStore::open_writer() {
    return explained(address_.shown, [&] {
        return std::make_unique<Writer>(
            WriterOptions{.connect = writer_connection(connect_),
                          .name = address_.shown,
                          .transaction_time_max = options_.transaction_time_max,
                          .lease_for = options_.lease_for,
                          .share_from = options_.share_from},
            *heart_);
    });
}

void PostgresStore::commit(Batch& batch) {
    writer().commit(batch);
    if (worker_ != writer_->worker()) worker_ = writer_->worker();
}

void PostgresStore::reopen() {
    if (!options_.execute) writer();
    writer_.reset();
    auto opened = open_writer();
    if (!worker_.empty()) opened->continue_as(worker_);
    opened->prove_writable();
    writer_ = std::move(opened);
}

bool PostgresStore::changed_outside() {
    writer();
    const std::int64_t newest = news_.newest_request();
    return std::exchange(newest_request_, newest) != newest;
}

News PostgresStore::news() {
    writer();
    readers_.close_idle();
    queries_.close_idle();
    const Heart::Heard heard = heart_->heard();
    News news{.requests = heard.requests, .due = heard.due, .any_ended = heard.ended.any()};
    for (const std::int64_t run : heard.ended.runs()) news.ended.insert(RunNo{run});
    if (!worker_.empty() && !heard.runs.none()) news.runs = news_.told(worker_, heard.runs);
    return news;
}

void PostgresStore::on_news(std::function<void()> callback) {
    if (heart_) heart_->on_heard(std::move(callback));
}

void PostgresStore::migrate(const Migrations& migrations) { writer().migrate(migrations); }

Writer& PostgresStore::writer() {
    if (!options_.execute) {
        throw Error(ErrorCode::InvalidArgument,
                    fmt::format("{} was opened to read, not to execute", name()));
    }
    if (!writer_) {
        throw Error(ErrorCode::StoreUnavailable,
                    fmt::format("{} is closed after a failure and has to be opened again", name()));
    }
    return *writer_;
}

}  // namespace belay::store::postgres
