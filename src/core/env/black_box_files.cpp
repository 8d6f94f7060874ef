// black_box_files.cpp — black boxes as files of a folder, one for each process, locked while it lives.
#include <cerrno>
#include <cstring>
#include <map>
#include <mutex>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/hash.hpp"
#include "core/base/text.hpp"
#include "core/env/black_box.hpp"

namespace belay::env {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kSuffix = ".box";

class File {
public:
    explicit File(int fd = -1) : fd_(fd) {}
    File(File&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
    File& operator=(File&& other) noexcept {
        std::swap(fd_, other.fd_);
        return *this;
    }
    ~File() {
        if (fd_ < 0) return;
        ::flock(fd_, LOCK_UN);  // a forked child may still have it open
        ::close(fd_);
    }
    int get() const { return fd_; }
    bool lock() const { return ::flock(fd_, LOCK_EX | LOCK_NB) == 0; }
    bool is_ours() const {
        struct stat status {};
        return ::fstat(fd_, &status) == 0 && S_ISREG(status.st_mode) &&
               status.st_uid == ::geteuid() && status.st_nlink == 1;
    }

private:
    int fd_;
};

class FolderOfBoxes final : public BlackBoxes {
public:
    FolderOfBoxes(fs::path folder, std::string prefix)
        : folder_(std::move(folder)), prefix_(std::move(prefix)) {}
    ~FolderOfBoxes() override { unmap(); }

    BlackBox* open(std::string_view worker, Time now, std::string& why) override {
        ::mkdir(folder_.c_str(), 0700);
        path_ = folder_ / fmt::format("{}{}{}", prefix_, base::to_hex(base::hash64(worker)), kSuffix);
        file_ = File(::open(path_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
        if (file_.get() < 0) return refuse(why);
        // Locked before it says anything; and its blocks are there, so that a full disk is not met by a thread.
        if (!file_.lock()) return refuse(why);
        if (const int error = ::posix_fallocate(file_.get(), 0, BlackBox::kBytes); error != 0) {
            errno = error;
            return refuse(why);
        }
        void* const at = ::mmap(nullptr, BlackBox::kBytes, PROT_READ | PROT_WRITE, MAP_SHARED,
                                file_.get(), 0);
        if (at == MAP_FAILED) return refuse(why);
        memory_ = {static_cast<std::byte*>(at), BlackBox::kBytes};
        box_ = std::make_unique<BlackBox>(memory_, worker, now);
        return box_.get();
    }

    std::vector<DeadBox> dead() override {
        const std::lock_guard lock(mutex_);
        std::vector<DeadBox> found;
        std::error_code error;
        for (fs::directory_iterator at(folder_, error), end; !error && at != end;
             at.increment(error)) {
            const std::string name = at->path().filename();
            if (!name.starts_with(prefix_) || !name.ends_with(kSuffix) || at->path() == path_)
                continue;
            File file(::open(at->path().c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW));
            if (file.get() < 0 || !file.is_ours() || !file.lock()) continue;
            DeadBox box;
            if (!read(file, box)) {
                // It died while it was making it, before it did anything else.
                ::unlink(at->path().c_str());
                continue;
            }
            found_[box.worker] = at->path();
            held_[box.worker] = std::move(file);
            found.push_back(std::move(box));
        }
        return found;
    }

    void forget(const std::string& worker) override {
        const std::lock_guard lock(mutex_);
        if (const auto at = found_.find(worker); at != found_.end()) {
            ::unlink(at->second.c_str());
            found_.erase(at);
        }
        held_.erase(worker);
    }

    void close() override {
        if (box_) ::unlink(path_.c_str());
        unmap();
        file_ = File();
    }

private:
    BlackBox* refuse(std::string& why) {
        why = fmt::format("{}: {}", path_.string(), std::strerror(errno));
        if (file_.get() >= 0) ::unlink(path_.c_str());
        file_ = File();
        return nullptr;
    }
    static bool read(const File& file, DeadBox& box) {
        struct stat status {};
        if (::fstat(file.get(), &status) != 0 ||
            static_cast<std::size_t>(status.st_size) != BlackBox::kBytes) {
            return false;
        }
        void* const at = ::mmap(nullptr, BlackBox::kBytes, PROT_READ, MAP_SHARED, file.get(), 0);
        if (at == MAP_FAILED) return false;
        const bool is_box = BlackBox::read({static_cast<std::byte*>(at), BlackBox::kBytes}, box);
        ::munmap(at, BlackBox::kBytes);
        return is_box;
    }
    void unmap() {
        box_.reset();
        if (!memory_.empty()) ::munmap(memory_.data(), memory_.size());
        memory_ = {};
    }

    const fs::path folder_;
    const std::string prefix_;
    fs::path path_;
    File file_;
    std::span<std::byte> memory_{};
    std::unique_ptr<BlackBox> box_;
    std::mutex mutex_;  // guards the next two
    std::map<std::string, fs::path> found_;
    std::map<std::string, File> held_;  // nobody else reads them meanwhile
};

}  // namespace

std::unique_ptr<BlackBoxes> boxes_in(fs::path folder, std::string prefix) {
    return std::make_unique<FolderOfBoxes>(std::move(folder), std::move(prefix));
}

}  // namespace belay::env
