// memory_files.hpp — a disk in memory that fails, fills up and loses power when it is told to.
//
// Keeps two versions of everything: what programs see, and what has been synced. lose_power() drops the
// difference, so code that forgot a sync loses data in a test instead of at night. For tests and
// simulation: SystemFiles is what programs use.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "core/env/files.hpp"
#include "core/env/random.hpp"

namespace belay::env {

// Thrown by every call from the one at which the power went, until lose_power(). Not a std::exception: no
// `catch` on the way may take it for a failure to be handled.
struct PowerLost {
    std::int64_t call = 0;
};

class MemoryFiles final : public Files {
public:
    enum class Fault {
        NotDone,   // the call does nothing and throws
        Done,      // the call does its work and throws all the same
        PowerLost  // the call does nothing, and the machine is dead
    };

    MemoryFiles();
    ~MemoryFiles() override;

    // The n-th call from now on, counted from 1, fails like this. `error_number` is the reason told.
    void fail_call(std::int64_t n, Fault fault, int error_number = 5 /* EIO */);
    std::int64_t calls() const;  // that could fail, so far

    // Every call throws PowerLost from now on, until lose_power().
    void cut_power();
    bool is_dead() const;

    // Called when the power goes at a planned call; must call nothing of this.
    std::function<void()> on_power_lost;

    // No more than this many bytes in all files together: writes beyond it fail with ENOSPC.
    void set_capacity(std::uint64_t bytes);
    std::uint64_t bytes_used() const;

    // What a power cut leaves: everything that was synced. With `dice`, of what was not synced each name and
    // each file's content is by chance as it was or as it became, as a real disk would have it. Open files
    // are dead. Calls work again afterwards.
    void lose_power(Random* dice = nullptr);

    std::unique_ptr<WritableFile> create_temp(const std::filesystem::path& folder) override;
    std::unique_ptr<WritableFile> create(const std::filesystem::path& path) override;
    std::unique_ptr<ReadableFile> open(const std::filesystem::path& path) override;
    bool exists(const std::filesystem::path& path) override;
    void rename(const std::filesystem::path& from, const std::filesystem::path& to) override;
    bool link(const std::filesystem::path& from, const std::filesystem::path& to) override;
    bool remove(const std::filesystem::path& path) override;
    void sync_folder(const std::filesystem::path& folder) override;
    void make_folders(const std::filesystem::path& folder) override;
    std::vector<FolderEntry> list(const std::filesystem::path& folder) override;

private:
    // A file or a folder; names point to it, and open files keep it when its last name goes.
    struct Node;
    using NodePtr = std::shared_ptr<Node>;  // owned by every name and every open file
    class Writable;
    class Readable;

    // Runs one call under the lock, or fails it as told.
    template <class Work>
    auto call(std::string_view what, const std::filesystem::path& path, Work work);
    NodePtr find(const std::filesystem::path& path) const;
    NodePtr folder_of(std::string_view what, const std::filesystem::path& path) const;
    void settle(Node& node, Random* dice);
    std::uint64_t bytes_in(const Node& node) const;

    mutable std::mutex mutex_;
    NodePtr root_;
    std::uint64_t capacity_ = std::numeric_limits<std::uint64_t>::max();
    std::int64_t calls_ = 0;
    struct Planned {
        std::int64_t call;
        Fault fault;
        int error_number;
    };
    std::optional<Planned> planned_;
    bool dead_ = false;
    std::int64_t temp_count_ = 0;
    std::int64_t boots_ = 0;  // open files of an earlier boot are dead
};

}  // namespace belay::env
