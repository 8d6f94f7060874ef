// executing.hpp — whose code a thread executes, as its process's black box keeps it (core/env/black_box.hpp).
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include <boost/asio/query.hpp>
#include <boost/asio/require.hpp>

namespace belay::env {
class BlackBox;
}

namespace belay::detail {

// A run under its lease, and where in it. `box` outlives whoever has one; null: nothing is kept.
struct Execution {
    env::BlackBox* box = nullptr;
    std::int64_t run = 0;
    std::int64_t epoch = 0;
    std::string stage{};
};

// While it lives, the calling thread executes that run's code; then again what it did before.
class Executing {
public:
    Executing(env::BlackBox* box, std::int64_t run, std::int64_t epoch,
              std::string_view stage) noexcept;
    explicit Executing(const Execution& whose) noexcept
        : Executing(whose.box, whose.run, whose.epoch, whose.stage) {}
    ~Executing();
    Executing(const Executing&) = delete;
    Executing& operator=(const Executing&) = delete;

private:
    void* slot_ = nullptr;  // null: nothing to keep
    void* outer_ = nullptr;
    std::int64_t run_ = 0;  // what the slot had before
    std::int64_t epoch_ = 0;
};

// An executor whose functions execute a run's code: how a step that waits without a thread is found in the box of
// the thread that it is on.
template <class Inner>
class ExecutingOn {
public:
    ExecutingOn(Inner inner, std::shared_ptr<const Execution> whose)
        : inner_(std::move(inner)), whose_(std::move(whose)) {}

    template <class F>
    void execute(F&& function) const {
        inner_.execute(
            [whose = whose_, call = std::decay_t<F>(std::forward<F>(function))]() mutable {
                static const Execution nobody;
                const Executing executing(whose ? *whose : nobody);
                std::move(call)();
            });
    }
    template <class Property>
    auto query(const Property& property) const noexcept
        -> decltype(boost::asio::query(std::declval<const Inner&>(), property)) {
        return boost::asio::query(inner_, property);
    }
    template <class Property>
    auto require(const Property& property) const
        -> ExecutingOn<
            std::decay_t<decltype(boost::asio::require(std::declval<const Inner&>(), property))>> {
        return {boost::asio::require(inner_, property), whose_};
    }
    bool operator==(const ExecutingOn& other) const noexcept { return inner_ == other.inner_; }
    bool operator!=(const ExecutingOn& other) const noexcept { return !(*this == other); }

private:
    Inner inner_;
    std::shared_ptr<const Execution> whose_;
};

}  // namespace belay::detail
