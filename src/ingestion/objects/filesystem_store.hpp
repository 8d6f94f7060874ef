// filesystem_store.hpp — objects in a folder: blobs named by their content, heads named by their keys.
//
//   heads/   what each key says, small objects inside (heads.hpp)
//   blobs/   the bytes of larger ones, each content once (blobs.hpp)
//   temp/    what is being written; cleaned at the next start
//
// One process writes at a time, with as many threads as it likes; others may read.
#pragma once

#include <array>
#include <filesystem>
#include <memory>
#include <mutex>

#include "core/env/clock.hpp"
#include "core/env/files.hpp"
#include "ingestion/objects/blobs.hpp"
#include "ingestion/objects/durable_folders.hpp"
#include "ingestion/objects/heads.hpp"
#include "ingestion/objects/store.hpp"

namespace belay::objects {

// Objects up to this size live in their head: one file and two syncs instead of two files and four.
inline constexpr std::size_t kInlineBytesMax = 64 * 1024;

class FilesystemStore final : public Store {
public:
    // Makes the folder if needed and removes what a dead process left in temp/. `files` and `clock`
    // outlive this.
    FilesystemStore(std::filesystem::path folder, env::Files& files, const env::Clock& clock);

    // The same folder for a process that only reads while another may write: nothing is made or removed.
    struct ToRead {};
    FilesystemStore(ToRead, std::filesystem::path folder, env::Files& files,
                    const env::Clock& clock);

    std::unique_ptr<Writer> begin(std::uint64_t bytes_max) override;
    std::optional<Object> head(const Key& key) override;
    std::unique_ptr<Reader> open(const Key& key, const Range& range = {}) override;
    void remove(const Key& key) override;
    Page list(std::string_view prefix, const std::optional<std::string>& cursor = {},
              std::size_t limit = 1000) override;
    std::optional<std::string> download_url(const Key&, Duration, std::string_view) override {
        return std::nullopt;
    }
    std::string name() const override { return folder_.string(); }

    // Small objects may be rows from now on: they are looked for in `rows` first, and writers give them away
    // (Writer::take_small). Before anything else is done with this; `rows` outlives every call.
    void use(SmallObjects& rows) { rows_ = &rows; }

    // Removes blobs and references that no head names: what crashes left behind. Reads every head; objects
    // may be put, read and removed meanwhile. A head that cannot be read ends it before anything is removed.
    Blobs::Collection::Result collect();

private:
    class FileWriter;
    class FileReader;
    class BytesReader;

    static constexpr std::size_t kStripes = 64;

    std::mutex& stripe_of(const Key& key);
    void replace_head(const Object& object, const std::optional<std::string_view>& inline_bytes);
    void release_quietly(const std::string& sha256, const Key& key);

    std::filesystem::path folder_;
    env::Files& files_;
    const env::Clock& clock_;
    DurableFolders folders_;
    std::filesystem::path temp_;
    Heads heads_;
    Blobs blobs_;
    std::array<std::mutex, kStripes> stripes_;  // one key's head changes under its stripe
    std::mutex collect_mutex_;
    SmallObjects* rows_ = nullptr;
};

}  // namespace belay::objects
