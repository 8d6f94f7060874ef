// wal_keeper.hpp — keeps the write-ahead log short, on a thread beside the commits.
//
// SQLite begins the log anew only when all of it is in the database file and nobody reads from it. Left to itself a
// commit now and then copies 16 MiB, and readers that overlap keep the log growing for as long as they do. Here the
// copying is done on a thread of its own, and when the log is long all the same, reads of this process wait at a gate
// (readers.hpp) for the moment that it takes to begin it anew. A read that takes so long that the log would grow past
// its bound is ended. What other processes read cannot be helped, only named.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <filesystem>
#include <mutex>
#include <string>
#include <thread>

#include "core/store/sqlite/open.hpp"
#include "core/store/sqlite/readers.hpp"

struct sqlite3;

namespace belay::store::sqlite {

class WalKeeper {
public:
    // `readers` outlives it.
    WalKeeper(std::filesystem::path file, Readers& readers, const WalLimits& limits);
    ~WalKeeper();

    WalKeeper(const WalKeeper&) = delete;
    WalKeeper& operator=(const WalKeeper&) = delete;

    // Before a commit: waits while the log is as long as it may be, for two seconds at most. Not for what other
    // processes read, which ends when they like.
    void wait_for_room();
    // To be held during a commit; the log is begun anew in between.
    std::timed_mutex& commits() { return commits_; }

    // Takes over from SQLite's own checkpoints on that connection, which commits under commits().
    void watch(sqlite3* writer);

    // No connection of this is open while it is held: for a file that is opened again.
    std::unique_lock<std::mutex> pause() { return std::unique_lock{round_}; }

    // Who keeps the log long, as a sentence; empty: nobody.
    std::string held_up() const;

private:
    // Of a checkpoint: what the log has, and whether someone was in its way.
    struct Log {
        std::int64_t bytes = 0;
        bool busy = false;
    };

    void work();
    void grown(std::int64_t bytes);
    // Gives the length of the log that stays; 0: it begins anew.
    std::int64_t round();
    void note_held_up(const std::string& who, bool is_other = false);  // empty: nobody

    const std::filesystem::path file_;
    Readers& readers_;
    const WalLimits limits_;
    std::timed_mutex commits_;
    std::mutex round_;

    mutable std::mutex mutex_;  // guards the rest
    std::condition_variable wake_;
    std::int64_t length_ = 0;  // of the log, after the last commit
    std::int64_t next_at_;     // it is looked after again when it has that length
    std::string held_up_;
    bool by_others_ = false;  // it is another process that does
    int waiting_ = 0;         // in wait_for_room()
    std::condition_variable room_;
    bool stopping_ = false;
    std::thread thread_;
};

}  // namespace belay::store::sqlite
