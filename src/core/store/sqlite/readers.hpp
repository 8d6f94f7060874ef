// readers.hpp — the connections that read: one for each read under way, kept for the next.
//
// A read of another thread never waits for a long one (a search, a list with a filter on text); only when all are
// taken, two share one.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <vector>

#include <belay/time.hpp>

#include "core/store/blobs.hpp"
#include "core/store/sqlite/reader.hpp"

namespace belay::store::sqlite {

class Readers {
public:
    // `blobs` outlives this.
    Readers(std::filesystem::path file, Duration busy_time_max, Blobs& blobs);

    // For one read: comes back when the pointer is gone, which must be before this is. Any thread.
    std::shared_ptr<Reader> take();

    // Those that wait are closed now, those under way when their read ends.
    void close();

private:
    std::shared_ptr<Reader> hand_out(std::shared_ptr<Reader> reader);
    void come_back(std::shared_ptr<Reader> reader, std::uint64_t generation);

    const std::filesystem::path file_;
    const Duration busy_time_max_;
    Blobs& blobs_;
    std::mutex mutex_;
    std::uint64_t generation_ = 0;  // how often they were closed
    std::size_t under_way_ = 0;     // of this generation
    std::vector<std::shared_ptr<Reader>> idle_;
    std::weak_ptr<Reader> newest_;  // to be shared when there are enough
};

}  // namespace belay::store::sqlite
