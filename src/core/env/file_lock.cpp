#include "core/env/file_lock.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <string>
#include <system_error>
#include <thread>
#include <utility>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <belay/error.hpp>

#include "core/env/clock.hpp"

namespace belay::env {

namespace {

[[noreturn]] void throw_unavailable(const std::filesystem::path& path, int error) {
    throw Error(ErrorCode::StoreUnavailable,
                fmt::format("the lock file {} cannot be used ({}): make its folder exist and "
                            "writable for this user",
                            path.string(), std::generic_category().message(error)));
}

int flock_now(int fd, int kind) {
    int result = 0;
    do {
        result = ::flock(fd, kind | LOCK_NB);
    } while (result != 0 && errno == EINTR);
    return result == 0 ? 0 : errno;
}

// Someone who asks for the holder has the lock for some microseconds; that is no holder.
int flock_beside_askers(int fd) {
    int error = flock_now(fd, LOCK_EX);
    for (int tries = 0; error == EWOULDBLOCK && tries < 10; ++tries) {
        std::this_thread::sleep_for(std::chrono::milliseconds{1});
        error = flock_now(fd, LOCK_EX);
    }
    return error;
}

std::string read_holder(int fd) {
    std::array<char, 512> text;
    const auto size = ::pread(fd, text.data(), text.size(), 0);
    std::string holder(text.data(), size > 0 ? static_cast<std::size_t>(size) : 0);
    while (!holder.empty() && holder.back() == '\n') holder.pop_back();
    // Between its flock and its write, a holder is nameless for a moment.
    return holder.empty() ? "another process" : holder;
}

void write_holder(int fd, std::string_view holder) {
    const auto since = std::chrono::floor<std::chrono::seconds>(SystemClock{}.now());
    const auto text =
        fmt::format("{} (process {}, since {:%Y-%m-%dT%H:%M:%S}Z)\n", holder, ::getpid(),
                    fmt::gmtime(std::chrono::system_clock::to_time_t(since)));
    // The lock holds without its text: a full disk must not keep anyone from using a database.
    const bool told = ::ftruncate(fd, 0) == 0 && ::pwrite(fd, text.data(), text.size(), 0) ==
                                                     static_cast<ssize_t>(text.size());
    static_cast<void>(told);
}

}  // namespace

FileLock FileLock::acquire(const std::filesystem::path& path, std::string_view holder) {
    const int fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
    if (fd < 0) throw_unavailable(path, errno);
    FileLock lock(fd);

    if (const int error = flock_beside_askers(fd); error == EWOULDBLOCK) {
        throw Error(ErrorCode::StoreLocked,
                    fmt::format("{} is locked by {}", path.string(), read_holder(fd)));
    } else if (error != 0) {
        throw_unavailable(path, error);
    }
    write_holder(fd, holder);
    return lock;
}

std::optional<std::string> FileLock::holder(const std::filesystem::path& path) {
    const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (fd < 0 && errno == ENOENT) return std::nullopt;
    if (fd < 0) throw_unavailable(path, errno);
    const FileLock closed_at_the_end(fd);
    // Shared: those who ask at the same time must not take each other for a holder.
    const int error = flock_now(fd, LOCK_SH);
    if (error == 0) return std::nullopt;
    if (error != EWOULDBLOCK) throw_unavailable(path, error);
    return read_holder(fd);
}

FileLock::FileLock(FileLock&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}

FileLock& FileLock::operator=(FileLock&& other) noexcept {
    if (this != &other) {
        release();
        fd_ = std::exchange(other.fd_, -1);
    }
    return *this;
}

void FileLock::release() {
    // Closing releases the lock, unless a forked child still has the file open: hence LOCK_UN.
    if (fd_ < 0) return;
    ::flock(fd_, LOCK_UN);
    ::close(std::exchange(fd_, -1));
}

}  // namespace belay::env
