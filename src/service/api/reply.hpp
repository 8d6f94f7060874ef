// reply.hpp — an answer that comes later: whoever has it answers once, from any thread, and nobody waits on a thread.
//
// A handler that would wait keeps the Reply and returns; the connection sleeps until somebody answers. Exactly one
// answer counts. A Reply that is dropped unanswered is a failure of ours, which the client is told.
#pragma once

#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <variant>

#include "service/api/response.hpp"

namespace belay::api {

// What was answered, or why not.
using ReplyOutcome = std::variant<Response, std::exception_ptr>;

// The connection's side: what was answered, if anything was; and that nobody waits any more.
class Awaited {
public:
    // `rings` is called once, on whatever thread answers, when there is an outcome.
    explicit Awaited(std::function<void()> rings);
    // Nobody waits any more: whoever asked to be told is.
    ~Awaited();
    Awaited(const Awaited&) = delete;
    Awaited& operator=(const Awaited&) = delete;

    std::optional<ReplyOutcome> take();
    // What a late answer finds: nobody. Returns false if there was an answer already.
    bool give_up();

    class State;
    const std::shared_ptr<State>& state() const { return state_; }

private:
    // Shared with the replies: neither side knows which ends first.
    std::shared_ptr<State> state_;
};

// The handler's side. Copies are the same reply. All functions may be called from any thread.
class Reply {
public:
    explicit Reply(const Awaited& awaited);

    // False if it came too late: it was answered, or nobody waits any more.
    bool answer(Response response) const;
    // As a handler that throws: an ApiError or an Error says what went wrong.
    bool fail(std::exception_ptr error) const;

    // Whether nobody waits any more: the client has gone, or the server stops.
    bool is_gone() const;
    // Called then, once, on the thread that notices; at once if it is so already. It must not block.
    void on_gone(std::function<void()> gone) const;

private:
    class Last;  // answers for all copies when the last of them goes
    std::shared_ptr<Last> last_;
};

}  // namespace belay::api
