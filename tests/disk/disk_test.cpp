// disk_test.cpp — P2 on disks that fail: whatever call fails, however, nothing that was acknowledged is lost.
//
// The work of DiskBench is done once for every call that reaches a disk, with that call failing. `make test` takes every
// few of them, in turn; BELAY_DISK_EVERY=1 takes all.
#include <algorithm>
#include <cstdlib>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "disk/disk_bench.hpp"

namespace belay::test {
namespace {

struct Calls {
    std::int64_t database = 0;
    std::int64_t files = 0;
};

// How many calls the work makes when nothing fails.
const Calls& calls_in_all() {
    static const Calls kCalls = [] {
        DiskBench b{1};
        b.boot();
        b.work();
        const Calls calls{b.database.calls(), b.files.calls()};
        EXPECT_EQ(b.check(), "");
        return calls;
    }();
    return kCalls;
}

std::int64_t every(std::int64_t usual) {
    const char* asked = std::getenv("BELAY_DISK_EVERY");
    return asked != nullptr ? std::max(1, std::atoi(asked)) : usual;
}

// On healthy disks again: what is there, and that the rest can be done.
void expect_all_there(DiskBench& b, const std::string& when) {
    SCOPED_TRACE(when);
    b.boot();
    ASSERT_EQ(b.check(), "");
    b.work();
    ASSERT_EQ(b.check(), "");
}

TEST(Disk, without_faults_the_work_is_done) {
    EXPECT_GT(calls_in_all().database, 100);
    EXPECT_GT(calls_in_all().files, 20);
}

TEST(Disk, the_power_goes_at_any_call_of_the_database) {
    for (std::int64_t n = 1; n <= calls_in_all().database; n += every(9)) {
        DiskBench b{1};
        b.database.fail_call(n, VirtualDisk::Fault::PowerLost);
        EXPECT_THROW(
            {
                b.boot();
                b.work();
            },
            MachineDied)
            << n;
        b.lose_power();
        expect_all_there(b, fmt::format("call {}", n));
        if (testing::Test::HasFatalFailure()) return;
    }
}

TEST(Disk, the_power_goes_at_any_call_of_the_files) {
    for (std::int64_t n = 1; n <= calls_in_all().files; n += every(3)) {
        DiskBench b{1};
        b.files.fail_call(n, env::MemoryFiles::Fault::PowerLost);
        EXPECT_THROW(
            {
                b.boot();
                b.work();
            },
            MachineDied)
            << n;
        b.lose_power();
        expect_all_there(b, fmt::format("call {}", n));
        if (testing::Test::HasFatalFailure()) return;
    }
}

TEST(Disk, the_power_goes_again_and_again) {
    env::SeededRandom random{7};
    DiskBench b{2};
    for (int i = 0; i < 25; ++i) {
        b.database.fail_call(1 + static_cast<std::int64_t>(random.below(150)),
                             VirtualDisk::Fault::PowerLost);
        try {
            b.boot();
            const std::string wrong = b.check();
            if (!b.database.is_dead()) {
                ASSERT_EQ(wrong, "") << i;
                b.work();
            }
        } catch (const MachineDied&) {
        } catch (const Error& error) {
            ASSERT_TRUE(b.database.is_dead())
                << i << ": " << error.what();  // it died while it was looked at
        }
        b.lose_power();
    }
    expect_all_there(b, "at the end");
}

// Goes on with the process that met the failure, which must come through by itself; then looks from a new one.
void expect_overcome(DiskBench& b, const std::string& when) {
    SCOPED_TRACE(when);
    try {
        b.boot();
    } catch (const Error&) {
        b.boot();  // a start that the disk refused; the next one comes through
    }
    b.work();
    ASSERT_EQ(b.check(), "");
    b.lose_power();
    expect_all_there(b, when + ", after a power cut");
}

TEST(Disk, any_call_of_the_database_fails_once) {
    for (const auto fault : {VirtualDisk::Fault::NotDone, VirtualDisk::Fault::Done}) {
        const std::int64_t first = fault == VirtualDisk::Fault::Done ? 2 : 1;
        for (std::int64_t n = first; n <= calls_in_all().database; n += every(17)) {
            DiskBench b{1};
            b.database.fail_call(n, fault);
            expect_overcome(b, fmt::format("call {}, fault {}", n, static_cast<int>(fault)));
            if (testing::Test::HasFatalFailure()) return;
        }
    }
}

TEST(Disk, any_call_of_the_files_fails_once) {
    for (const auto fault : {env::MemoryFiles::Fault::NotDone, env::MemoryFiles::Fault::Done}) {
        for (std::int64_t n = 1; n <= calls_in_all().files; n += every(5)) {
            DiskBench b{1};
            b.files.fail_call(n, fault);
            expect_overcome(b, fmt::format("call {}, fault {}", n, static_cast<int>(fault)));
            if (testing::Test::HasFatalFailure()) return;
        }
    }
}

TEST(Disk, a_full_disk_loses_nothing_and_the_work_goes_on_when_there_is_room) {
    for (std::uint64_t room = 0; room < 300'000;
         room += 7'000 * static_cast<std::uint64_t>(every(6))) {
        DiskBench b{1};
        b.boot();
        b.database.set_capacity(b.database.bytes_used() + room);
        b.database.mend_after(20);
        b.files.set_capacity(b.files.bytes_used() + room);
        b.after_failure = [&] { b.files.set_capacity(UINT64_MAX); };
        b.work();
        ASSERT_EQ(b.check(), "") << room;
        b.lose_power();
        expect_all_there(b, fmt::format("room for {} bytes", room));
        if (testing::Test::HasFatalFailure()) return;
    }
}

TEST(Disk, a_disk_that_turns_read_only_loses_nothing) {
    for (std::int64_t n = 1; n <= calls_in_all().database; n += every(40)) {
        DiskBench b{1};
        b.boot();
        b.database.turn_read_only_at(n);
        b.database.mend_after(10);
        b.work();
        b.database.mend();
        ASSERT_EQ(b.check(), "") << n;
        b.lose_power();
        expect_all_there(b, fmt::format("call {}", n));
        if (testing::Test::HasFatalFailure()) return;
    }
}

}  // namespace
}  // namespace belay::test
