#include "core/engine/answer.hpp"

#include <utility>

#include <belay/error.hpp>

namespace belay::engine {

void Answer::give(std::exception_ptr error) {
    const std::lock_guard lock(mutex_);
    if (error && !error_) error_ = error;
    --left_;
    if (left_ == 0) changed_.notify_all();
}

void Answer::wait() {
    std::unique_lock lock(mutex_);
    while (left_ > 0) {
        if (world_.executor.threaded()) {
            changed_.wait(lock);
            continue;
        }
        lock.unlock();
        const bool ran = world_.executor.run_one();
        lock.lock();
        if (!ran && left_ > 0) throw Error(ErrorCode::Stopped, "the engine does not run any more");
    }
    if (error_) std::rethrow_exception(error_);
}

Promise::~Promise() {
    if (answer_) keep(std::make_exception_ptr(Error(ErrorCode::Stopped, "the engine has stopped")));
}

void Promise::keep(std::exception_ptr error) {
    if (told_) return told_(error);
    std::exchange(answer_, nullptr)->give(error);
}

}  // namespace belay::engine
