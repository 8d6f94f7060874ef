#include "core/store/blobs.hpp"

#include <optional>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <belay/error.hpp>

#include "core/base/hash.hpp"
#include "core/env/memory_files.hpp"

namespace belay::store {
namespace {

using env::MemoryFiles;
using Fault = MemoryFiles::Fault;

constexpr std::size_t kThreshold = 10;
const std::string kSmall = "\"small\"";
const std::string kLarge = "\"a value that is larger than ten bytes\"";

struct Bench {
    MemoryFiles files;
    std::optional<Blobs> blobs;

    Bench() {
        files.make_folders("/data");
        files.sync_folder("/");
        open();
    }
    void open() { blobs.emplace(files, "/data/x.db.blobs", kThreshold); }

    std::set<std::string> files_there() {
        std::set<std::string> out;
        for (const auto& folder : files.list("/data/x.db.blobs")) {
            for (const auto& file : files.list("/data/x.db.blobs/" + folder.name))
                out.insert(folder.name + "/" + file.name);
        }
        return out;
    }
};

template <class F>
std::string refused(ErrorCode code, F&& act) {
    try {
        act();
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), code);
        return error.what();
    }
    return "not refused";
}

std::set<std::string> nothing() { return {}; }

TEST(Blobs, a_small_value_stays_in_its_column) {
    Bench b;

    const auto column = b.blobs->to_column(kSmall);

    EXPECT_EQ(column.text, kSmall);
    EXPECT_EQ(b.blobs->from_column(column.text), kSmall);
    EXPECT_TRUE(b.files_there().empty());
}

TEST(Blobs, a_large_value_is_a_file_named_by_its_content) {
    Bench b;

    const auto column = b.blobs->to_column(kLarge);

    const std::string hash = base::sha256_hex(kLarge);
    EXPECT_EQ(column.text, "blob:" + hash + fmt::format(":{}", kLarge.size()));
    EXPECT_EQ(b.blobs->from_column(column.text), kLarge);
    EXPECT_EQ(b.files_there(), std::set<std::string>{hash.substr(0, 2) + "/" + hash});
}

TEST(Blobs, equal_values_share_a_file) {
    Bench b;
    const auto first = b.blobs->to_column(kLarge);
    const auto second = b.blobs->to_column(kLarge);

    EXPECT_EQ(first.text, second.text);
    EXPECT_EQ(b.files_there().size(), 1u);
}

TEST(Blobs, a_value_above_the_limit_is_refused) {
    Bench b;

    EXPECT_EQ(
        refused(ErrorCode::PayloadTooLarge,
                [&] { b.blobs->to_column(std::string(base::kPayloadBytesMax + 1, 'x')); }),
        "a value has 4194305 bytes, and 4194304 are allowed: keep what is larger as an object, and "
        "return its key");
}

TEST(Blobs, a_reference_in_a_column_is_told_from_any_json) {
    EXPECT_EQ(BlobRef::parse("\"blob:\""), std::nullopt);
    EXPECT_EQ(BlobRef::parse("null"), std::nullopt);
    EXPECT_EQ(BlobRef::parse(""), std::nullopt);
    const BlobRef ref{std::string(64, 'a'), 12};
    EXPECT_EQ(BlobRef::parse(ref.text()), ref);
    const std::string hash(64, 'a');
    for (const auto& text :
         {std::string("blob:"), "blob:" + hash, "blob:" + hash + ":", "blob:" + hash + ":1x",
          "blob:" + hash + ":-1", "blob:" + hash + "/1", "blob:" + std::string(64, 'A') + ":1",
          "blob:../../" + hash + ":1", "blob:" + hash + ":99999999999999999999",
          "blob:" + hash + ":99999999999"})
        EXPECT_NE(refused(ErrorCode::BadValue, [&] { BlobRef::parse(text); }), "not refused")
            << text;
}

TEST(Blobs, what_is_missing_or_damaged_is_said_so) {
    Bench b;
    const auto column = b.blobs->to_column(kLarge);
    const auto path = "/data/x.db.blobs/" + *b.files_there().begin();

    b.files.remove(path);
    EXPECT_NE(refused(ErrorCode::BadValue, [&] { b.blobs->from_column(column.text); })
                  .find("there is no file " + path),
              std::string::npos);

    b.files.create(path)->write(std::as_bytes(std::span(std::string_view("short"))));
    EXPECT_NE(refused(ErrorCode::BadValue, [&] { b.blobs->from_column(column.text); })
                  .find(fmt::format("has 5 bytes, and {} were written", kLarge.size())),
              std::string::npos);

    b.files.remove(path);
    const std::string other(kLarge.size(), 'x');
    b.files.create(path)->write(std::as_bytes(std::span(std::string_view(other))));
    EXPECT_NE(refused(ErrorCode::BadValue, [&] { b.blobs->from_column(column.text); })
                  .find("does not have the content that its name promises"),
              std::string::npos);
}

