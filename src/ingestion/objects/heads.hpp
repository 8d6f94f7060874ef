// heads.hpp — what each key says, one small file a key.
//
//   heads/acme.d/2026.d/receipt.jpg.o
//
// Every part of a key becomes a folder with `.d` behind it, the last one a file with `.o`: so `a/b` and
// `a/b/c` can both be keys, nothing needs escaping, and a walk in order gives the keys in order. A head
// holds the facts as JSON and, if the object is small, its bytes: then a put is one file and two syncs.
// A head is replaced by renaming a synced file over it, so it is always whole.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "core/env/files.hpp"
#include "ingestion/objects/durable_folders.hpp"
#include "ingestion/objects/object.hpp"

namespace belay::objects {

struct Head {
    Object object;
    bool is_inline = false;           // the bytes are in the head's own file
    std::uint64_t inline_offset = 0;  // … from here on
    std::unique_ptr<env::ReadableFile> file;
};

class Heads {
public:
    // New heads are first written in `temp`, on the same file system.
    Heads(env::Files& files, DurableFolders& folders, std::filesystem::path folder,
          std::filesystem::path temp);

    // Nothing if the key has none. Throws Error{StoreUnavailable} naming a file that is damaged.
    std::optional<Head> read(const Key& key);

    // The same, but a damaged head counts as none: for whoever is about to replace or remove it.
    std::optional<Head> read_if_sound(const Key& key);

    // Writes or replaces it. Durable when it returns.
    void write(const Object& object, const std::optional<std::string_view>& inline_bytes);

    // Durable when it returns; false if there was none.
    bool remove(const Key& key);

    // Calls `visit` for each head whose key starts with `prefix` and is greater than `after`, in order,
    // until it returns false.
    void walk(std::string_view prefix, std::string_view after,
              const std::function<bool(const Head&)>& visit);

private:
    std::filesystem::path path_of(const Key& key) const;
    std::optional<Head> read_file(const std::filesystem::path& path);
    bool walk_folder(const std::filesystem::path& folder, const std::string& key_before,
                     std::string_view prefix, std::string_view after,
                     const std::function<bool(const Head&)>& visit);

    env::Files& files_;
    DurableFolders& folders_;
    std::filesystem::path folder_;
    std::filesystem::path temp_;
};

}  // namespace belay::objects
