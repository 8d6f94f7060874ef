// blobs.hpp — large values, each in a file of its own beside the database.
//
// A row of megabytes would hold up everyone in its group commit, and be copied through the log twice. So a
// value above a threshold goes to <database>.blobs/ab/ab12…, named by the SHA-256 of its content, and the
// column holds a reference: `blob:<sha256>:<bytes>`, which no JSON begins with. The file is on the disk,
// name and all, before the commit that names it: a reference that can be read has its file. The other way
// round a crash may leave a file that nothing names; collect() removes those.
//
// Equal values share one file. Only the process that executes on a database writes and collects; any
// process may read.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "core/base/limits.hpp"
#include "core/env/files.hpp"

namespace belay::store {

struct BlobRef {
    std::string sha256{};  // 64 hex digits
    std::uint64_t bytes = 0;

    // What stands in the column.
    std::string text() const;

    // Nothing if the column holds the value itself. Throws Error{BadValue} for what begins as a reference
    // and is none.
    static std::optional<BlobRef> parse(std::string_view column);

    friend bool operator==(const BlobRef&, const BlobRef&) = default;
};

// All functions may be called from any thread.
class Blobs {
public:
    // `files` must outlive it. Touches nothing until the first value is kept.
    Blobs(env::Files& files, std::filesystem::path folder,
          std::size_t threshold = base::kBlobThresholdBytes);

    // The folder of a database: invoices.db.blobs.
    static std::filesystem::path folder_of(const std::filesystem::path& database);

    // Keeps a blob from being collected until the commit that names it is done: hold it until then.
    class Kept {
    public:
        Kept() = default;
        Kept(Kept&& other) noexcept;
        Kept& operator=(Kept&& other) noexcept;
        ~Kept() { let_go(); }

    private:
        friend class Blobs;
        Kept(Blobs& blobs, std::string sha256) : blobs_(&blobs), sha256_(std::move(sha256)) {}
        void let_go() noexcept;

        Blobs* blobs_ = nullptr;
        std::string sha256_{};
    };

    struct Column {
        std::string text{};  // the value, or its reference
        Kept kept{};
    };

    // What to write in the column. A value above the threshold is on the disk when it returns. Throws
    // Error{PayloadTooLarge} above the limit for one value, env::FileError if the disk fails: then nothing
    // may be committed that names it.
    Column to_column(std::string value);

    // Whether to_column would keep it in a file, or refuse it.
    bool is_large(std::string_view value) const { return value.size() > threshold_; }

    // The value of a column. Throws Error{BadValue} if its file is missing or damaged, saying which.
    std::string from_column(std::string column);

    struct Collected {
        std::int64_t removed = 0;
        std::uint64_t bytes = 0;
        std::int64_t left = 0;
    };

    // Removes every file that no column names. `read_live` gives the hashes that columns name; it is called
    // once, after the files were listed, and must see every commit that was done by then. Values may be
    // kept meanwhile. Throws env::FileError; what was removed by then stays removed.
    Collected collect(const std::function<std::set<std::string>()>& read_live);

    // Removes what a dead process had half written. Call when opening, before anything is kept.
    void remove_leftovers();

private:
    class Collecting;

    std::filesystem::path path_of(std::string_view sha256) const;
    void write(const std::filesystem::path& path, std::string_view value);
    void make_durable_folder(const std::filesystem::path& folder);
    bool has(const std::filesystem::path& path, std::uint64_t bytes);
    Kept pin(const std::string& sha256);

    env::Files& files_;
    const std::filesystem::path folder_;
    const std::size_t threshold_;
    std::mutex mutex_;
    std::set<std::filesystem::path> folders_{};  // known to be on the disk
    std::map<std::string, int> pinned_{};
    std::mutex collecting_mutex_;  // one collection at a time
    bool collecting_ = false;
    std::set<std::string> since_collection_{};  // kept since the one under way began
};

}  // namespace belay::store
