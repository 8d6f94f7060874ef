#include "cli/doctor.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <ostream>

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <boost/json.hpp>

#include <belay/error.hpp>

#include "cli/command.hpp"
#include "cli/version.hpp"
#include "cli/words.hpp"
#include "env/disk.hpp"
#include "store/sqlite/connection.hpp"

namespace belay::cli {

namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kMiB = 1024 * 1024;
constexpr std::uint64_t kFreeBad = 64 * kMiB;  // one WAL at its limit
constexpr std::uint64_t kFreeWarn = 1024 * kMiB;
constexpr std::uint64_t kWalWarn = 256 * kMiB;  // the writer cuts it back to 64 MiB
constexpr std::uint64_t kCheckedWithoutAsking = 1024 * kMiB;
constexpr auto kSyncWarn = std::chrono::milliseconds{20};
constexpr int kSyncs = 9;

std::uint64_t size_of(const fs::path& file) {
    std::error_code error;
    const auto size = fs::file_size(file, error);
    return error ? 0 : size;
}

fs::path folder_of(const Place& place) {
    if (!place.data_folder.empty()) return place.data_folder;
    const fs::path parent = place.file.parent_path();
    return parent.empty() ? fs::path(".") : parent;
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
                "makes it."};
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

Check check_executor(const Place& place, store::Store& store) {
    const auto executor = executor_of(place);
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
        check.to_do = somebody_executes ? "Some process reads in one long transaction and keeps it "
                                          "from being cut back: end that."
                                        : "The next program that executes cuts it back.";
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

Check check_runs(store::Store& store) {
    const store::RunCounts n = store.count_runs();
    return {
        "runs",
        Health::Good,
        fmt::format(
            "{} queued, {} running, {} waiting, {} paused, {} succeeded, {} failed, {} canceled",
            n.queued, n.running, n.waiting, n.paused, n.succeeded, n.failed, n.canceled),
        {}};
}

Check check_crash_loops(store::Store& store, const Place& place) {
    store::RunFilter filter;
    filter.status = RunStatus::Paused;
    filter.limit = 1000;
    std::vector<std::string> ids;
    const store::RunPage page = store.list_runs(filter);
    for (const model::Run& run : page.runs) {
        if (run.failure && run.failure->message.starts_with("crash loop")) ids.push_back(run.id);
    }
    if (ids.empty()) {
        return {"crash loops",
                Health::Good,
                page.next ? "none among the 1000 newest paused runs" : "none",
                {}};
    }
    std::string found =
        fmt::format("{} run{} paused, such as {}", ids.size(), ids.size() == 1 ? "" : "s", ids[0]);
    return {"crash loops", Health::Bad, std::move(found),
            fmt::format("`belay runs show {}{}` shows the step that it dies in; put that right, "
                        "then resume it.",
                        ids[0], place.option)};
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

void examine_file(const Place& place, const DoctorOptions& options, std::vector<Check>& checks) {
    std::optional<store::sqlite::Connection> connection;
    add(checks, "SQLite", [&] {
        connection.emplace(place.file, store::sqlite::OpenMode::Read, std::chrono::seconds{5});
        return check_sqlite(*connection);
    });
    if (connection) {
        add(checks, "integrity",
            [&] { return check_integrity(*connection, size_of(place.file), options.full); });
    }
    std::unique_ptr<store::Store> store;
    add(checks, "database", [&]() -> Check {
        store = open_to_read(place);
        return {"database", Health::Good, place.file.string() + " opens", {}};
    });
    if (!store) return;
    add(checks, "schema", [&] { return check_schema(*connection); });
    add(checks, "executor", [&] { return check_executor(place, *store); });
    add(checks, "runs", [&] { return check_runs(*store); });
    add(checks, "crash loops", [&] { return check_crash_loops(*store, place); });
}

std::string_view mark_of(Health health) {
    return health == Health::Good ? "✓" : health == Health::Warn ? "!" : "✗";
}

Style style_of(Health health) {
    return health == Health::Good ? Style::Good : health == Health::Warn ? Style::Warn : Style::Bad;
}

}  // namespace

std::vector<Check> examine(const Place& place, const DoctorOptions& options) {
    std::vector<Check> checks;
    const fs::path folder = folder_of(place);
    checks.push_back(check_program());
    checks.push_back(check_folder(folder));
    std::error_code error;
    if (!fs::is_directory(folder, error)) return checks;
    add(checks, "disk space", [&] { return check_space(folder); });
    if (env::is_writable(folder)) add(checks, "disk sync", [&] { return check_sync(folder); });
    if (!fs::exists(place.file, error)) {
        checks.push_back(
            {"database", Health::Bad, place.file.string() + " is not there",
             "Start a program that executes on it once, or name another with --store FILE.db."});
        return checks;
    }
    add(checks, "write-ahead log",
        [&] { return check_wal(place, executor_of(place).has_value()); });
    examine_file(place, options, checks);
    return checks;
}

bool is_well(const std::vector<Check>& checks) {
    return std::none_of(checks.begin(), checks.end(),
                        [](const Check& check) { return check.health == Health::Bad; });
}

void print_checks(const std::vector<Check>& checks, const Screen& screen) {
    for (const Check& check : checks) {
        screen.out << styled(screen, style_of(check.health), mark_of(check.health)) << ' '
                   << fmt::format("{:<16} {}\n", check.name, plain(check.found));
        if (!check.to_do.empty())
            screen.out << fmt::format("  {:<16} → {}\n", "", plain(check.to_do));
    }
    const auto bad = std::count_if(checks.begin(), checks.end(),
                                   [](const Check& c) { return c.health == Health::Bad; });
    const auto warn = std::count_if(checks.begin(), checks.end(),
                                    [](const Check& c) { return c.health == Health::Warn; });
    if (bad == 0 && warn == 0) {
        screen.out << "All is well.\n";
    } else {
        screen.out << fmt::format("{} to put right, {} to know about.\n", bad, warn);
    }
}

void print_checks_json(const std::vector<Check>& checks, const Screen& screen) {
    boost::json::array rows;
    for (const Check& check : checks) {
        const char* status = check.health == Health::Good   ? "ok"
                             : check.health == Health::Warn ? "warning"
                                                            : "failed";
        rows.push_back(
            boost::json::object{{"check", check.name},
                                {"status", status},
                                {"found", check.found},
                                {"to_do", check.to_do.empty() ? boost::json::value(nullptr)
                                                              : boost::json::value(check.to_do)}});
    }
    screen.out << boost::json::serialize(
                      boost::json::object{{"ok", is_well(checks)}, {"checks", std::move(rows)}})
               << '\n';
}

void add_doctor(CLI::App& app, Session& session) {
    const auto options = std::make_shared<DoctorOptions>();
    CLI::App* command = add_command(app, "doctor", "Check the store, its disk and who executes",
                                    "belay doctor --store invoices.db");
    command->add_flag("--full", options->full, "check the integrity of a database above 1 GiB too");
    add_json(*command, session);
    choose(*command, session, [options, &session] {
        const std::vector<Check> checks = examine(session.place(), *options);
        (session.json ? print_checks_json : print_checks)(checks, session.world.screen);
        return is_well(checks) ? ExitCode::Ok : ExitCode::Failed;
    });
}

}  // namespace belay::cli
