#include "service/cli/backup.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <memory>
#include <ostream>
#include <sstream>

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <boost/json.hpp>

#include <belay/error.hpp>

#include "core/base/text.hpp"
#include "core/env/files.hpp"
#include "core/store/sqlite/backup.hpp"
#include "service/cli/data_folder.hpp"
#include "service/cli/version.hpp"

namespace belay::cli {

namespace {

namespace fs = std::filesystem;
namespace json = boost::json;

constexpr std::string_view kManifest = "belay-backup.json";
constexpr std::string_view kUnfinished =
    "belay-backup.unfinished.json";  // until the folder has its name
constexpr std::string_view kPartial = ".partial";
constexpr std::size_t kMissingShown = 20;

[[noreturn]] void cannot(std::string_view what, const fs::path& path, const std::string& why) {
    throw Error(ErrorCode::StoreUnavailable,
                fmt::format("{} cannot be {}: {}", path.string(), what, why));
}

// A file or a folder, onto the disk.
void sync(const fs::path& path) {
    const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0) return;
    const bool done = ::fsync(file) == 0;
    ::close(file);
    if (!done) cannot("written", path, "the disk refused it");
}

// What belongs to the database, to a running process, or to nobody.
bool is_left_out(const fs::path& relative) {
    const std::string name = relative.filename().string();
    const std::string first = relative.begin()->string();
    if (relative == fs::path("objects") / "temp" || first == "objects-temp") return true;
    if (relative.has_parent_path()) return false;
    // Beside a database: its -wal, the mark of what was acknowledged (a restored one begins anew), the black boxes of
    // processes, which are not dead because somebody looks at them.
    return name == "belay.db" || name.starts_with("belay.db-") || name == "belay.db.lock" ||
           name == "server.url" || name == kManifest || name == kUnfinished;
}

// Copies a tree; files that vanish meanwhile were deleted, and are left out.
void copy_tree(const fs::path& from, const fs::path& to, BackupReport& report) {
    std::error_code error;
    auto entry = fs::recursive_directory_iterator(from, error);
    if (error) cannot("read", from, error.message());
    for (; entry != fs::recursive_directory_iterator(); entry.increment(error)) {
        if (error) cannot("read", from, error.message());
        const fs::path relative = entry->path().lexically_relative(from);
        if (is_left_out(relative)) {
            if (entry->is_directory(error)) entry.disable_recursion_pending();
            continue;
        }
        if (entry->is_directory(error)) {
            make_private_folder(to / relative);
        } else if (entry->is_regular_file(error)) {
            const fs::path target = to / relative;
            fs::copy_file(entry->path(), target, fs::copy_options::overwrite_existing, error);
            if (error == std::errc::no_such_file_or_directory) {
                error.clear();
                continue;
            }
            if (error) cannot("copied", entry->path(), error.message());
            sync(target);
            ++report.files;
            report.file_bytes += fs::file_size(target, error);
        }
        error.clear();
    }
}

void sync_folders(const fs::path& root) {
    for (const auto& entry : fs::recursive_directory_iterator(root)) {
        if (entry.is_directory()) sync(entry.path());
    }
    sync(root);
}

// Counts what is in the copy, and what its rows name and it does not have.
void look_at_copy(const fs::path& folder, const FindMissing& find_missing, const env::Clock& clock,
                  BackupReport& report) {
    Place place;
    place.file = folder / "belay.db";
    const auto store = open_to_read(place);
    const store::RunCounts n = store->count_runs();
    report.runs = n.queued + n.running + n.waiting + n.paused + n.succeeded + n.failed + n.canceled;
    if (find_missing && report.objects_elsewhere.empty())
        report.missing = find_missing(folder, *store, clock);
}

json::object json_of(const BackupReport& report) {
    json::object out{{"made_at", report.made_at},
                     {"belay", version()},
                     {"database_bytes", report.database_bytes},
                     {"files", report.files},
                     {"file_bytes", report.file_bytes},
                     {"runs", report.runs},
                     {"missing", json::array(report.missing.begin(), report.missing.end())},
                     {"objects_elsewhere", nullptr}};
    if (!report.objects_elsewhere.empty()) out["objects_elsewhere"] = report.objects_elsewhere;
    return out;
}

void write_manifest(const fs::path& folder, const BackupReport& report) {
    const fs::path file = folder / kUnfinished;
    std::ofstream out{file};
    out << json::serialize(json_of(report)) << '\n';
    out.close();
    if (!out) cannot("written", file, "the disk refused it");
    sync(file);
}

BackupReport read_manifest(const fs::path& folder) {
    std::ifstream in{folder / kManifest};
    std::stringstream text;
    text << in.rdbuf();
    boost::system::error_code error;
    const json::value read = json::parse(text.str(), error);
    if (fs::exists(folder / kUnfinished) || folder.extension() == kPartial)
        throw Error(
            ErrorCode::InvalidArgument,
            fmt::format(
                "{} is no backup: making it was interrupted; take another, or make it again",
                folder.string()));
    if (error || !read.is_object())
        throw Error(ErrorCode::InvalidArgument,
                    fmt::format("{} is no backup: it has no {}", folder.string(), kManifest));
    BackupReport report;
    report.made_at = read.at("made_at").as_string();
    report.runs = read.at("runs").to_number<std::int64_t>();
    return report;
}

// Takes a half-made folder away again unless it was finished.
class Partial {
public:
    explicit Partial(fs::path folder) : folder_(std::move(folder)) {
        fs::remove_all(folder_);
        make_private_folder(folder_);
    }
    ~Partial() {
        std::error_code ignored;
        if (!folder_.empty()) fs::remove_all(folder_, ignored);
    }
    const fs::path& folder() const { return folder_; }
    void become(const fs::path& name) {
        sync_folders(folder_);
        std::error_code error;
        fs::rename(folder_, name, error);
        if (error) cannot("made", name, error.message());
        const fs::path parent = fs::absolute(name).parent_path();
        sync(parent);
        folder_.clear();
    }

private:
    fs::path folder_;
};

fs::path with_suffix(fs::path path, std::string_view suffix) {
    if (!path.has_filename()) path = path.parent_path();
    path += suffix;
    return path;
}

// A backup that was interrupted between its name and its end is nobody's.
bool is_taken(const fs::path& folder) {
    std::error_code error;
    return fs::exists(folder, error) && !fs::exists(folder / kUnfinished, error) &&
           !(fs::is_directory(folder, error) && fs::is_empty(folder, error));
}

std::string bytes_text(std::uint64_t bytes) {
    if (bytes < 10'000) return fmt::format("{} bytes", bytes);
    if (bytes < 10'000'000) return fmt::format("{} kB", bytes / 1000);
    return fmt::format("{} MB", bytes / 1'000'000);
}

ExitCode tell(const Session& session, const BackupReport& report, const std::string& first) {
    auto& out = session.world.screen.out;
    if (session.json) {
        out << json::serialize(json_of(report)) << '\n';
        return ExitCode::Ok;
    }
    out << fmt::format("{}: {} runs, a database of {}, {} files of {}.\n", plain(first),
                       report.runs, bytes_text(report.database_bytes), report.files,
                       bytes_text(report.file_bytes));
    if (!report.objects_elsewhere.empty())
        out << fmt::format("Objects are in {}: they are no part of it.\n",
                           plain(report.objects_elsewhere));
    if (!report.missing.empty()) {
        out << fmt::format("{} files were deleted while it was made:\n", report.missing.size());
        for (std::size_t i = 0; i < std::min(kMissingShown, report.missing.size()); ++i)
            out << "  " << plain(report.missing[i]) << '\n';
    }
    return ExitCode::Ok;
}

}  // namespace

BackupReport make_backup(const Place& place, const fs::path& to, const env::Clock& clock,
                         const FindMissing& find_missing) {
    if (is_taken(to))
        throw Error(
            ErrorCode::InvalidArgument,
            fmt::format("{} is there already: a backup needs a name of its own", to.string()));
    if (!place.address.empty())
        throw Error(
            ErrorCode::InvalidArgument,
            fmt::format("{} is backed up with PostgreSQL's own means (pg_dump, or a base backup "
                        "with its log), "
                        "which copy all of it at one moment; files in S3 are backed up there",
                        shown(place)));
    open_to_read(place);  // says what is wrong with the place
    BackupReport report;
    report.made_at = base::format_time(clock.now());
    if (!place.objects.empty()) report.objects_elsewhere = place.objects;
    Partial partial{with_suffix(to, kPartial)};
    const fs::path database = partial.folder() / "belay.db";
    store::sqlite::copy_database(place.file, database);
    if (!place.data_folder.empty()) copy_tree(place.data_folder, partial.folder(), report);
    if (const std::string damage = store::sqlite::damage_in(database); !damage.empty())
        throw Error(ErrorCode::StoreUnavailable,
                    fmt::format("{} is damaged: {}", place.file.string(), damage));
    look_at_copy(partial.folder(), find_missing, clock, report);
    report.database_bytes = fs::file_size(database);
    write_manifest(partial.folder(), report);
    std::error_code ignored;
    fs::remove_all(to, ignored);  // an empty folder, or one that was interrupted
    partial.become(to);
    fs::rename(to / kUnfinished, to / kManifest);
    sync(to);
    return report;
}

BackupReport restore_backup(const fs::path& from, const Place& place) {
    BackupReport report = read_manifest(from);
    if (place.data_folder.empty())
        throw Error(ErrorCode::InvalidArgument,
                    "a backup is restored into a folder: say --data DIR");
    if (is_taken(place.data_folder))
        throw Error(ErrorCode::InvalidArgument,
                    fmt::format("{} is not empty: restore into a new folder, or move it away first",
                                place.data_folder.string()));
    const fs::path database = from / "belay.db";
    if (const std::string damage = store::sqlite::damage_in(database); !damage.empty())
        throw Error(ErrorCode::StoreUnavailable,
                    fmt::format("{} is damaged: {}", database.string(), damage));
    Partial partial{with_suffix(place.data_folder, kPartial)};
    store::sqlite::copy_database(database, partial.folder() / "belay.db");
    copy_tree(from, partial.folder(), report);
    report.database_bytes = fs::file_size(partial.folder() / "belay.db");
    std::error_code ignored;
    fs::remove(place.data_folder, ignored);
    partial.become(place.data_folder);
    return report;
}

void add_backup(CLI::App& app, Session& session) {
    const auto folder = std::make_shared<std::string>();
    CLI::App* make =
        add_command(app, "backup", "Copy a data directory, also while a server works on it",
                    "belay backup /backups/monday --data ./belay-data");
    make->add_option("TO", *folder, "a folder that is not there yet")->required();
    add_json(*make, session);
    choose(*make, session, [folder, &session] {
        const BackupReport report =
            make_backup(session.place(), *folder, session.world.clock, session.find_missing);
        return tell(session, report, fmt::format("{} is a backup", *folder));
    });

    CLI::App* back = add_command(app, "restore", "Make a data directory from a backup",
                                 "belay restore /backups/monday --data ./belay-data");
    back->add_option("FROM", *folder, "what `belay backup` made")->required();
    add_json(*back, session);
    choose(*back, session, [folder, &session] {
        const Place place = session.place();
        const BackupReport report = restore_backup(*folder, place);
        return tell(
            session, report,
            fmt::format("{} is as it was at {}", place.data_folder.string(), report.made_at));
    });
}

}  // namespace belay::cli
