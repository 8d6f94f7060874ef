// seal.hpp — encryption at rest: what runs carry is unreadable in the database to whoever has no key.
//
//     belay::Engine engine{belay::sqlite("shop.db"), {.seal = belay::aes_gcm(belay::read_seal_keys("keys"))}};
//
// Sealed are inputs, results, outputs of steps, messages, errors, progress and reasons. Plain stay ids, workflow keys,
// names of steps, labels, topics, cache keys, costs, times, and a program's own tables: docs/encryption.md has the list.
// `aes_gcm` is in the component `seal` (find_package(belay COMPONENTS seal), belay::seal), which links OpenSSL.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <string_view>

namespace belay {

// What seals and opens. Any thread.
class Seal {
public:
    Seal() = default;
    Seal(const Seal&) = delete;
    Seal& operator=(const Seal&) = delete;
    virtual ~Seal() = default;

    struct Sealed {
        std::string key{};  // the id of the key: letters, digits, '-', '_', '.'
        std::string bytes{};
    };
    // `beside` is stored readable beside the bytes, and open() must refuse them beside anything else.
    virtual Sealed seal(std::string_view plain, std::string_view beside) const = 0;
    // Throws Error{BadValue} for a key that is not there, naming it, and for bytes that were changed.
    virtual std::string open(const Sealed& sealed, std::string_view beside) const = 0;

    // 16 bytes that are the same for the same text, whichever key seals it, and say nothing of it to who has no key: by
    // these a second submission is known to have the same input (P3).
    virtual std::string fingerprint(std::string_view plain) const = 0;
};

// Keys of 32 bytes. To change keys: add a new one and make it `current`; what older ones sealed is read for as long as
// they are given. `fingerprint` must stay the same for as long as ids of runs have to be known again.
struct SealKeys {
    std::string current{};                     // the id of the key that seals
    std::map<std::string, std::string> keys{};  // by id: what opens
    std::string fingerprint{};
};

// A file of lines `NAME = 64 hex digits`, in which `fingerprint` is the key of fingerprints and the last of the others
// is the current one; empty lines and what follows `#` do not count. Throws Error{InvalidArgument} naming file and line,
// also for a file that others than its owner may read.
SealKeys read_seal_keys(const std::filesystem::path& file);

// AES-256-GCM with a random nonce, HMAC-SHA256 for fingerprints. Throws Error{InvalidArgument} for keys that are none.
std::shared_ptr<const Seal> aes_gcm(SealKeys keys);

}  // namespace belay
