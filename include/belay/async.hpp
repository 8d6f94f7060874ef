// async.hpp — steps that wait without holding a thread: functions that return asio::awaitable.
//
//     boost::asio::awaitable<Reply> ask(belay::Attempt& attempt, const Question& question);
//     auto reply = co_await ctx.step("ask", ask, question);
//
// They run on the engine's I/O threads. When their attempt times out or their run is canceled, the
// operation they wait for is canceled (asio's terminal cancellation).
//
// And runs whose results are awaited without a thread, in any asio program:
//     const int total = co_await run.result(boost::asio::use_awaitable);
#pragma once

#include <exception>
#include <memory>
#include <stop_token>
#include <type_traits>
#include <utility>

#include <boost/asio/associated_executor.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <belay/detail/executing.hpp>
#include <belay/runs.hpp>
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

// Run::result(use_awaitable): the coroutine goes on where it was, when the run is over. Its executor has work until then.
template <class Executor>
struct AsyncResult<boost::asio::use_awaitable_t<Executor>> {
    static constexpr bool kIncluded = true;

    template <class R, class Token>
    static auto start(const Run<R>& run, Token&& token) {
        if constexpr (std::is_void_v<R>) {
            return boost::asio::async_initiate<Token, void(std::exception_ptr)>(
                [run](auto handler) {
                    run.result([resume = resumer(std::move(handler))](
                                   std::exception_ptr error) mutable { resume(error); });
                },
                token);
        } else {
            return boost::asio::async_initiate<Token, void(std::exception_ptr, R)>(
                [run](auto handler) {
                    run.result([resume = resumer(std::move(handler))](std::exception_ptr error,
                                                                      R value) mutable {
                        resume(error, std::move(value));
                    });
                },
                token);
        }
    }

private:
    template <class Handler>
    static auto resumer(Handler handler) {
        auto executor = boost::asio::get_associated_executor(handler);
        // Shared by copies of a callback that is called once; the handler can only be moved.
        return [shared = std::make_shared<Handler>(std::move(handler)), executor,
                work = boost::asio::make_work_guard(executor)](auto... values) mutable {
            boost::asio::post(executor, [shared, values...]() mutable {
                std::move (*shared)(std::move(values)...);
            });
            work.reset();
        };
    }
};

}  // namespace belay::detail
