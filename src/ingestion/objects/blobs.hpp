// blobs.hpp — bytes named by their SHA-256, and who refers to them.
//
//   blobs/ab/abcd…             the bytes; never changed
//   blobs/ab/abcd….9f86…       an empty file: a key, by its hash, refers to them
//
// A reference is durable before the head that names the blob, and goes after it: a crash in between leaves
// a reference too many, never one too few. collect() finds those. A blob goes with its last reference; who
// has it open reads it to the end.
#pragma once

#include <array>
#include <filesystem>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <string_view>

#include "core/env/files.hpp"
#include "ingestion/objects/durable_folders.hpp"

namespace belay::objects {

class Blobs {
public:
    Blobs(env::Files& files, DurableFolders& folders, std::filesystem::path folder);

    // A reference that is being made: collect() leaves it alone while this lives.
    class Pin {
    public:
        Pin(Pin&& other) noexcept;
        Pin& operator=(Pin&&) = delete;
        ~Pin();

    private:
        friend class Blobs;
        Pin(Blobs& blobs, std::string name) : blobs_(&blobs), name_(std::move(name)) {}
        Blobs* blobs_;
        std::string name_;
    };

    // Makes the synced file at `temp` the blob `sha256`, unless there is one, and refers to it for
    // `key_hash`. Durable when it returns. Keep the pin until the head is written. `temp` is gone or left
    // to its owner.
    [[nodiscard]] Pin add(const std::filesystem::path& temp, std::string_view sha256,
                          std::string_view key_hash);

    // Null if there is none.
    std::unique_ptr<env::ReadableFile> open(std::string_view sha256);

    // Ends a reference, and the blob with the last one. `key_hash` refers to it no more.
    void release(std::string_view sha256, std::string_view key_hash);

    // Finds what no head names: everything there is first, then what heads name is kept, then the rest
    // goes. Made without finish(), nothing goes. One at a time.
    class Collection {
    public:
        struct Result {
            std::size_t blobs = 0;
            std::size_t references = 0;
        };

        explicit Collection(Blobs& blobs);
        Collection(const Collection&) = delete;
        Collection& operator=(const Collection&) = delete;
        ~Collection();

        void keep(std::string_view sha256, std::string_view key_hash);
        Result finish();

    private:
        Blobs& blobs_;
        std::set<std::string> left_blobs_;
        std::set<std::string> left_references_;
    };

private:
    static constexpr std::size_t kStripes = 64;

    std::filesystem::path folder_of(std::string_view sha256) const;
    std::mutex& stripe_of(std::string_view sha256);
    bool is_referred_to(std::string_view sha256);
    bool is_in_use(const std::string& reference);
    void unpin(const std::string& reference);

    env::Files& files_;
    DurableFolders& folders_;
    std::filesystem::path folder_;
    std::array<std::mutex, kStripes> stripes_;  // one blob's names change under its stripe

    std::mutex pins_mutex_;
    std::multiset<std::string> pins_;
    bool collecting_ = false;
    std::set<std::string> made_meanwhile_;  // references whose head may be newer than the walk
};

}  // namespace belay::objects
