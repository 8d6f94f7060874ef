#include "core/env/files.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "core/base/shortage.hpp"

namespace belay::env {
namespace {

namespace fs = std::filesystem;

// Some file systems take at most 2 GiB a call, and a smaller piece notices a full disk earlier.
constexpr std::size_t kBytesPerCallMax = 64 * 1024 * 1024;

constexpr std::int64_t kStartEveryBytes = 8 * 1024 * 1024;

class Descriptor {
public:
    explicit Descriptor(int fd) : fd_(fd) {}
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    ~Descriptor() {
        if (fd_ >= 0) ::close(fd_);
    }

    int get() const { return fd_; }

private:
    int fd_;
};

template <class Call>
auto retried(Call call) {
    auto result = call();
    while (result < 0 && errno == EINTR) result = call();
    return result;
}

int open_file(const fs::path& path, int flags) {
    return retried([&] { return ::open(path.c_str(), flags | O_CLOEXEC, 0600); });
}

class SystemWritable final : public WritableFile {
public:
    SystemWritable(int fd, fs::path path) : file_(fd), path_(std::move(path)) {}

    void write(std::span<const std::byte> bytes) override {
        while (!bytes.empty()) {
            const auto count = std::min(bytes.size(), kBytesPerCallMax);
            const auto written = retried([&] { return ::write(file_.get(), bytes.data(), count); });
            if (written < 0) throw FileError("write", path_, errno);
            bytes = bytes.subspan(static_cast<std::size_t>(written));
            written_ += written;
        }
        start_early();
    }

    void sync() override {
        // fdatasync also writes the size: all that a reader needs.
        if (retried([&] { return ::fdatasync(file_.get()); }) != 0)
            throw FileError("sync", path_, errno);
    }

    const fs::path& path() const override { return path_; }

private:
    // The disk may begin while the caller makes the next bytes: otherwise all of a large file waits for sync().
    // Only a hint, so what it returns does not matter.
    void start_early() {
        if (written_ - started_ < kStartEveryBytes) return;
        ::sync_file_range(file_.get(), started_, written_ - started_, SYNC_FILE_RANGE_WRITE);
        started_ = written_;
    }

    Descriptor file_;
    fs::path path_;
    std::int64_t written_ = 0;
    std::int64_t started_ = 0;  // up to here the disk has been told
};

class SystemReadable final : public ReadableFile {
public:
    SystemReadable(int fd, fs::path path) : file_(fd), path_(std::move(path)) {}

    std::uint64_t size() const override {
        struct stat found {};
        if (::fstat(file_.get(), &found) != 0) throw FileError("look at", path_, errno);
        return static_cast<std::uint64_t>(found.st_size);
    }

    std::size_t read_at(std::uint64_t offset, std::span<std::byte> into) const override {
        std::size_t done = 0;
        while (done < into.size()) {
            const auto count = std::min(into.size() - done, kBytesPerCallMax);
            const auto got = retried([&] {
                return ::pread(file_.get(), into.data() + done, count,
                               static_cast<off_t>(offset + done));
            });
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

}  // namespace

FileError::FileError(std::string_view call, const fs::path& path, int error_number)
    : Error(ErrorCode::StoreUnavailable,
            fmt::format("cannot {} {}: {}", call, path.string(),
                        std::generic_category().message(error_number))),
      error_number_(error_number) {
    base::note_shortage(error_number);
}

bool FileError::is_disk_full() const { return error_number_ == ENOSPC || error_number_ == EDQUOT; }

std::unique_ptr<WritableFile> SystemFiles::create_temp(const fs::path& folder) {
    std::string name = (folder / "tmp-XXXXXX").string();
    const int fd = ::mkostemp(name.data(), O_CLOEXEC);
    if (fd < 0) throw FileError("make a temporary file in", folder, errno);
    return std::make_unique<SystemWritable>(fd, name);
}

std::unique_ptr<WritableFile> SystemFiles::create(const fs::path& path) {
    const int fd = open_file(path, O_WRONLY | O_CREAT | O_EXCL);
    if (fd < 0 && errno == EEXIST) return nullptr;
    if (fd < 0) throw FileError("create", path, errno);
    return std::make_unique<SystemWritable>(fd, path);
}

std::unique_ptr<ReadableFile> SystemFiles::open(const fs::path& path) {
    const int fd = open_file(path, O_RDONLY);
    if (fd < 0 && (errno == ENOENT || errno == ENOTDIR)) return nullptr;
    if (fd < 0) throw FileError("open", path, errno);
    return std::make_unique<SystemReadable>(fd, path);
}

bool SystemFiles::exists(const fs::path& path) {
    struct stat found {};
    if (::stat(path.c_str(), &found) == 0) return true;
    if (errno == ENOENT || errno == ENOTDIR) return false;
    throw FileError("look at", path, errno);
}

void SystemFiles::rename(const fs::path& from, const fs::path& to) {
    if (::rename(from.c_str(), to.c_str()) != 0)
        throw FileError(fmt::format("rename {} to", from.string()), to, errno);
}

bool SystemFiles::link(const fs::path& from, const fs::path& to) {
    if (::link(from.c_str(), to.c_str()) == 0) return true;
    if (errno == EEXIST) return false;
    throw FileError(fmt::format("link {} to", from.string()), to, errno);
}

bool SystemFiles::remove(const fs::path& path) {
    if (::remove(path.c_str()) == 0) return true;
    if (errno == ENOENT || errno == ENOTDIR || errno == ENOTEMPTY || errno == EEXIST) return false;
    throw FileError("remove", path, errno);
}

void SystemFiles::sync_folder(const fs::path& folder) {
    const Descriptor fd{open_file(folder, O_RDONLY | O_DIRECTORY)};
    if (fd.get() < 0) throw FileError("open the folder", folder, errno);
    if (retried([&] { return ::fsync(fd.get()); }) != 0)
        throw FileError("sync the folder", folder, errno);
}

void SystemFiles::make_folders(const fs::path& folder) {
    if (folder.empty() || exists(folder)) return;
    make_folders(folder.parent_path());
    if (::mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST)
        throw FileError("make the folder", folder, errno);
}

std::vector<FolderEntry> SystemFiles::list(const fs::path& folder) {
    const std::unique_ptr<DIR, int (*)(DIR*)> opened{::opendir(folder.c_str()), ::closedir};
    if (!opened && (errno == ENOENT || errno == ENOTDIR)) return {};
    if (!opened) throw FileError("list", folder, errno);
    std::vector<FolderEntry> entries;
    while (true) {
        errno = 0;
        const dirent* const entry = ::readdir(opened.get());
        if (entry == nullptr && errno != 0) throw FileError("list", folder, errno);
        if (entry == nullptr) return entries;
        const std::string name = entry->d_name;
        if (name == "." || name == "..") continue;
        bool is_folder = entry->d_type == DT_DIR;
        if (entry->d_type == DT_UNKNOWN) {  // some file systems do not say
            struct stat found {};
            is_folder = ::stat((folder / name).c_str(), &found) == 0 && S_ISDIR(found.st_mode);
        }
        entries.push_back({name, is_folder});
    }
}

}  // namespace belay::env
