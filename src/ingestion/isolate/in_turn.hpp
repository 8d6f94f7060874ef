// in_turn.hpp — work that waits for its turn at the helper without holding a thread.
//
//   co_await ctx.step("ocr", read_in_turn, with, …);
//   boost::asio::awaitable<OcrDone> read_in_turn(Attempt& attempt, …) {
//       return isolate::in_turn(turns, asker, attempt.stop_token(), [=, &attempt] { return read(attempt, …); });
//   }
//
// Ten thousand scans may wait: they hold none of the threads that other organizations' steps need. With its turn
// the work gets a thread that belongs to the I/O context: when that ends, work that has begun is waited for, so
// what a step may use, this may use.
#pragma once

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <system_error>
#include <thread>
#include <type_traits>
#include <utility>

#include <boost/asio/associated_executor.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/execution/context_as.hpp>
#include <boost/asio/execution_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/query.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "core/base/shortage.hpp"
#include "ingestion/isolate/failure.hpp"
#include "ingestion/isolate/turns.hpp"

namespace belay::isolate {

// Threads for what has its turn, in an I/O context that they do not outlive.
class TurnThreads final : public boost::asio::execution_context::service {
public:
    using key_type = TurnThreads;
    inline static boost::asio::execution_context::id id{};

    explicit TurnThreads(boost::asio::execution_context& context)
        : service(context), threads_(std::max(1u, std::thread::hardware_concurrency()) + 2) {}

    template <class F>
    void post(F work) {
        boost::asio::post(threads_, std::move(work));
    }

private:
    void shutdown() override { threads_.join(); }

    boost::asio::thread_pool threads_;
};

// Who asks for this attempt. It is the run's organization that takes the turn, whatever an input names.
template <class Attempt>
Asker asker_of(const Attempt& attempt, std::string organization, JobKind kind) {
    return {std::move(organization), kind, attempt.run_id(), std::string(attempt.stage()),
            attempt.execution()};
}

// The error that is being handled, which the thread that hears of it must know for the machine's own.
inline std::exception_ptr error_in_turn(std::uint64_t shortages_before) {
    const std::exception_ptr error = std::current_exception();
    if (base::shortages_of_thread() == shortages_before || base::is_shortage(error)) return error;
    try {
        std::rethrow_exception(error);
    } catch (const std::exception& e) {
        return std::make_exception_ptr(
            std::system_error(EAGAIN, std::generic_category(), e.what()));
    } catch (...) {
        return error;
    }
}

// What `body` returns or throws; JobFailed{Stopped} if a stop was requested before its turn came. Jobs that `body`
// gives to the pool of these turns run in this one. `turns` outlives the I/O context.
template <class F, class R = std::invoke_result_t<F&>>
boost::asio::awaitable<R> in_turn(Turns& turns, Asker asker, std::stop_token stop, F body) {
    auto begin = [&turns, asker = std::move(asker), stop = std::move(stop),
                  body = std::move(body)](auto handler) mutable {
        const JobKind kind = asker.kind;
        auto whose = asker.whose;
        const auto executor = boost::asio::get_associated_executor(handler);
        auto& threads = boost::asio::use_service<TurnThreads>(boost::asio::query(
            executor, boost::asio::execution::context_as<boost::asio::execution_context&>));
        // Shared by the told function, which must be copyable, and nobody else.
        auto shared =
            std::make_shared<std::pair<decltype(handler), F>>(std::move(handler), std::move(body));
        const auto end = [shared, executor](std::exception_ptr error, R value) {
            boost::asio::post(executor, [shared, error, value = std::move(value)]() mutable {
                std::move(shared->first)(error, std::move(value));
            });
        };
        turns.ask(std::move(asker), stop, [&threads, shared, end, kind, whose](auto turn) {
            if (!turn) {
                return end(std::make_exception_ptr(JobFailed(
                               FailureCode::Stopped, "stopped while waiting for the media helper")),
                           R{});
            }
            threads.post([shared, end, kind, whose, turn = *std::move(turn)]() mutable {
                static const belay::detail::Execution nobody;
                R value{};
                std::exception_ptr error;
                {
                    const HeldTurn held{std::move(turn), kind};
                    const belay::detail::Executing executing(whose ? *whose : nobody);
                    const std::uint64_t shortages = base::shortages_of_thread();
                    try {
                        value = shared->second();
                    } catch (...) {
                        error = error_in_turn(shortages);
                    }
                }
                end(error, std::move(value));
            });
        });
    };
    return boost::asio::async_initiate<const boost::asio::use_awaitable_t<>,
                                       void(std::exception_ptr, R)>(std::move(begin),
                                                                    boost::asio::use_awaitable);
}

}  // namespace belay::isolate
