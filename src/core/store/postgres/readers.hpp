// readers.hpp — the connections that read: one for each read under way, up to a bound, kept for the next.
//
// A read waits for another only while all are lent, and then for whichever comes back first.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <memory>
#include <mutex>
#include <string>

#include "core/store/postgres/reader.hpp"

namespace belay::store::postgres {

class Readers {
public:
    // Those beyond the first are closed when nobody has needed them for `idle_for`.
    Readers(ConnectOptions options, std::string name, std::size_t most, Duration idle_for);

    struct GiveBack {
        Readers* to = nullptr;
        void operator()(Reader* reader) const { to->give_back(reader); }
    };
    // For one read, by one thread; waits for one if all are lent. Any thread.
    using Lent = std::unique_ptr<Reader, GiveBack>;
    Lent take();

    void close_idle();

private:
    using Steady = std::chrono::steady_clock;
    struct Idle {
        std::unique_ptr<Reader> reader;
        Steady::time_point since;
    };

    void give_back(Reader* reader);
    std::deque<Idle> taken_from_idle();

    const ConnectOptions options_;
    const std::string name_;
    const std::size_t most_;
    const Duration idle_for_;
    std::mutex mutex_;
    std::condition_variable returned_;
    std::size_t lent_ = 0;
    std::deque<Idle> idle_;  // the last that came back is lent first
};

}  // namespace belay::store::postgres
