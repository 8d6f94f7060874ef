// file_lock.hpp — at most one process executes on a database, and the others can say which.
//
// A flock(2) on a file of its own: the kernel releases it when the process ends, however it ends, so
// there is never a stale lock. The file's text only names the holder. It is never removed: a process
// that waits to lock it must not lock another file than the next one opens.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace belay::env {

class FileLock {
public:
    // Locks `path`, creating it if needed, and writes there who holds it: `holder` (such as "belay
    // serve"), the process id and the time. Does not wait. Throws Error{StoreLocked} naming the holder if
    // it is locked, also by this process; Error{StoreUnavailable} if the file cannot be used.
    static FileLock acquire(const std::filesystem::path& path, std::string_view holder);

    // Who holds `path` now, in the holder's own words; nothing if nobody does. Throws
    // Error{StoreUnavailable} if the file is there and cannot be looked at.
    static std::optional<std::string> holder(const std::filesystem::path& path);

    FileLock(FileLock&& other) noexcept;
    FileLock& operator=(FileLock&& other) noexcept;
    ~FileLock() { release(); }

private:
    explicit FileLock(int fd) : fd_(fd) {}

    void release();

    int fd_;  // -1 after a move
};

}  // namespace belay::env
