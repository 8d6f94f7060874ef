// virtual_disk.hpp — a disk in memory for SQLite: it fails, fills up, turns read-only and loses power when told to.
//
// A VFS that is SQLite's default while it lives. It keeps two versions of every file, what programs see and what was
// synced, as env::MemoryFiles does for everything else. A power cut drops the difference, or by chance parts of it,
// sector by sector and in no order: a commit that forgot a sync, or believed that writes reach the disk in the order in
// which they were made, is lost in a test instead of at night. One thread.
#pragma once

#include <sqlite3.h>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/env/random.hpp"

namespace belay::test {

class VirtualDisk {
public:
    enum class Fault {
        NotDone,   // the call does nothing and fails
        Done,      // the call does its work and fails all the same
        PowerLost  // the call does nothing, and the machine is dead
    };

    VirtualDisk();
    ~VirtualDisk();
    VirtualDisk(const VirtualDisk&) = delete;
    VirtualDisk& operator=(const VirtualDisk&) = delete;

    // The n-th call from now on that changes something, counted from 1, fails like this.
    void fail_call(std::int64_t n, Fault fault);
    std::int64_t calls() const { return calls_; }

    // No more than this many bytes in all files together.
    void set_capacity(std::uint64_t bytes) { capacity_ = bytes; }
    std::uint64_t bytes_used() const;

    // From the n-th call on nothing can be changed any more, as a file system does to itself after an error.
    void turn_read_only_at(std::int64_t n) { read_only_from_ = calls_ + n; }

    // After so many refusals somebody has made room, or mended it: whatever waits for that must go on.
    void mend_after(int refusals) { refusals_left_ = refusals; }
    void mend();

    // Every call fails from now on, until lose_power().
    void cut_power() { dead_ = true; }
    bool is_dead() const { return dead_; }

    // What a power cut leaves; open files are dead, calls work again. Without dice, exactly what was synced.
    void lose_power(env::Random* dice);

    // Called when the power goes at a planned call.
    std::function<void()> on_power_lost;

private:
    struct Node;
    struct File;
    struct Methods;

    // SQLITE_OK if the call may be done, and whether it fails afterwards all the same.
    int change(bool& fails_after);
    void note_refusal();
    std::shared_ptr<Node> find(const std::string& name) const;

    sqlite3_vfs* real_;
    sqlite3_vfs vfs_{};
    std::map<std::string, std::shared_ptr<Node>> names_;    // as programs see them
    std::map<std::string, std::shared_ptr<Node>> durable_;  // as the disk has them
    std::int64_t calls_ = 0;
    std::int64_t planned_ = -1;
    Fault fault_ = Fault::NotDone;
    std::uint64_t capacity_ = UINT64_MAX;
    std::int64_t read_only_from_ = INT64_MAX;
    int refusals_left_ = -1;
    bool dead_ = false;
    std::int64_t boots_ = 0;
};

}  // namespace belay::test