TEST(Blobs, a_file_that_was_cut_short_is_written_again_when_its_value_is_kept_again) {
    Bench b;
    { b.blobs->to_column(kLarge); }
    const auto path = "/data/x.db.blobs/" + *b.files_there().begin();
    b.files.remove(path);
    b.files.create(path);

    const auto column = b.blobs->to_column(kLarge);

    EXPECT_EQ(b.blobs->from_column(column.text), kLarge);
}

// ---- failing at every point

TEST(Blobs, after_a_power_cut_at_any_call_a_reference_that_was_given_can_be_read) {
    for (int n = 1;; ++n) {
        Bench b;
        b.files.fail_call(n, Fault::PowerLost);
        std::optional<std::string> given;
        bool cut = false;
        try {
            given = b.blobs->to_column(kLarge).text;
        } catch (const env::PowerLost&) {
            cut = true;
        }
        b.files.lose_power();
        b.open();
        b.blobs->remove_leftovers();

        if (given) {
            EXPECT_EQ(b.blobs->from_column(*given), kLarge) << n;
        }
        // And whatever is there, the value can be kept now.
        EXPECT_EQ(b.blobs->from_column(b.blobs->to_column(kLarge).text), kLarge) << n;
        if (!cut) break;
        ASSERT_LT(n, 100);
    }
}

TEST(Blobs, after_a_power_cut_with_a_disk_that_reorders_the_same_holds) {
    for (std::uint64_t seed = 1; seed <= 200; ++seed) {
        Bench b;
        env::SeededRandom dice{seed};
        b.files.fail_call(static_cast<std::int64_t>(1 + dice.below(20)), Fault::PowerLost);
        std::optional<std::string> given;
        try {
            given = b.blobs->to_column(kLarge).text;
        } catch (const env::PowerLost&) {
        }
        b.files.lose_power(&dice);
        b.open();

        if (given) {
            EXPECT_EQ(b.blobs->from_column(*given), kLarge) << "seed " << seed;
        }
        EXPECT_EQ(b.blobs->from_column(b.blobs->to_column(kLarge).text), kLarge) << "seed " << seed;
    }
}

TEST(Blobs, a_call_that_fails_throws_and_the_value_can_be_kept_afterwards) {
    for (const Fault fault : {Fault::NotDone, Fault::Done}) {
        for (int n = 1;; ++n) {
            Bench b;
            b.files.fail_call(n, fault);
            bool failed = false;
            try {
                b.blobs->to_column(kLarge);
            } catch (const env::FileError&) {
                failed = true;
            }
            b.files.fail_call(1'000'000, fault);  // none any more
            const auto column = b.blobs->to_column(kLarge);
            b.files.lose_power();

            EXPECT_EQ(b.blobs->from_column(column.text), kLarge) << n;
            if (!failed) break;
            ASSERT_LT(n, 100);
        }
    }
}

TEST(Blobs, leftovers_of_a_dead_process_are_removed) {
    Bench b;
    { b.blobs->to_column(kLarge); }
    b.files.create_temp("/data/x.db.blobs/tmp");

    b.blobs->remove_leftovers();

    EXPECT_EQ(b.files_there().size(), 1u);
}

// ---- collecting

TEST(BlobCollection, removes_what_no_column_names) {
    Bench b;
    const std::string dead = b.blobs->to_column("\"one that nobody needs any more\"").text;
    const std::string live = b.blobs->to_column(kLarge).text;

    const auto collected =
        b.blobs->collect([&] { return std::set<std::string>{BlobRef::parse(live)->sha256}; });

    EXPECT_EQ(collected.removed, 1);
    EXPECT_EQ(collected.bytes, 32u);
    EXPECT_EQ(collected.left, 1);
    EXPECT_EQ(b.blobs->from_column(live), kLarge);
    EXPECT_NE(refused(ErrorCode::BadValue, [&] { b.blobs->from_column(dead); }), "not refused");
}

TEST(BlobCollection, leaves_what_is_kept_for_a_commit_that_is_not_done) {
    Bench b;
    auto column = b.blobs->to_column(kLarge);

    EXPECT_EQ(b.blobs->collect(nothing).removed, 0);
    column.kept = {};
    EXPECT_EQ(b.blobs->collect(nothing).removed, 1);
}

TEST(BlobCollection, leaves_what_was_committed_while_it_ran) {
    Bench b;
    { b.blobs->to_column(kLarge); }  // a file that nothing names

    // Between the list of files and their removal the same value is kept, committed and let go.
    const auto collected = b.blobs->collect([&] {
        const std::set<std::string> live;
        b.blobs->to_column(kLarge);
        return live;
    });

    EXPECT_EQ(collected.removed, 0);
    EXPECT_EQ(collected.left, 1);
}

TEST(BlobCollection, a_store_without_blobs_has_nothing_to_collect) {
    Bench b;
    const auto collected = b.blobs->collect(nothing);
    EXPECT_EQ(collected.removed + collected.left, 0);
}

TEST(Blobs, the_folder_of_a_database_stands_beside_it) {
    EXPECT_EQ(Blobs::folder_of("/var/lib/invoices.db"), "/var/lib/invoices.db.blobs");
}

}  // namespace
}  // namespace belay::store
