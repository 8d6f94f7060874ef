// heart.hpp — that this worker is alive, said to the database; and what the other workers say.
//
// One thread with one connection. It beats once for all runs of the worker (a row of belay_workers), at a third of
// the lease, and wakes up when the next of the others will have missed its own. It passes on what this worker's
// commits mean to the others (NOTIFY, many commits in one) and hears theirs (LISTEN). What was heard is kept until
// the engine asks; polling every few seconds is only the net beneath. All members may be called from any thread.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "core/store/postgres/connection.hpp"
#include "core/store/postgres/told.hpp"

namespace belay::store::postgres {

class Heart final : public Told {
public:
    struct Options {
        ConnectOptions connect{};
        Duration lease_for{};
        std::shared_ptr<std::atomic<std::int64_t>> clock_offset{};
    };
    struct Heard {
        bool requests = false;
        bool due = false;
        SomeRuns ended{};
        SomeRuns runs{};  // of this worker, that were signalled, or asked to stop
    };

    explicit Heart(Options options);
    ~Heart() override;

    Heart(const Heart&) = delete;
    Heart& operator=(const Heart&) = delete;

    void is_worker(const std::string& name) override;
    void tell(News news) override;
    void look_again_soon() override;

    // What came since the last call.
    Heard heard();
    // Called on the heart's thread when something has come. Null: nobody.
    void on_heard(std::function<void()> callback);

    // The worker stops: no beat is under way when this returns, and none follows. What is told is still passed on.
    void stop_beating();

    // After the writer has said that the worker has stopped: passes on the last news, beats no more.
    void stop();

    std::int64_t beats() const { return beats_; }

private:
    using Steady = std::chrono::steady_clock;

    void live();
    void connect();
    void signal_forgotten();
    void beat();
    void beat_is_over();
    void pass_on();
    void listen(Duration wait);
    void add_heard(const Heard& heard);
    Duration time_left();

    const Options options_;
    const std::string channel_;  // of all workers
    int wake_ = -1;

    std::mutex mutex_;
    std::condition_variable registered_;
    std::string worker_;
    bool is_beating_ = false;
    bool is_new_ = false;  // the worker's first beat is waited for
    std::exception_ptr failed_;
    News to_tell_;
    Heard heard_;
    std::function<void()> callback_;
    std::optional<Steady::time_point> look_again_at_;
    bool stopping_ = false;

    // The thread's own.
    std::unique_ptr<Connection> connection_;
    std::string listens_as_;
    Steady::time_point next_beat_{};
    Steady::time_point next_poll_{};
    Steady::time_point next_notify_{};
    std::optional<Steady::time_point> other_dies_at_;
    std::atomic<bool> has_others_{false};
    std::atomic<std::int64_t> beats_{0};
    std::thread thread_;
};

// The channel on which a schema's workers hear of each other, and that of one worker.
std::string channel_of(const std::string& schema, const std::string& worker = "");

}  // namespace belay::store::postgres
