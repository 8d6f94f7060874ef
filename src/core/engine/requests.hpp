// requests.hpp — what other processes ask of this engine, through rows of the store.
//
// Who asks so is outside the program (outside.hpp): what a workflow does not let in is refused.
//
// Reading a request does not take it away: it is read until its answer is committed. What it asks for and its answer are
// one commit, so that a request which is lost with its process is found by the next, and is not done twice. Used on the
// Loop lane.
#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include <belay/error.hpp>

#include "core/engine/scheduler.hpp"
#include "core/engine/services.hpp"
#include "core/engine/submissions.hpp"
#include "core/store/batch.hpp"

namespace belay::engine {

// A request whose kind begins so is the one named after it, and its refusal is {"code", "message"} (refusal_of): of a
// belay::Client, whose callers react to codes.
inline constexpr std::string_view kCoded = "client:";
Error refusal_of(const std::string& answer);

class Requests {
public:
    Requests(Services& services, const Workflows& workflows, Scheduler& scheduler,
             Submissions& submissions)
        : services_(services), workflows_(workflows), scheduler_(scheduler),
          submissions_(submissions) {}

    // A kind of request that the program handles: a transaction that is given the request's payload, and
    // whose result is the answer. What it throws is the refusal. Before the first take().
    using Body = std::function<std::string(Tx&, const std::string& payload)>;
    void on(std::string kind, Body body) {
        bodies_.insert_or_assign(std::move(kind), std::move(body));
    }

    // A kind of request that another part of the engine handles: it calls `tell` when it is done. What it
    // throws is the refusal. Before the first take().
    using Tell = std::function<void(bool ok, std::string text)>;
    using Handler = std::function<void(const store::ControlRequest& request, Tell tell)>;
    void handle_with(std::string kind, Handler handler) {
        handlers_.insert_or_assign(std::move(kind), std::move(handler));
    }

    // What rides with the verb that does what is asked: its answer, which `text` makes of what came of it.
    static store::Rider answered_with(const store::ControlRequest& request,
                                      std::function<std::string(const store::Ridden&)> text);

    // The payload of a "submit" request for a run that is asked for now.
    static std::string submit_payload(const belay::detail::Submission& submission, Time now);

    // Handles one that was read elsewhere, unless it is at work.
    void handle(const store::ControlRequest& request);

    // From any thread: reads what is asked and handles it; then calls `done`.
    void take(std::function<void()> done = {});

private:
    void taken(const store::TakeRequests& requests);
    void control(const store::ControlRequest& request, store::ControlKind kind);
    void submit(const store::ControlRequest& request);
    void fork(const store::ControlRequest& request);
    void send(const store::ControlRequest& request);
    void remove(const store::ControlRequest& request);
    void transact(const store::ControlRequest& request, const Body& body);
    void refuse(std::int64_t id, const std::exception_ptr& error);
    void answer(std::int64_t id, bool ok, std::string text,
                ErrorCode code = ErrorCode::InvalidArgument);

    std::string kept_id(const std::string& organization_id, const std::string& chosen);

    Services& services_;
    const Workflows& workflows_;
    Scheduler& scheduler_;
    Submissions& submissions_;
    std::map<std::string, Body, std::less<>> bodies_;
    std::map<std::string, Handler, std::less<>> handlers_;
    std::set<std::int64_t> at_work_;  // taken and not yet answered
    std::set<std::int64_t> coded_;    // of those, whose refusal is told with its code
};

}  // namespace belay::engine
