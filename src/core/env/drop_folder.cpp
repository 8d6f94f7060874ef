#include "core/env/drop_folder.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <optional>
#include <utility>

#include <fmt/format.h>

namespace belay::env {
namespace {

namespace fs = std::filesystem;

constexpr int kNamesMax = 10'000;  // that are tried for one that is free
constexpr std::size_t kNameBytesMax = NAME_MAX;
constexpr std::string_view kReasonSuffix = ".reason.txt";

class Descriptor {
public:
    explicit Descriptor(int fd) : fd_(fd) {}
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    ~Descriptor() {
        if (fd_ >= 0) ::close(fd_);
    }
    int get() const { return fd_; }
    int release() { return std::exchange(fd_, -1); }

private:
    int fd_;
};

class Dropped final : public ReadableFile {
public:
    Dropped(int fd, fs::path path) : file_(fd), path_(std::move(path)) {}

    std::uint64_t size() const override {
        struct stat told {};
        if (::fstat(file_.get(), &told) != 0) throw FileError("fstat", path_, errno);
        return static_cast<std::uint64_t>(told.st_size);
    }
    std::size_t read_at(std::uint64_t offset, std::span<std::byte> into) const override {
        std::size_t done = 0;
        while (done < into.size()) {
            const auto got = ::pread(file_.get(), into.data() + done, into.size() - done,
                                     static_cast<off_t>(offset + done));
            if (got < 0 && errno == EINTR) continue;
            if (got < 0) throw FileError("read", path_, errno);
            if (got == 0) break;
            done += static_cast<std::size_t>(got);
        }
        return done;
    }

private:
    Descriptor file_;
    fs::path path_;
};

std::optional<DroppedFile> stat_of(int folder, const std::string& name) {
    struct stat told {};
    if (::fstatat(folder, name.c_str(), &told, AT_SYMLINK_NOFOLLOW) != 0) return std::nullopt;
    if (S_ISDIR(told.st_mode)) return std::nullopt;
    return DroppedFile{name, static_cast<std::uint64_t>(told.st_size),
                       std::int64_t{told.st_mtim.tv_sec} * 1'000'000'000 + told.st_mtim.tv_nsec,
                       static_cast<std::uint64_t>(told.st_ino), S_ISREG(told.st_mode)};
}

// "scan.pdf", "scan (2).pdf", … in at most `bytes_max` bytes: what is too much goes at the end of the stem.
std::string numbered(const std::string& name, int number, std::size_t bytes_max) {
    const std::string mark = number == 1 ? "" : fmt::format(" ({})", number);
    if (name.size() + mark.size() <= bytes_max && mark.empty()) return name;
    const auto dot = std::min(name.rfind('.'), name.size());
    const std::string end = mark + name.substr(dot);
    std::size_t room = end.size() < bytes_max ? bytes_max - end.size() : 0;
    if (room == 0) return name.substr(0, bytes_max - mark.size()) + mark;  // all suffix
    room = std::min(room, dot);
    const auto is_inside_letter = [&](std::size_t at) {
        return at < dot && (static_cast<unsigned char>(name[at]) & 0xC0) == 0x80;
    };
    while (room > 0 && is_inside_letter(room)) --room;
    return name.substr(0, room) + end;
}

void write_text(int folder, const std::string& name, std::string_view text, const fs::path& shown) {
    const Descriptor file{::openat(folder, name.c_str(),
                                   O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0644)};
    if (file.get() < 0) throw FileError("open", shown / name, errno);
    while (!text.empty()) {
        const auto written = ::write(file.get(), text.data(), text.size());
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) throw FileError("write", shown / name, errno);
        text.remove_prefix(static_cast<std::size_t>(written));
    }
}

}  // namespace

DropFolder::DropFolder(fs::path folder)
    : folder_(std::move(folder)), fd_(::open(folder_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
    if (fd_ < 0) throw FileError("open", folder_, errno);
}

DropFolder::~DropFolder() { ::close(fd_); }

std::vector<DroppedFile> DropFolder::look() const {
    // A descriptor of its own: where a folder was read to is the descriptor's.
    Descriptor own{::openat(fd_, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
    DIR* open = own.get() < 0 ? nullptr : ::fdopendir(own.get());
    if (open == nullptr) throw FileError("opendir", folder_, errno);
    own.release();
    std::vector<DroppedFile> out;
    while (const dirent* entry = ::readdir(open)) {
        if (auto file = stat_of(fd_, entry->d_name)) out.push_back(*std::move(file));
    }
    ::closedir(open);
    std::ranges::sort(out, {}, &DroppedFile::name);
    return out;
}

std::unique_ptr<ReadableFile> DropFolder::open(const DroppedFile& file) const {
    // A pipe in its place must not hold us up.
    Descriptor fd{::openat(fd_, file.name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)};
    if (fd.get() < 0) {
        if (errno == ENOENT || errno == ELOOP || errno == ENXIO) return nullptr;
        throw FileError("open", folder_ / file.name, errno);
    }
    struct stat told {};
    if (::fstat(fd.get(), &told) != 0) throw FileError("fstat", folder_ / file.name, errno);
    if (!S_ISREG(told.st_mode)) return nullptr;
    return std::make_unique<Dropped>(fd.release(), folder_ / file.name);
}

bool DropFolder::is_same(const DroppedFile& file) const { return stat_of(fd_, file.name) == file; }

bool DropFolder::is_being_written(const DroppedFile& file) const {
    const Descriptor fd{
        ::openat(fd_, file.name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)};
    if (fd.get() < 0) return false;
    // The kernel grants a read lease on no file that anybody has open for writing. It is given back at once, so nobody
    // who wants to write waits for us.
    if (::fcntl(fd.get(), F_SETLEASE, F_RDLCK) != 0) return errno == EAGAIN;
    ::fcntl(fd.get(), F_SETLEASE, F_UNLCK);
    return false;
}

std::string DropFolder::move(const DroppedFile& file, const std::string& into,
                             std::string_view reason) {
    const fs::path shown = folder_ / into;
    if (::mkdirat(fd_, into.c_str(), 0777) != 0 && errno != EEXIST)
        throw FileError("mkdir", shown, errno);
    const Descriptor target{
        ::openat(fd_, into.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)};
    if (target.get() < 0) throw FileError("open", shown, errno);
    for (int number = 1; number <= kNamesMax; ++number) {
        const std::string name = numbered(
            file.name, number, kNameBytesMax - (reason.empty() ? 0 : kReasonSuffix.size()));
        const std::string beside = name + std::string(kReasonSuffix);
        struct stat taken {};
        if (::fstatat(target.get(), name.c_str(), &taken, AT_SYMLINK_NOFOLLOW) == 0) continue;
        if (!reason.empty()) write_text(target.get(), beside, reason, shown);
        if (::renameat2(fd_, file.name.c_str(), target.get(), name.c_str(), RENAME_NOREPLACE) == 0)
            return name;
        if (errno == EEXIST) continue;
        const int error = errno;
        if (!reason.empty()) ::unlinkat(target.get(), beside.c_str(), 0);
        if (error == ENOENT) return {};
        throw FileError("rename", folder_ / file.name, error);
    }
    throw FileError("rename", folder_ / file.name, EEXIST);
}

}  // namespace belay::env
