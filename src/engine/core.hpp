// core.hpp — the engine: its parts put together, and its door for other threads.
//
// Callers come from any thread and wait here; the parts live on the Loop lane and never wait. With an
// executor that has no threads (simulation) a caller that waits drives it instead.
#pragma once

#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include <belay/engine.hpp>

#include "engine/bodies.hpp"
#include "engine/scheduler.hpp"
#include "engine/services.hpp"
#include "engine/watchers.hpp"
#include "engine/writer.hpp"

namespace belay::engine {

// What an engine is made of. `keep` holds whatever must live as long as the engine does (the owners of
// the clock, the random numbers and the executor).
struct Parts {
    std::unique_ptr<store::Store> store;
    Environment world;
    EngineOptions options;
    Log log;
    std::shared_ptr<void> keep;
    AttemptObserver on_attempt{};
};

class Core final : public belay::detail::EnginePort {
public:
    explicit Core(Parts parts);
    ~Core() override;

    void define(std::unique_ptr<belay::detail::Workflow> workflow) override;
    void migrate(std::string_view owner, std::vector<std::string> scripts) override;
    void start() override;
    void stop() override;
    std::vector<std::string> submit(std::vector<belay::detail::Submission> submissions) override;
    RunStatus status(const std::string& id) override;
    belay::detail::RunEnd wait(const std::string& id, std::optional<Duration> at_most) override;
    void cancel(const std::string& id, std::string_view reason) override;
    void pause(const std::string& id, std::string_view reason) override;
    void resume(const std::string& id) override;
    void retry(const std::string& id) override;
    SqlResult query(std::string_view sql, std::span<const SqlValue> parameters) override;
    std::string transact(std::function<std::string(Tx&)> body) override;

    // Handles requests of other processes of that kind (`belay tokens create` asks so): a transaction that
    // is given the request's payload, and whose result is the answer. What it throws is the refusal. Give
    // them before start().
    using RequestBody = std::function<std::string(Tx&, const std::string& payload)>;
    void on_request(std::string kind, RequestBody body);

    const Counters& counters() const { return counters_; }
    store::Store& store() { return *parts_.store; }
    std::size_t verbs_waiting() const { return writer_.waiting(); }

private:
    // Waits, on the calling thread, for something that the Loop lane will say; and its other end, which says
    // that the engine has stopped if it is destroyed without having said anything.
    class Answer;
    class Promise;

    void check_submission(const belay::detail::Submission& submission) const;
    store::Submit submit_verb(belay::detail::Submission submission);
    void push_submit(store::Submit submit, Promise promise);
    void submit_answered(store::Submit& submit, Promise promise);
    store::Control control_verb(const std::string& id, store::ControlKind kind, std::string_view reason);
    void control(const std::string& id, store::ControlKind kind, std::string_view reason);
    void look_outside();
    void take_requests();
    void requests_taken(const store::TakeRequests& requests);
    void handle_request(const store::ControlRequest& request);
    void request_submit(const store::ControlRequest& request);
    void request_transact(const store::ControlRequest& request, const RequestBody& body);
    void answer_request(std::int64_t id, bool ok, std::string text);
    void notice_blocked_loop();

    Parts parts_;
    std::string worker_;
    Counters counters_;
    Workflows workflows_;
    std::map<std::string, RequestBody, std::less<>> request_bodies_;
    Writer writer_;
    Bodies bodies_;
    Services services_;
    Watchers watchers_;
    Scheduler scheduler_;

    std::mutex mutex_;  // guards the next two
    std::atomic<bool> started_{false};
    bool stopping_ = false;
    std::optional<Time> warned_turn_;         // on the Commit lane
    std::set<std::int64_t> requests_at_work_;  // taken and not yet answered; on the Loop lane
};

}  // namespace belay::engine
