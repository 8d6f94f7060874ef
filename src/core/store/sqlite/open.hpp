// open.hpp — a store in one SQLite file.
//
// One process executes on a file, and holds `<file>.lock` for as long as it does; any other may read and
// may ask (control_requests). Opening creates the file and brings its schema up to date, executing only.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include <belay/time.hpp>

#include "core/base/limits.hpp"
#include "core/store/store.hpp"

namespace belay::store::sqlite {

// In bytes of log. For tests, smaller.
struct WalLimits {
    std::int64_t copy_every = 4 << 20;
    std::int64_t renew_from = 16 << 20;   // reads wait, shortly, for it to be begun anew
    std::int64_t insist_from = 32 << 20;  // and longer; what reads longer than 10 s is ended
    std::int64_t most = 64 << 20;         // close to it, what reads longer than 1 s
};

struct OpenOptions {
    // Take the lock and write. Otherwise the file must exist, commit, reopen and migrate may not be
    // called, and a file that is read-only is fine as long as nothing is asked.
    bool execute = true;

    // Who executes, as shown to the next process that tries: "belay serve, pid 4711".
    std::string holder;

    // How long the body of a transaction may hold up everyone else's commits.
    Duration transaction_time_max = base::kTransactionTimeMax;

    // Values above this go to files beside the database (store/blobs.hpp).
    std::size_t blob_threshold = base::kBlobThresholdBytes;

    // How long the write-ahead log may become (wal_keeper.hpp).
    WalLimits wal{};

    // How long to wait while another process writes.
    Duration busy_time_max = std::chrono::seconds{10};
};

// Throws Error{StoreLocked} naming who executes, Error{SchemaTooNew} naming both schemas, and
// Error{StoreUnavailable} with what to do: no such file, not Belay's, read-only, disk full.
std::unique_ptr<Store> open(const std::filesystem::path& file, const OpenOptions& options);

}  // namespace belay::store::sqlite
