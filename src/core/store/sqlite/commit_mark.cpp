#include "core/store/sqlite/commit_mark.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/text.hpp"

namespace belay::store::sqlite {

namespace fs = std::filesystem;

struct CommitMark::Page {
    std::atomic<std::int64_t> magic;
    std::atomic<std::int64_t> acknowledged;
    std::atomic<std::int64_t> lost_from;  // 0 with lost_to: nothing is lost
    std::atomic<std::int64_t> lost_to;
    std::atomic<std::int64_t> noticed_at;
};

namespace {

constexpr std::int64_t kMagic = 0x316b63616c6562;  // "belack1"
constexpr std::size_t kBytes = 4096;

// Null if it is not there, or cannot be had.
CommitMark::Page* map(const fs::path& database, bool create) {
    const fs::path file = database.string() + "-acked";
    const int flags = O_RDWR | O_CLOEXEC | O_NOFOLLOW | (create ? O_CREAT : 0);
    const int fd = ::open(file.c_str(), flags, 0600);
    if (fd < 0) return nullptr;
    struct stat status {};
    // Its block is there before it is written: a full disk must not be met by a store to memory.
    const bool fits = ::fstat(fd, &status) == 0 && S_ISREG(status.st_mode) &&
                      (status.st_size == static_cast<off_t>(kBytes) ||
                       (create && ::posix_fallocate(fd, 0, kBytes) == 0));
    void* const at = fits ? ::mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0)
                          : MAP_FAILED;
    ::close(fd);
    return at == MAP_FAILED ? nullptr : static_cast<CommitMark::Page*>(at);
}

void unmap(CommitMark::Page* page) {
    if (page != nullptr) ::munmap(page, kBytes);
}

}  // namespace

CommitMark::CommitMark(const fs::path& database) : page_(map(database, true)) {}
CommitMark::~CommitMark() { unmap(page_); }

std::int64_t CommitMark::opened(std::int64_t in_database, Time now) {
    if (page_ == nullptr) return in_database;
    if (page_->magic.exchange(kMagic) != kMagic) page_->acknowledged = 0;
    const std::int64_t before = page_->acknowledged;
    if (before <= in_database) {
        page_->acknowledged = in_database;
        return in_database;
    }
    if (page_->lost_to == 0) page_->lost_from = in_database;
    page_->noticed_at = now.time_since_epoch().count();
    page_->lost_to = before;
    return before;
}

void CommitMark::acknowledged(std::int64_t number) {
    if (page_ != nullptr) page_->acknowledged.store(number, std::memory_order_relaxed);
}

std::optional<CommitMark::Loss> CommitMark::loss_of(const fs::path& database) {
    Page* const page = map(database, false);
    std::optional<Loss> loss;
    if (page != nullptr && page->magic == kMagic && page->lost_to != 0)
        loss = Loss{page->lost_from, page->lost_to, Time{Duration{page->noticed_at.load()}}};
    unmap(page);
    return loss;
}

bool CommitMark::accept_loss(const fs::path& database) {
    Page* const page = map(database, false);
    const bool had_one = page != nullptr && page->magic == kMagic && page->lost_to.exchange(0) != 0;
    if (had_one) page->lost_from = 0;
    unmap(page);
    return had_one;
}

std::string sentence_of(const CommitMark::Loss& loss) {
    return fmt::format(
        "the database is older than what was acknowledged: its newest commit was {}, and {} had "
        "been acknowledged (noticed {}). {} commits are lost: its -wal file was cut or removed, or "
        "an older copy was put in its place. Stop, keep a copy of the folder, and restore the newest "
        "backup, or put the -wal back; `belay doctor --accept-loss` if that state is meant.",
        loss.found, loss.acknowledged, base::format_time(loss.noticed_at),
        loss.acknowledged - loss.found);
}

}  // namespace belay::store::sqlite
