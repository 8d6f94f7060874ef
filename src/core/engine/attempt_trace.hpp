// attempt_trace.hpp — the trace of an attempt under way: read from the store when somebody asks for it, once.
//
// Steps that nobody traces and that ask nobody cost nothing. For sync steps it is the calling thread's
// (base::TraceScope); an async step goes on on other threads, so it travels with its Attempt, in what says whose code
// those execute.
#pragma once

#include <mutex>
#include <optional>

#include <belay/attempt.hpp>
#include <belay/detail/executing.hpp>

#include "core/base/trace_context.hpp"
#include "core/store/store.hpp"

namespace belay::engine {

class AttemptTrace final : public base::TraceSource {
public:
    // The store outlives it, and so does `attempt`.
    AttemptTrace(store::Store& store, store::RunNo run, const Attempt& attempt)
        : store_(store), run_(run), attempt_(attempt) {}

    // Empty if nobody traces; a store that cannot be read now is nobody, too. From any thread.
    base::TraceHeaders headers() const override;

private:
    base::TraceHeaders read() const;

    store::Store& store_;
    const store::RunNo run_;
    const Attempt& attempt_;
    mutable std::mutex mutex_;
    mutable std::optional<base::TraceHeaders> known_{};
};

// What the engine gives every async attempt to execute under (Attempt::executes).
struct TracedExecution : belay::detail::Execution {
    TracedExecution(belay::detail::Execution whose, store::Store& store, const Attempt& attempt)
        : Execution(std::move(whose)), trace(store, store::RunNo{run}, attempt) {}

    AttemptTrace trace;
};

}  // namespace belay::engine
