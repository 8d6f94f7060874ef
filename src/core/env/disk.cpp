#include "core/env/disk.hpp"

#include <fcntl.h>
#include <sys/statvfs.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <system_error>

#include <fmt/format.h>

#include <belay/error.hpp>

namespace belay::env {

namespace {

[[noreturn]] void fail(const std::filesystem::path& folder, int error) {
    throw Error(ErrorCode::StoreUnavailable,
                fmt::format("{}: {}", folder.string(), std::generic_category().message(error)));
}

// Gone when it is closed, also if we are killed meanwhile.
class NamelessFile {
public:
    explicit NamelessFile(const std::filesystem::path& folder) : fd_(open_in(folder)) {
        if (fd_ < 0) fail(folder, errno);
    }
    NamelessFile(const NamelessFile&) = delete;
    NamelessFile& operator=(const NamelessFile&) = delete;
    ~NamelessFile() { ::close(fd_); }

    int fd() const { return fd_; }

private:
    static int open_in(const std::filesystem::path& folder) {
        const int fd = ::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
        if (fd >= 0 || (errno != EOPNOTSUPP && errno != EISDIR)) return fd;
        // Some file systems (NFS, say) know no O_TMPFILE.
        std::string name = (folder / ".belay-disk-XXXXXX").string();
        const int named = ::mkostemp(name.data(), O_CLOEXEC);
        if (named >= 0) ::unlink(name.c_str());
        return named;
    }

    int fd_;
};

}  // namespace

DiskSpace disk_space(const std::filesystem::path& folder) {
    struct statvfs space {};
    if (::statvfs(folder.c_str(), &space) != 0) fail(folder, errno);
    return {std::uint64_t{space.f_bavail} * space.f_frsize,
            std::uint64_t{space.f_blocks} * space.f_frsize};
}

bool is_writable(const std::filesystem::path& folder) {
    return ::access(folder.c_str(), W_OK | X_OK) == 0;
}

std::vector<std::chrono::microseconds> measure_sync(const std::filesystem::path& folder,
                                                    int times) {
    const NamelessFile file{folder};
    const std::array<char, 4096> block{};
    std::vector<std::chrono::microseconds> took;
    for (int i = 0; i < times; ++i) {
        const auto before = std::chrono::steady_clock::now();
        const auto written =
            ::pwrite(file.fd(), block.data(), block.size(), std::int64_t{i} * 4096);
        if (written != static_cast<ssize_t>(block.size()))
            fail(folder, written < 0 ? errno : ENOSPC);
        if (::fdatasync(file.fd()) != 0) fail(folder, errno);
        took.push_back(std::chrono::duration_cast<std::chrono::microseconds>(
            std::chrono::steady_clock::now() - before));
    }
    return took;
}

std::string kernel_name() {
    utsname name{};
    if (::uname(&name) != 0) return "an unknown kernel";
    return fmt::format("{} {} {}", name.sysname, name.release, name.machine);
}

}  // namespace belay::env
