// async.hpp — steps that wait without holding a thread: functions that return asio::awaitable.
//
//     boost::asio::awaitable<Reply> ask(belay::Attempt& attempt, const Question& question);
//     auto reply = co_await ctx.step("ask", ask, question);
//
// They run on the engine's I/O threads. When their attempt times out or their run is canceled, the
// operation they wait for is canceled (asio's terminal cancellation).
#pragma once

#include <exception>
#include <memory>
#include <stop_token>
#include <type_traits>
#include <utility>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/strand.hpp>

#include <belay/detail/executing.hpp>
#include <belay/step.hpp>

namespace belay::detail {

// A stop request arrives on any thread; asio's signal must be emitted on the I/O thread.
struct AsyncStop {
    boost::asio::cancellation_signal signal;
};

template <class T, class Executor>
struct AsyncRunner<boost::asio::awaitable<T, Executor>> {
    static constexpr bool kIncluded = true;

    // `keep` takes the value and says whether the attempt was still ours; `done` is called once.
    template <class Keep>
    static void run(boost::asio::io_context& io, boost::asio::awaitable<T, Executor> work,
                    const std::shared_ptr<Attempt>& attempt, Keep keep, Work::Done done) {
        // On a strand where the awaitable allows it: with several I/O threads, a cancellation must not run
        // beside the coroutine.
        if constexpr (std::is_constructible_v<Executor, ExecutingOn<Strand>>) {
            run_on(ExecutingOn<Strand>(Strand(io.get_executor()), attempt->execution()),
                   std::move(work), attempt, std::move(keep), std::move(done));
        } else if constexpr (std::is_constructible_v<Executor, Strand>) {
            run_on(Strand(io.get_executor()), std::move(work), attempt, std::move(keep),
                   std::move(done));
        } else {
            run_on(io.get_executor(), std::move(work), attempt, std::move(keep), std::move(done));
        }
    }

private:
    using Strand = boost::asio::strand<boost::asio::io_context::executor_type>;

    template <class On, class Keep>
    static void run_on(On on, boost::asio::awaitable<T, Executor> work,
                       const std::shared_ptr<Attempt>& attempt, Keep keep, Work::Done done) {
        // Shared by the stop callback and the completion, whichever ends last.
        auto stop = std::make_shared<AsyncStop>();
        auto on_stop = [on, weak = std::weak_ptr(stop)] {
            boost::asio::post(on, [weak] {
                if (const auto alive = weak.lock()) {
                    alive->signal.emit(boost::asio::cancellation_type::terminal);
                }
            });
        };
        auto callback =
            std::make_shared<std::stop_callback<decltype(on_stop)>>(attempt->stop_token(), on_stop);
        auto finish = [stop, callback, attempt, keep, done](std::exception_ptr error,
                                                            auto... value) mutable {
            callback.reset();
            bool settled = false;
            if (!error) {
                try {
                    if constexpr (std::is_void_v<T>) {
                        settled = keep(Nothing{});
                    } else if constexpr (sizeof...(value) == 1) {  // clang asks without one, too
                        settled = keep(std::move(value)...);
                    }
                } catch (...) {
                    error = std::current_exception();
                }
            }
            done(settled, error);
        };
        boost::asio::co_spawn(
            on, std::move(work),
            boost::asio::bind_cancellation_slot(stop->signal.slot(), std::move(finish)));
    }
};

}  // namespace belay::detail
