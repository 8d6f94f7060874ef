// What the folder store promises beyond the conformance suite: crashes at every call, full disks, counted
// blobs.
#include "ingestion/objects/filesystem_store.hpp"

#include <atomic>
#include <thread>

#include <gtest/gtest.h>

#include "core/base/hash.hpp"
#include "core/env/memory_files.hpp"

namespace belay::objects {
namespace {

using env::MemoryFiles;

const std::string kSmall = "small bytes";
const std::string kLarge(kInlineBytesMax + 1000, 'L');
const std::string kOther(kInlineBytesMax + 2000, 'O');
constexpr std::uint64_t kPlenty = 1ULL << 30;

struct Disk {
    MemoryFiles files;
    env::ManualClock clock;

    std::unique_ptr<FilesystemStore> start() {
        return std::make_unique<FilesystemStore>("/objects", files, clock);
    }

    std::size_t count(const std::filesystem::path& folder) {
        std::size_t sum = 0;
        for (const auto& entry : files.list(folder))
            sum += entry.is_folder ? count(folder / entry.name) : 1;
        return sum;
    }
};

std::optional<std::string> get(Store& store, const char* key) {
    return store.get(Key{key}, kPlenty);
}

// A little life of a store. Each step says what is acknowledged after it.
struct Life {
    const char* name;
    void (*step)(Store&);
    std::optional<std::string> a, b;  // what keys x/a and x/b hold afterwards
};

const std::vector<Life> kLife{
    {"put small", [](Store& s) { s.put(Key{"x/a"}, kSmall); }, kSmall, {}},
    {"put large", [](Store& s) { s.put(Key{"x/b"}, kLarge); }, kSmall, kLarge},
    {"small to large", [](Store& s) { s.put(Key{"x/a"}, kLarge); }, kLarge, kLarge},
    {"the same again", [](Store& s) { s.put(Key{"x/a"}, kLarge); }, kLarge, kLarge},
    {"large to large", [](Store& s) { s.put(Key{"x/b"}, kOther); }, kLarge, kOther},
    {"remove one", [](Store& s) { s.remove(Key{"x/a"}); }, {}, kOther},
    {"large to small", [](Store& s) { s.put(Key{"x/b"}, kSmall); }, {}, kSmall},
    {"put again", [](Store& s) { s.put(Key{"x/a"}, kOther); }, kOther, kSmall},
    {"remove small", [](Store& s) { s.remove(Key{"x/b"}); }, kOther, {}},
};

// Both keys are as before the step that was cut off, or one of them as after it.
void expect_before_or_after(Store& store, std::size_t steps_done, const std::string& where) {
    const auto before_a = steps_done == 0 ? std::nullopt : kLife[steps_done - 1].a;
    const auto before_b = steps_done == 0 ? std::nullopt : kLife[steps_done - 1].b;
    const auto a = get(store, "x/a");
    const auto b = get(store, "x/b");
    const bool is_before = a == before_a && b == before_b;
    const bool is_after =
        steps_done < kLife.size() && a == kLife[steps_done].a && b == kLife[steps_done].b;
    EXPECT_TRUE(is_before || is_after) << where;
    const std::size_t there = (a ? 1U : 0U) + (b ? 1U : 0U);
    EXPECT_EQ(store.list("").objects.size(), there) << where;
}

// After a collection the blobs are exactly those of the large objects, and the store still works.
void expect_clean(Disk& disk, FilesystemStore& store, const std::string& where) {
    store.collect();
    std::set<std::string> large;
    for (const auto* key : {"x/a", "x/b"}) {
        const auto head = store.head(Key{key});
        if (head && head->size > kInlineBytesMax) large.insert(head->sha256);
    }
    std::size_t references = 0;
    for (const auto* key : {"x/a", "x/b"}) {
        const auto head = store.head(Key{key});
        references += head && head->size > kInlineBytesMax ? 1 : 0;
    }
    EXPECT_EQ(disk.count("/objects/blobs"), large.size() + references) << where;
    EXPECT_EQ(disk.count("/objects/temp"), 0U) << where;
    store.put(Key{"x/after"}, kLarge);
    EXPECT_EQ(get(store, "x/after"), kLarge) << where;
}

std::int64_t calls_of_a_life() {
    Disk disk;
    const auto store = disk.start();
    for (const auto& life : kLife) life.step(*store);
    return disk.files.calls();
}

TEST(FilesystemStore, survives_a_power_cut_at_every_call) {
    const auto calls = calls_of_a_life();
    ASSERT_GT(calls, 100);
    for (std::int64_t n = 1; n <= calls; ++n) {
        for (std::uint64_t seed = 0; seed < 5; ++seed) {  // 0: all that was not synced is lost
            Disk disk;
            std::size_t done = 0;
            disk.files.fail_call(n, MemoryFiles::Fault::PowerLost);
            try {
                const auto store = disk.start();
                for (const auto& life : kLife) {
                    life.step(*store);
                    ++done;
                }
            } catch (const env::PowerLost&) {
            }
            env::SeededRandom dice{seed * 7919 + static_cast<std::uint64_t>(n)};
            disk.files.lose_power(seed == 0 ? nullptr : &dice);

            const auto where = fmt::format("call {}, seed {}, in step {}", n, seed, done);
            const auto store = disk.start();
            expect_before_or_after(*store, done, where);
            expect_clean(disk, *store, where);
        }
    }
}

// Runs `work` with the n-th call of all that were run like this failing; the calls of the checks in between
// do not count.
class FailingOnce {
public:
    FailingOnce(MemoryFiles& files, std::int64_t n, MemoryFiles::Fault fault)
        : files_(files), left_(n), fault_(fault) {}

