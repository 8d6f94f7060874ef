// readers.hpp — the connections that read: one for each read under way, kept for the next.
//
// A read of another thread never waits for a long one (a search, a list with a filter on text); only when all are
// taken, two share one.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <utility>
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

    // While it lives, whoever would begin a read waits.
    class Gate {
    public:
        Gate(Readers* readers, bool is_quiet) : readers_(readers), is_quiet_(is_quiet) {}
        Gate(Gate&& other) noexcept
            : readers_(std::exchange(other.readers_, nullptr)), is_quiet_(other.is_quiet_) {}
        Gate& operator=(Gate&&) = delete;
        ~Gate() {
            if (readers_ != nullptr) readers_->open_gate();
        }
        bool is_quiet() const { return is_quiet_; }  // no read is under way

    private:
        Readers* readers_;
        bool is_quiet_;
    };
    // Waits that long for the reads under way. From one thread at a time.
    Gate close_gate(std::chrono::milliseconds wait);

    // Ends the reads that are under way for longer: they throw Error{StoreUnavailable}.
    void end_older_than(std::chrono::milliseconds age);

private:
    using Steady = std::chrono::steady_clock;
    struct UnderWay {
        std::weak_ptr<Reader> reader;
        Steady::time_point since;
    };

    std::shared_ptr<Reader> hand_out(std::shared_ptr<Reader> reader);
    void come_back(std::shared_ptr<Reader> reader, std::uint64_t generation);
    void open_gate();

    const std::filesystem::path file_;
    const Duration busy_time_max_;
    Blobs& blobs_;
    std::mutex mutex_;
    std::condition_variable changed_;  // the gate, or how many are out
    bool gate_closed_ = false;
    std::size_t out_ = 0;  // of all generations
    std::vector<UnderWay> reads_;
    std::uint64_t generation_ = 0;  // how often they were closed
    std::size_t under_way_ = 0;     // of this generation
    std::vector<std::shared_ptr<Reader>> idle_;
    std::weak_ptr<Reader> newest_;  // to be shared when there are enough
};

}  // namespace belay::store::sqlite
