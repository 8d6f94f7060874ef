#include "core/store/sqlite/wal_readers.hpp"

#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <cstdint>
#include <fstream>
#include <set>
#include <sstream>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace belay::store::sqlite {

namespace {

// Where a reader's lock is in the file beside the WAL (SQLite's walIndexLock, part of its format): WAL_READ_LOCK(0…4).
constexpr std::uint64_t kFirstReadLock = 123;
constexpr std::uint64_t kLastReadLock = 127;

std::string command_of(int pid) {
    std::ifstream in{fmt::format("/proc/{}/comm", pid)};
    std::string name;
    std::getline(in, name);
    return name;
}

// "1: POSIX  ADVISORY  READ 4711 08:01:1234 124 124"
struct Lock {
    std::string kind, access, range_end;
    int pid = 0;
    std::string inode;
    std::uint64_t first = 0;
};

bool read_lock(const std::string& line, Lock& lock) {
    std::istringstream in{line};
    std::string number, advisory;
    return static_cast<bool>(in >> number >> lock.kind >> advisory >> lock.access >> lock.pid >>
                             lock.inode >> lock.first >> lock.range_end);
}

}  // namespace

std::vector<WalReader> wal_readers(const std::filesystem::path& file) {
    struct stat about {};
    if (::stat((file.string() + "-shm").c_str(), &about) != 0) return {};
    const std::string inode =
        fmt::format("{:02x}:{:02x}:{}", major(about.st_dev), minor(about.st_dev), about.st_ino);
    std::ifstream locks{"/proc/locks"};
    std::set<int> pids;
    Lock lock;
    for (std::string line; std::getline(locks, line);) {
        if (!read_lock(line, lock) || lock.kind != "POSIX" || lock.access != "READ") continue;
        if (lock.inode != inode || lock.pid <= 0) continue;
        if (lock.first >= kFirstReadLock && lock.first <= kLastReadLock) pids.insert(lock.pid);
    }
    std::vector<WalReader> readers;
    for (const int pid : pids) readers.push_back({pid, command_of(pid)});
    return readers;
}

std::string names_of(const std::vector<WalReader>& readers) {
    std::vector<std::string> names;
    for (const WalReader& reader : readers) {
        names.push_back(fmt::format(
            "{} (pid {})", reader.command.empty() ? "a process" : reader.command, reader.pid));
    }
    return fmt::format("{}", fmt::join(names, ", "));
}

}  // namespace belay::store::sqlite
