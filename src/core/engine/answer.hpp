// answer.hpp — what a caller waits for on its own thread until the Loop lane says it.
//
// Two ends: the caller waits on an Answer, the Loop lane keeps a Promise. A promise that is destroyed without
// having been kept says that the engine has stopped, so nobody waits without end.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>

#include "core/engine/services.hpp"

namespace belay::engine {

class Answer {
public:
    Answer(Environment& world, std::size_t expected) : world_(world), left_(expected) {}

    // On the Loop lane: one of the expected answers, an error or none.
    void give(std::exception_ptr error = nullptr);

    // On the caller's thread; throws the first error given. With an executor that has no threads the caller
    // drives it instead; throws Error{Stopped} if nothing is left that could answer.
    void wait();

private:
    Environment& world_;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::size_t left_;
    std::exception_ptr error_;
};

class Promise {
public:
    explicit Promise(std::shared_ptr<Answer> answer) : answer_(std::move(answer)) {}
    // Told instead of a waiting thread: the error, or null.
    explicit Promise(std::function<void(std::exception_ptr)> told) : told_(std::move(told)) {}
    Promise(Promise&&) noexcept = default;
    Promise& operator=(Promise&&) = delete;
    ~Promise();

    void keep(std::exception_ptr error = nullptr);

private:
    // Shared by the thread that waits and the Loop lane: neither knows which of them ends first.
    std::shared_ptr<Answer> answer_;
    std::function<void(std::exception_ptr)> told_;
};

}  // namespace belay::engine
