// task.hpp — the coroutine type that workflows, and parts of workflows, are written as.
//
// A Task is lazy: nothing runs until it is awaited (or handed to an Engine as a workflow). It belongs
// to whoever holds it; dropping it destroys the coroutine, wherever it stands, and runs the
// destructors of what it holds. A workflow and all its parts run on one thread at a time.
#pragma once

#include <coroutine>
#include <exception>
#include <optional>
#include <utility>

namespace belay {

template <class T>
class Task;

namespace detail {

// Resumes whoever awaits a finished task. A child that finishes while its parent is still starting it
// hands back control by returning instead: a loop over a million finished children needs no stack.
struct TaskEnd {
    bool await_ready() const noexcept { return false; }
    template <class Promise>
    std::coroutine_handle<> await_suspend(std::coroutine_handle<Promise> self) const noexcept {
        auto& promise = self.promise();
        if (promise.starting || !promise.parent) return std::noop_coroutine();
        return promise.parent;
    }
    void await_resume() const noexcept {}
};

// What an await gives that never returns: it may stand where the workflow's result is wanted.
struct Never {};

struct TaskPromiseBase {
    std::coroutine_handle<> parent;
    std::exception_ptr error;
    bool starting = false;

    std::suspend_always initial_suspend() const noexcept { return {}; }
    TaskEnd final_suspend() const noexcept { return {}; }
    void unhandled_exception() noexcept { error = std::current_exception(); }
};

template <class T>
struct TaskPromise : TaskPromiseBase {
    std::optional<T> value;

    Task<T> get_return_object();
    template <class U>
    void return_value(U&& result) {
        value.emplace(std::forward<U>(result));
    }
    void return_value(Never) {}
    T take() {
        if (error) std::rethrow_exception(error);
        return std::move(*value);
    }
};

template <>
struct TaskPromise<void> : TaskPromiseBase {
    Task<void> get_return_object();
    void return_void() const noexcept {}
    void take() const {
        if (error) std::rethrow_exception(error);
    }
};

}  // namespace detail

template <class T = void>
class [[nodiscard]] Task {
public:
    using promise_type = detail::TaskPromise<T>;
    using value_type = T;

    Task(Task&& other) noexcept : handle_(std::exchange(other.handle_, {})) {}
    Task& operator=(Task&& other) noexcept {
        if (this != &other) {
            if (handle_) handle_.destroy();
            handle_ = std::exchange(other.handle_, {});
        }
        return *this;
    }
    ~Task() {
        if (handle_) handle_.destroy();
    }

    // Runs the task as part of the awaiting coroutine; gives its value or throws what it threw.
    auto operator co_await() && noexcept { return Awaiter{handle_}; }
    auto operator co_await() & noexcept { return Awaiter{handle_}; }

    // For the engine, which is the parent of a workflow's outermost task.
    void resume() { handle_.resume(); }
    bool done() const { return handle_.done(); }
    T take() { return handle_.promise().take(); }

private:
    friend promise_type;
    explicit Task(std::coroutine_handle<promise_type> handle) : handle_(handle) {}

    struct Awaiter {
        std::coroutine_handle<promise_type> child;

        bool await_ready() const noexcept { return child.done(); }
        bool await_suspend(std::coroutine_handle<> parent) const {
            auto& promise = child.promise();
            promise.parent = parent;
            promise.starting = true;
            child.resume();
            promise.starting = false;
            return !child.done();
        }
        T await_resume() const { return child.promise().take(); }
    };

    std::coroutine_handle<promise_type> handle_;
};

namespace detail {

template <class T>
Task<T> TaskPromise<T>::get_return_object() {
    return Task<T>{std::coroutine_handle<TaskPromise<T>>::from_promise(*this)};
}

inline Task<void> TaskPromise<void>::get_return_object() {
    return Task<void>{std::coroutine_handle<TaskPromise<void>>::from_promise(*this)};
}

}  // namespace detail
}  // namespace belay
