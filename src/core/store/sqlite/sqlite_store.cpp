#include "core/store/sqlite/sqlite_store.hpp"

#include <utility>

#include <fmt/format.h>

#include <belay/error.hpp>

#include "core/env/clock.hpp"
#include "core/store/sqlite/schema.hpp"

namespace belay::store::sqlite {

namespace {

// Long enough for whoever asked to come back for the answer.
constexpr Duration kKeepAnswers = std::chrono::hours{24 * 7};

std::unique_ptr<Writer> open_writer(const std::filesystem::path& file, const OpenOptions& options,
                                    Blobs& blobs, CommitMark& mark) {
    const WriterOptions writer{.blobs = &blobs,
                               .mark = &mark,
                               .transaction_time_max = options.transaction_time_max,
                               .busy_time_max = options.busy_time_max};
    return std::make_unique<Writer>(file, writer, env::SystemClock{}.now());
}

}  // namespace

std::unique_ptr<Store> open(const std::filesystem::path& file, const OpenOptions& options) {
    return std::make_unique<SqliteStore>(file, options);
}

SqliteStore::SqliteStore(const std::filesystem::path& file, const OpenOptions& options)
    : file_(file), options_(options),
      blobs_(files_, Blobs::folder_of(file), options.blob_threshold) {
    if (options_.execute) {
        check_is_ours(file_);  // before the lock, whose file would be the first thing written
        try {
            lock_ = env::FileLock::acquire(file_.string() + ".lock", options_.holder);
        } catch (const Error& error) {
            if (error.code() != ErrorCode::StoreLocked) throw;
            throw Error(
                ErrorCode::StoreLocked,
                fmt::format(
                    "{}. One process executes on a store at a time: stop that one, or use another "
                    "file. Looking at it with `belay runs` works meanwhile.",
                    error.what()));
        }
        mark_.emplace(file_);
        writer_ = open_writer(file_, options_, blobs_, *mark_);
        blobs_.remove_leftovers();
        writer_->start_session(env::SystemClock{}.now() - kKeepAnswers);
    }
    readers_.emplace(file_, options_.busy_time_max, blobs_);
    if (!writer_) return;
    keeper_.emplace(file_, *readers_, options_.wal);
    keeper_->watch(writer_->handle());
}

SqliteStore::~SqliteStore() = default;

void SqliteStore::commit(Batch& batch) {
    Writer& one = writer();
    keeper_->wait_for_room();
    const std::lock_guard lock{keeper_->commits()};
    one.commit(batch);
}

void SqliteStore::reopen() {
    if (!options_.execute) writer();
    const auto paused = keeper_->pause();
    readers_->close();
    writer_.reset();
    writer_ = open_writer(file_, options_, blobs_, *mark_);
    keeper_->watch(writer_->handle());
    writer_->prove_writable();
    readers_->close();  // those that were opened on what there was meanwhile
}

bool SqliteStore::changed_outside() { return writer().changed_outside(); }

void SqliteStore::migrate(const Migrations& migrations) {
    writer().migrate(migrations, env::SystemClock{}.now());
}

std::optional<model::Run> SqliteStore::find_run(std::string_view id) {
    return reader()->find_run(id);
}

std::optional<model::Run> SqliteStore::find_run(RunNo no) { return reader()->find_run(no); }

std::vector<model::Run> SqliteStore::ended_of(const std::vector<std::string>& ids) {
    return reader()->ended_of(ids);
}

RunPage SqliteStore::list_runs(const RunFilter& filter) { return reader()->list_runs(filter); }

std::vector<model::Stage> SqliteStore::stages(RunNo run) { return reader()->stages(run); }

std::vector<model::Attempt> SqliteStore::attempts(RunNo run) { return reader()->attempts(run); }

std::vector<model::Death> SqliteStore::deaths(RunNo run) { return reader()->deaths(run); }

LabelsOfRuns SqliteStore::labels(const std::vector<RunNo>& runs) { return reader()->labels(runs); }

std::map<std::string, std::string> SqliteStore::exposed(RunNo run) {
    return reader()->exposed(run);
}

RunCounts SqliteStore::count_runs() { return reader()->count_runs(); }

std::vector<QueueInfo> SqliteStore::queues(Time now, std::string_view organization) {
    return reader()->queues(now, organization);
}

std::optional<model::QueuePlace> SqliteStore::place_in_queue(RunNo run, Time now) {
    return reader()->place_in_queue(run, now);
}

std::vector<BudgetInfo> SqliteStore::budgets(Time now, const model::Run* run) {
    return reader()->budgets(now, run);
}

std::vector<model::StoredSchedule> SqliteStore::schedules() { return reader()->schedules(); }
std::vector<model::Message> SqliteStore::messages(std::string_view run_id, int limit) {
    return reader()->messages(run_id, limit);
}

bool SqliteStore::has_topic(std::string_view topic) { return reader()->has_topic(topic); }

std::vector<model::Worker> SqliteStore::workers() { return reader()->workers(); }

std::vector<std::string> SqliteStore::open_workflows() { return reader()->open_workflows(); }

std::optional<Store::Cached> SqliteStore::find_cached(std::string_view key, Time now) {
    return reader()->find_cached(key, now);
}

std::vector<model::LedgerRow> SqliteStore::ledger(const model::LedgerFilter& filter) {
    return reader()->ledger(filter);
}

std::int64_t SqliteStore::collect_garbage() {
    writer();  // whoever only reads must not remove what another process has just written
    return blobs_.collect([this] { return reader()->named_blobs(); }).removed;
}

SqlResult SqliteStore::query(std::string_view sql, std::span<const SqlValue> parameters) {
    return reader()->query(sql, parameters);
}

std::int64_t SqliteStore::ask(const ControlRequest& request) { return reader()->ask(request); }

std::optional<Store::Answer> SqliteStore::answer(std::int64_t request_id) {
    return reader()->answer(request_id);
}

std::string SqliteStore::held_up() { return keeper_ ? keeper_->held_up() : std::string(); }

std::string SqliteStore::name() const { return "sqlite:" + file_.string(); }

Writer& SqliteStore::writer() {
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

// Reads under way keep the reader they began with, also while the store is reopened.
std::shared_ptr<Reader> SqliteStore::reader() { return readers_->take(); }

}  // namespace belay::store::sqlite