    template <class Work>
    bool run(Work work) {
        const auto before = files_.calls();
        if (left_ > 0) files_.fail_call(left_, fault_);
        bool worked = true;
        try {
            work();
        } catch (const env::FileError&) {
            worked = false;
        }
        left_ -= files_.calls() - before;
        files_.fail_call(1'000'000'000, fault_);
        return worked;
    }

private:
    MemoryFiles& files_;
    std::int64_t left_;
    MemoryFiles::Fault fault_;
};

TEST(FilesystemStore, survives_a_failed_call_at_every_point_and_goes_on) {
    const auto calls = calls_of_a_life();
    for (const auto fault : {MemoryFiles::Fault::NotDone, MemoryFiles::Fault::Done}) {
        for (std::int64_t n = 1; n <= calls; ++n) {
            Disk disk;
            FailingOnce failing{disk.files, n, fault};
            std::unique_ptr<FilesystemStore> store;
            if (!failing.run([&] { store = disk.start(); })) store = disk.start();
            for (std::size_t i = 0; i < kLife.size(); ++i) {
                const auto where = fmt::format("call {}, step {}", n, kLife[i].name);
                if (!failing.run([&] { kLife[i].step(*store); })) {
                    expect_before_or_after(*store, i, where);
                    kLife[i].step(*store);  // the same again works
                }
                EXPECT_EQ(get(*store, "x/a"), kLife[i].a) << where;
                EXPECT_EQ(get(*store, "x/b"), kLife[i].b) << where;
            }
            // What was acknowledged after the failure is as durable as ever.
            disk.files.lose_power();
            store = disk.start();
            EXPECT_EQ(get(*store, "x/a"), kLife.back().a) << n;
            EXPECT_EQ(get(*store, "x/b"), kLife.back().b) << n;
            expect_clean(disk, *store, fmt::format("call {}", n));
        }
    }
}

TEST(FilesystemStore, a_full_disk_is_said_and_nothing_is_left_of_the_object) {
    Disk disk;
    const auto store = disk.start();
    store->put(Key{"x/a"}, kSmall);
    disk.files.set_capacity(disk.files.bytes_used() + 50'000);

    try {
        store->put(Key{"x/b"}, kLarge);
        FAIL();
    } catch (const env::FileError& error) {
        EXPECT_TRUE(error.is_disk_full());
    }

    EXPECT_FALSE(store->head(Key{"x/b"}));
    EXPECT_EQ(disk.count("/objects/temp"), 0U);
    EXPECT_EQ(get(*store, "x/a"), kSmall);
}

TEST(FilesystemStore, the_same_content_is_kept_once_and_goes_with_its_last_key) {
    Disk disk;
    const auto store = disk.start();
    store->put(Key{"x/a"}, kLarge);
    store->put(Key{"x/b"}, kLarge);
    EXPECT_EQ(disk.count("/objects/blobs"), 3U);  // one blob, two references

    store->remove(Key{"x/a"});
    EXPECT_EQ(disk.count("/objects/blobs"), 2U);
    store->put(Key{"x/b"}, kSmall);
    EXPECT_EQ(disk.count("/objects/blobs"), 0U);
}

TEST(FilesystemStore, a_reader_reads_to_the_end_what_was_removed_meanwhile) {
    Disk disk;
    const auto store = disk.start();
    for (const auto& bytes : {kSmall, kLarge}) {
        store->put(Key{"x/a"}, bytes);
        const auto reader = store->open(Key{"x/a"});

        store->remove(Key{"x/a"});
        store->collect();

        std::string got(bytes.size(), '\0');
        EXPECT_EQ(reader->read(std::as_writable_bytes(std::span(got))), bytes.size());
        EXPECT_EQ(got, bytes);
    }
}

TEST(FilesystemStore, starts_by_cleaning_up_what_a_dead_process_was_writing) {
    Disk disk;
    {
        auto store = disk.start();
        const auto file = disk.files.create_temp("/objects/temp");
        file->write(std::as_bytes(std::span(kLarge)));
    }
    const auto store = disk.start();
    EXPECT_EQ(disk.count("/objects/temp"), 0U);
}

TEST(FilesystemStore, a_damaged_head_is_named_and_can_be_replaced_or_removed) {
    Disk disk;
    const auto store = disk.start();
    store->put(Key{"x/a"}, kSmall);
    disk.files.remove("/objects/heads/x.d/a.o");
    disk.files.create("/objects/heads/x.d/a.o")
        ->write(std::as_bytes(std::span(std::string_view{"junk"})));

    try {
        store->head(Key{"x/a"});
        FAIL();
    } catch (const Error& error) {
        EXPECT_NE(std::string(error.what()).find("/objects/heads/x.d/a.o is damaged"),
                  std::string::npos);
    }
    EXPECT_THROW(store->collect(), Error);
    store->put(Key{"x/a"}, kLarge);
    EXPECT_EQ(get(*store, "x/a"), kLarge);
}

TEST(FilesystemStore, threads_may_put_read_remove_and_collect_at_once) {
    Disk disk;
    const auto store = disk.start();
    std::atomic<int> wrong = 0;
    std::vector<std::jthread> threads;
    for (int t = 0; t < 4; ++t) {
        threads.emplace_back([&, t] {
            for (int i = 0; i < 100; ++i) {
                const auto& bytes = (t + i) % 3 == 0 ? kSmall : (t + i) % 3 == 1 ? kLarge : kOther;
                const Key key{"x", std::to_string((t + i) % 3)};
                store->put(key, bytes);
                const auto got = store->get(key, kPlenty);
                if (got && *got != kSmall && *got != kLarge && *got != kOther) ++wrong;
                if (i % 5 == 0) store->remove(key);
                if (i % 20 == t) store->collect();
            }
        });
    }
    threads.clear();
    EXPECT_EQ(wrong, 0);

    for (const auto& listed : store->list("x/").objects)
        EXPECT_EQ(store->get(listed.key, kPlenty)->size(), listed.size);
    for (const auto& listed : store->list("x/").objects) store->remove(listed.key);
    store->collect();
    EXPECT_EQ(disk.count("/objects/blobs"), 0U);
}

}  // namespace
}  // namespace belay::objects
