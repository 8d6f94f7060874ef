#include "service/cli/doctor.hpp"

#include <algorithm>
#include <memory>
#include <optional>

#include <fmt/format.h>

#include <belay/error.hpp>

#include "core/base/text.hpp"
#include "core/env/clock.hpp"
#include "core/env/disk.hpp"
#include "core/library/host.hpp"
#include "core/store/sqlite/connection.hpp"
#include "core/store/sqlite/wal_readers.hpp"
#include "service/cli/version.hpp"
#include "service/cli/words.hpp"
#include "service/traces/outbox.hpp"

namespace belay::cli {

namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kMiB = 1024 * 1024;
constexpr std::uint64_t kFreeBad = 64 * kMiB;  // one WAL at its limit
constexpr std::uint64_t kFreeWarn = 1024 * kMiB;
constexpr std::uint64_t kWalWarn = 96 * kMiB;  // who executes keeps it below 64 MiB if he can
constexpr std::uint64_t kCheckedWithoutAsking = 1024 * kMiB;
constexpr auto kSyncWarn = std::chrono::milliseconds{20};
constexpr int kSyncs = 9;

std::uint64_t size_of(const fs::path& file) {
    std::error_code error;
    const auto size = fs::file_size(file, error);
    return error ? 0 : size;
}

fs::path full_name(const fs::path& file) { return fs::absolute(file).lexically_normal(); }

Check not_checked(std::string name, const std::string& why) {
    return {std::move(name), Health::NotChecked, "not checked: " + why, {}};
}

Check check_program() {
    return {"belay",
            Health::Good,
            fmt::format("{}, {}, {}", version(), compiler_name(), env::kernel_name()),
            {}};
}

Check check_folder(const fs::path& folder) {
    std::error_code error;
    if (!fs::is_directory(folder, error)) {
        return {"folder", Health::Bad, folder.string() + " is not there",
                "Name the right one with --data DIR or --store FILE.db, or start a program that "
                "makes it.",
                true};
    }
    if (!env::is_writable(folder)) {
        return {"folder", Health::Bad, folder.string() + " cannot be written by this user",
                "Change its owner or its mode, or run as the user of the program."};
    }
    return {"folder", Health::Good, folder.string() + " can be written", {}};
}

Check check_space(const fs::path& folder) {
    const env::DiskSpace space = env::disk_space(folder);
    Check check{
        "disk space",
        Health::Good,
        fmt::format("{} of {} free", bytes_text(space.free_bytes), bytes_text(space.size_bytes)),
        {}};
    if (space.free_bytes < kFreeWarn) {
        check.health = space.free_bytes < kFreeBad ? Health::Bad : Health::Warn;
        check.to_do = "Make room: on a full disk nothing can be recorded, and runs stand still.";
    }
    return check;
}

Check check_sync(const fs::path& folder) {
    auto took = env::measure_sync(folder, kSyncs);
    std::sort(took.begin(), took.end());
    const auto median = took[took.size() / 2];
    Check check{"disk sync",
                Health::Good,
                fmt::format("{:.2f} ms for 4 KiB to be durable (median of {}, slowest {:.2f} ms)",
                            static_cast<double>(median.count()) / 1000, kSyncs,
                            static_cast<double>(took.back().count()) / 1000),
                {}};
    if (median > kSyncWarn) {
        check.health = Health::Warn;
        check.to_do =
            "Every commit waits for this. A local SSD takes about a millisecond; network disks are "
            "slow.";
    }
    return check;
}

Check check_executor(const std::optional<model::Executor>& executor, store::Store& store) {
    if (executor) return {"executor", Health::Good, executor->who, {}};
    const store::RunCounts n = store.count_runs();
    const auto unfinished = n.queued + n.running + n.waiting;
    if (unfinished == 0) return {"executor", Health::Good, "none, and no run waits for one", {}};
    return {"executor", Health::Warn,
            fmt::format("none, and {} run{} for one", unfinished,
                        unfinished == 1 ? " waits" : "s wait"),
            "Start the program that defines their workflows on this store."};
}

Check check_wal(const Place& place, bool somebody_executes) {
    const auto size = size_of(place.file.string() + "-wal");
    Check check{"write-ahead log", Health::Good, size == 0 ? "empty" : bytes_text(size), {}};
    if (size > kWalWarn) {
        check.health = Health::Warn;
        const auto readers = store::sqlite::wal_readers(place.file);
        check.to_do = !somebody_executes ? "The next program that executes cuts it back."
                      : readers.empty()
                          ? "Some process reads in one long transaction and keeps it "
                            "from being begun anew: end that."
                          : fmt::format(
                                "Of these, one reads in one long transaction and keeps "
                                "it from being begun anew: {}. End that.",
                                store::sqlite::names_of(readers));
    }
    return check;
}

Check check_sqlite(store::sqlite::Connection& connection) {
    const std::string version = connection.text("SELECT sqlite_version()").value_or("?");
    const auto threads = connection.text(
        "SELECT substr(compile_options, 12) FROM pragma_compile_options WHERE compile_options LIKE "
        "'THREADSAFE=%'");
    if (threads == "0") {
        return {"SQLite", Health::Bad, version + ", built without thread safety",
                "Link a SQLite that is built with SQLITE_THREADSAFE=1 or 2."};
    }
    return {"SQLite",
            Health::Good,
            fmt::format("{}, thread-safe (mode {})", version, threads.value_or("1")),
            {}};
}

Check check_integrity(store::sqlite::Connection& connection, std::uint64_t size, bool full) {
    if (size > kCheckedWithoutAsking && !full) {
        return {"integrity", Health::Warn,
                fmt::format("not checked: the database has {}", bytes_text(size)),
                "belay doctor --full checks it; that reads all of it."};
    }
    const std::string answer = connection.text("PRAGMA quick_check(1)").value_or("no answer");
    if (answer == "ok")
        return {"integrity", Health::Good, fmt::format("sound ({})", bytes_text(size)), {}};
    return {"integrity", Health::Bad, answer,
            "Stop what executes on it, keep a copy, and restore a backup; `sqlite3 FILE .recover` "
            "saves what it can."};
}

Check check_schema(store::sqlite::Connection& connection) {
    const auto number =
        connection.integer("SELECT max(number) FROM schema_migrations WHERE owner = 'belay'");
    return {"schema", Health::Good, fmt::format("version {}", number.value_or(0)), {}};
}

// Also of a database that looks whole: what is older than it should be is as sound as it ever was.
Check check_acknowledged(const fs::path& file) {
    const auto loss = library::lost_commits(file);
    if (!loss) return {"acknowledged", Health::Good, "everything that was is there", {}};
    return {"acknowledged", Health::Bad, *loss,
            "Restore the newest backup, or put the -wal back; `belay doctor --accept-loss` if this "
            "state is meant."};
}

Check check_runs(store::Store& store) {
    const store::RunCounts n = store.count_runs();
    std::string counts = fmt::format(
        "{} queued, {} running, {} waiting, {} paused, {} succeeded, {} failed, {} canceled",
        n.queued, n.running, n.waiting, n.paused, n.succeeded, n.failed, n.canceled);
    if (n.stalled == 0) return {"runs", Health::Good, std::move(counts), {}};
    return {"runs", Health::Warn, fmt::format("{}; {} stalled", counts, n.stalled),
            "Nothing will get those going by itself: `belay runs list --stalled` says why."};
}

// How long a collector may be behind before somebody should look: a restart of it, and what then waits.
constexpr Duration kTracesLate = std::chrono::minutes{5};

Check check_traces(const traces::Outbox::Waiting& waiting, Time now) {
    if (waiting.runs == 0 || !waiting.oldest)
        return {"traces", Health::Good, "the collector has all of them", {}};
    const Duration behind = std::max(now - *waiting.oldest, Duration{0});
    Check check{"traces",
                Health::Good,
                fmt::format("runs that wait for the collector: {}, the oldest for {}", waiting.runs,
                            base::format_duration(behind)),
                {}};
    if (behind > kTracesLate) {
        check.health = Health::Warn;
        check.to_do =
            "The server's log says what the collector answers (traces_failed), if one with --otlp "
            "runs at all.";
    }
    return check;
}

// The newest runs that wait for a person, by what stopped them.
struct PausedRuns {
    std::vector<model::Run> crash_loops;
    std::vector<model::Run> others;
    bool are_more = false;
};

PausedRuns paused_runs(store::Store& store) {
    store::RunFilter filter;
    filter.status = RunStatus::Paused;
    filter.limit = 1000;
    store::RunPage page = store.list_runs(filter);
    PausedRuns paused;
    paused.are_more = page.next.has_value();
    for (model::Run& run : page.runs) {
        const bool is_loop = run.failure && run.failure->code == to_string(ErrorCode::CrashLoop);
        (is_loop ? paused.crash_loops : paused.others).push_back(std::move(run));
    }
    return paused;
}

std::string count_text(const std::vector<model::Run>& runs, bool are_more) {
    const bool one = runs.size() == 1 && !are_more;
    return fmt::format("{}{} {}", are_more ? "at least " : "", runs.size(), one ? "run" : "runs");
}

Check check_paused(const PausedRuns& paused, const Place& place) {
    if (paused.others.empty()) {
        const bool none = paused.crash_loops.empty();
        return {"paused", Health::Good, none ? "none" : "only the crash loops told below", {}};
    }
    const bool one = paused.others.size() == 1 && !paused.are_more;
    return {"paused",
            Health::Warn,
            fmt::format("{} {} paused and need{} you: belay runs why {}{}",
                        count_text(paused.others, paused.are_more), one ? "is" : "are",
                        one ? "s" : "", paused.others.front().id, place.option),
            {}};
}

// Where its process died, as far as the store knows.
std::string died_where(const model::Run& run) {
    if (!run.failure->stage.empty()) return fmt::format("in step `{}`", run.failure->stage);
    if (run.current_stage.empty() || run.current_stage == "queued")
        return "before its first step was recorded; the program's own log says where";
    return fmt::format("after `{}` was recorded; the program's own log says where",
                       run.current_stage);
}

Check check_crash_loops(const PausedRuns& paused, const Place& place) {
    if (paused.crash_loops.empty()) {
        return {"crash loops",
                Health::Good,
                paused.are_more ? "none among the 1000 newest paused runs" : "none",
                {}};
    }
    const model::Run& run = paused.crash_loops.front();
    return {"crash loops", Health::Bad,
            fmt::format("{} paused, such as {}: it died {}",
                        count_text(paused.crash_loops, paused.are_more), run.id, died_where(run)),
            fmt::format("Put that right, then: belay runs resume {}{}", run.id, place.option)};
}

// One check, whose own failure is what it found.
template <class F>
void add(std::vector<Check>& checks, const std::string& name, F&& check) {
    try {
        checks.push_back(check());
    } catch (const std::exception& error) {
        checks.push_back({name, Health::Bad, error.what(),
                          "Put that right first; the rest may follow from it."});
    }
}

std::unique_ptr<store::sqlite::Connection> open_file(const fs::path& file) {
    using store::sqlite::Connection;
    using store::sqlite::OpenMode;
    constexpr Duration kBusyTimeMax = std::chrono::seconds{5};
    try {
        auto connection = std::make_unique<Connection>(file, OpenMode::Read, kBusyTimeMax);
        connection->integer("SELECT count(*) FROM sqlite_schema");
        return connection;
    } catch (const store::sqlite::SqliteError&) {
        // As the store does it: without a WAL, a file in a folder that is read-only is all there.
        std::error_code error;
        if (env::is_writable(file.parent_path()) || fs::exists(file.string() + "-wal", error))
            throw;
        auto connection = std::make_unique<Connection>(file, OpenMode::Immutable, kBusyTimeMax);
        connection->integer("SELECT count(*) FROM sqlite_schema");
        return connection;
    }
}

// Whether the file opens and is sound, whoever wrote it. A file that does not open is the database
// check's to tell.
void examine_file(const fs::path& file, const DoctorOptions& options, std::vector<Check>& checks) {
    std::unique_ptr<store::sqlite::Connection> connection;
    try {
        connection = open_file(file);
    } catch (const std::exception& error) {
        for (const char* name : {"SQLite", "integrity", "schema"})
            checks.push_back(not_checked(name, error.what()));
        return;
    }
    add(checks, "SQLite", [&] { return check_sqlite(*connection); });
    add(checks, "integrity",
        [&] { return check_integrity(*connection, size_of(file), options.full); });
    add(checks, "schema", [&] { return check_schema(*connection); });
    if (options.accept_loss) library::accept_lost_commits(file);
    add(checks, "acknowledged", [&] { return check_acknowledged(file); });
}

void examine_executor(const Place& place, store::Store& store, std::vector<Check>& checks) {
    std::optional<model::Executor> executor;
    try {
        executor = executor_of(place);
        add(checks, "executor", [&] { return check_executor(executor, store); });
    } catch (const Error& error) {
        checks.push_back(not_checked("executor", error.what()));
    }
    add(checks, "write-ahead log", [&] { return check_wal(place, executor.has_value()); });
}

void examine_store(const Place& place, std::vector<Check>& checks) {
    std::unique_ptr<store::Store> store;
    add(checks, "database", [&]() -> Check {
        store = open_to_read(place);
        return {"database", Health::Good, full_name(place.file).string() + " opens", {}};
    });
    checks.back().no_store = !store;
    if (!store) return;
    examine_executor(place, *store, checks);
    add(checks, "runs", [&] { return check_runs(*store); });
    if (const auto waiting = traces::waiting_in(*store))
        checks.push_back(check_traces(*waiting, env::SystemClock{}.now()));
    PausedRuns paused;
    add(checks, "paused", [&] {
        paused = paused_runs(*store);
        return check_paused(paused, place);
    });
    add(checks, "crash loops", [&] { return check_crash_loops(paused, place); });
}

}  // namespace

std::vector<Check> examine(const Place& place, const DoctorOptions& options) {
    std::vector<Check> checks;
    const fs::path file = full_name(place.file);
    const fs::path folder = file.parent_path();
    checks.push_back(check_program());
    checks.push_back(check_folder(folder));
    std::error_code error;
    if (!fs::is_directory(folder, error)) return checks;
    add(checks, "disk space", [&] { return check_space(folder); });
    if (env::is_writable(folder)) {
        add(checks, "disk sync", [&] { return check_sync(folder); });
    } else {
        checks.push_back(not_checked("disk sync", "this user cannot write there"));
    }
    if (!fs::exists(file, error)) {
        checks.push_back(
            {"database", Health::Bad, file.string() + " is not there",
             "Start a program that executes on it once, or name another with --store FILE.db.",
             true});
        return checks;
    }
    examine_file(file, options, checks);
    examine_store(place, checks);
    return checks;
}

}  // namespace belay::cli
