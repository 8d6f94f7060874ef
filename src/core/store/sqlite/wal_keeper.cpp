#include "core/store/sqlite/wal_keeper.hpp"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include <fmt/format.h>
#include <sqlite3.h>

#include "core/store/sqlite/connection.hpp"
#include "core/store/sqlite/wal_readers.hpp"

namespace belay::store::sqlite {

namespace {

using namespace std::chrono_literals;

// Of every file that Belay has made; with another it is only looked after sooner or later.
constexpr std::int64_t kPage = 4096;
// A log that somebody kept long is tried again after this, also when nothing is committed.
constexpr auto kAgainAfter = 500ms;
// The same while a commit waits for it, and how long that waits.
constexpr auto kAgainAtOnce = 5ms;
constexpr auto kRoomMax = 2s;
// For how long new reads wait for those under way, at the gate; and for how long the gate then waits for a commit.
constexpr auto kGateShort = 100ms;
constexpr auto kGateLong = 1'000ms;
constexpr auto kCommitMax = 100ms;
// What reads longer than this when the log is long, or very long, is ended.
constexpr auto kPatience = 10s;
constexpr auto kLastPatience = 1s;

}  // namespace

WalKeeper::WalKeeper(std::filesystem::path file, Readers& readers, const WalLimits& limits)
    : file_(std::move(file)), readers_(readers), limits_(limits), next_at_(limits.copy_every),
      thread_([this] { work(); }) {}

WalKeeper::~WalKeeper() {
    {
        const std::lock_guard lock{mutex_};
        stopping_ = true;
    }
    wake_.notify_one();
    thread_.join();
}

void WalKeeper::watch(sqlite3* writer) {
    sqlite3_wal_hook(
        writer,
        [](void* self, sqlite3*, const char*, int pages) {
            static_cast<WalKeeper*>(self)->grown(std::int64_t{pages} * kPage);
            return SQLITE_OK;
        },
        this);
}

void WalKeeper::grown(std::int64_t bytes) {
    const std::lock_guard lock{mutex_};
    if (bytes < length_) next_at_ = limits_.copy_every;  // it was begun anew
    length_ = bytes;
    if (length_ >= next_at_) wake_.notify_one();
}

void WalKeeper::wait_for_room() {
    std::unique_lock lock{mutex_};
    if (length_ < limits_.most || by_others_) return;
    ++waiting_;
    wake_.notify_one();
    room_.wait_for(lock, kRoomMax,
                   [this] { return length_ < limits_.most || by_others_ || stopping_; });
    --waiting_;
}

void WalKeeper::work() {
    std::unique_lock lock{mutex_};
    while (!stopping_) {
        const auto wanted = [this] { return stopping_ || length_ >= next_at_; };
        if (waiting_ > 0) {
            wake_.wait_for(lock, kAgainAtOnce, wanted);
        } else if (length_ >= limits_.renew_from) {
            wake_.wait_for(lock, kAgainAfter, [&] { return wanted() || waiting_ > 0; });
        } else {
            wake_.wait(lock, wanted);
        }
        if (stopping_) return;
        lock.unlock();
        std::int64_t left = 0;
        try {
            const std::lock_guard one{round_};
            left = round();
        } catch (const SqliteError&) {
            // A disk that is full or fails: whoever commits is told. It is tried again when the log has grown.
        }
        lock.lock();
        if (left == 0) length_ = 0;
        room_.notify_all();
        next_at_ = std::max(length_, left) + limits_.copy_every;
    }
}

std::int64_t WalKeeper::round() {
    Connection connection{file_, OpenMode::Write, 0ms};
    connection.run("PRAGMA synchronous = FULL");
    const std::int64_t page = connection.integer("PRAGMA page_size").value_or(4096);
    const auto checkpoint = [&](std::string_view how) {
        Statement statement{connection, how};
        Rows row{statement};
        if (!row.next()) return Log{};
        return Log{std::max(row->integer(1), std::int64_t{0}) * page, row->integer(0) != 0};
    };
    const Log log = checkpoint("PRAGMA wal_checkpoint(PASSIVE)");
    if (log.bytes < limits_.renew_from) return std::max(log.bytes, std::int64_t{1});

    const bool insist = log.bytes >= limits_.insist_from;
    if (insist) {
        const bool last = log.bytes >= limits_.most - limits_.renew_from / 2;
        readers_.end_older_than(last ? kLastPatience : kPatience);
    }
    const Readers::Gate gate = readers_.close_gate(insist ? kGateLong : kGateShort);
    if (!gate.is_quiet()) {
        if (insist) note_held_up("a long read of this process");
        return log.bytes;
    }
    const std::unique_lock commits{commits_, kCommitMax};
    if (!commits.owns_lock()) return log.bytes;
    if (!checkpoint("PRAGMA wal_checkpoint(RESTART)").busy) {
        note_held_up("");
        return 0;
    }
    if (insist) {
        auto others = wal_readers(file_);
        std::erase_if(others, [](const WalReader& reader) { return reader.pid == ::getpid(); });
        note_held_up(others.empty() ? "another process" : names_of(others), true);
    }
    return log.bytes;
}

void WalKeeper::note_held_up(const std::string& who, bool is_other) {
    const std::lock_guard lock{mutex_};
    by_others_ = is_other;
    held_up_ = who.empty() ? std::string()
                           : fmt::format(
                                 "the write-ahead log of {} is {} MiB long and cannot be "
                                 "begun anew, because {} reads from it in one long "
                                 "transaction: end that",
                                 file_.string(), length_ >> 20, who);
}

std::string WalKeeper::held_up() const {
    const std::lock_guard lock{mutex_};
    return held_up_;
}

}  // namespace belay::store::sqlite
