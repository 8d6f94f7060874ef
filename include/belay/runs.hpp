// runs.hpp — what can be asked about runs: submit them, find them, wait, change them, send to them, ask them.
//
// An Engine (engine.hpp) executes runs, and takes these calls for its own; a Client (client.hpp) asks whoever executes.
// All may be called from any thread. A Run is a handle: a copy is the same run.
#pragma once

#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <boost/json/value.hpp>

#include <belay/codec.hpp>
#include <belay/control.hpp>
#include <belay/detail/run_types.hpp>
#include <belay/error.hpp>
#include <belay/options.hpp>
#include <belay/status.hpp>
#include <belay/step.hpp>
#include <belay/workflow.hpp>

namespace belay {

namespace detail {

struct Submission {
    std::string workflow{};
    std::string input{};  // JSON
    SubmitOptions options;
    const RunTypes* types = nullptr;  // as the program's code asks; null: from outside
};

struct RunEnd {
    RunStatus status = RunStatus::Running;
    std::string result{};  // JSON
    std::string error{};
    std::string code{};  // of the recorded failure, an ErrorCode's name

    // Whether there is nothing to wait for: whoever paused a run lets it go on, but one that was paused for what
    // it did stays so.
    bool is_over() const {
        const bool on_request = code == to_string(ErrorCode::RunPaused);
        return is_finished(status) || (status == RunStatus::Paused && !on_request);
    }
};

class RunsPort {
public:
    virtual ~RunsPort() = default;
    // Gives the ids. Throws the first error; what was accepted before it stays accepted.
    virtual std::vector<std::string> submit(std::vector<Submission> submissions) = 0;
    virtual RunStatus status(const std::string& id) = 0;
    virtual RunEnd wait(const std::string& id, std::optional<Duration> at_most) = 0;
    // Tells once, from a thread of its own, when there is nothing to wait for, or why nobody can wait.
    using TellEnd = std::function<void(std::exception_ptr error, RunEnd end)>;
    virtual void when_over(const std::string& id, TellEnd tell) = 0;
    virtual void cancel(const std::string& id, const CancelOptions& options) = 0;
    virtual void pause(const std::string& id, std::string_view reason) = 0;
    virtual void resume(const std::string& id) = 0;
    virtual void retry(const std::string& id) = 0;
    virtual void send(const std::string& id, std::string_view topic, std::string payload,
                      const SendOptions& options) = 0;
    virtual RunList list(const RunQuery& query, const ListOptions& options) = 0;
    virtual Labels labels(const std::string& id) = 0;
    virtual std::map<std::string, std::string> exposed(const std::string& id) = 0;  // JSON
    // The answer, as JSON.
    virtual std::string ask(const std::string& id, std::string_view name, std::string question,
                            Duration at_most) = 0;
};

// Throws RunFailed, RunCanceled, RunPaused, CrashLoop, UndoFailed or BudgetReached for a run that did not succeed.
void throw_unless_succeeded(const std::string& id, const RunEnd& end);

template <class R>
R result_of(const std::string& id, const RunEnd& end) {
    throw_unless_succeeded(id, end);
    if constexpr (!std::is_void_v<R>) {
        try {
            return from_json<R>(end.result);
        } catch (const Error& error) {
            throw Error(error.code(),
                        "the result of run `" + id +
                            "` does not fit the type it was asked for as: " + error.what());
        }
    }
}

template <class Done, class R>
inline constexpr bool kTakesResult = std::is_invocable_v<Done&, std::exception_ptr, R>;
template <class Done>
inline constexpr bool kTakesResult<Done, void> = std::is_invocable_v<Done&, std::exception_ptr>;

// Calls `done` with the result or with why there is none. Shared by its copies, because `done` may be movable only.
template <class Done, class R>
struct TellResult {
    explicit TellResult(Done given) : done(std::make_shared<Done>(std::move(given))) {}

    void operator()(const std::string& id, std::exception_ptr error, const RunEnd& end) const {
        if constexpr (std::is_void_v<R>) {
            if (!error) error = caught([&] { result_of<R>(id, end); });
            (*done)(error);
        } else {
            R value{};
            if (!error) error = caught([&] { value = result_of<R>(id, end); });
            (*done)(error, std::move(value));
        }
    }

    std::shared_ptr<Done> done;

private:
    template <class F>
    static std::exception_ptr caught(F f) {
        try {
            f();
        } catch (...) {
            return std::current_exception();
        }
        return nullptr;
    }
};

// What else result() takes; async.hpp says what.
template <class Token>
struct AsyncResult {
    static constexpr bool kIncluded = false;
};

template <class T>
std::optional<T> exposed_in(const std::map<std::string, std::string>& values,
                            std::string_view name) {
    const auto found = values.find(std::string(name));
    if (found == values.end()) return std::nullopt;
    return from_json<T>(found->second);
}

}  // namespace detail

// How long a question waits for its answer unless it says otherwise.
inline constexpr Duration kAskAtMost = std::chrono::seconds(5);

// A run that exists, durably. A copy is the same run; it may outlive the Engine or Client, whose end
// it then reports as Error{Stopped}.
template <class R = boost::json::value>
class Run {
public:
    Run(std::shared_ptr<detail::RunsPort> port, std::string id)
        : port_(std::move(port)), id_(std::move(id)) {}

    const std::string& id() const { return id_; }

    // As recorded in the store now.
    RunStatus status() const { return port_->status(id_); }

    // Waits for the end, also while somebody has paused the run. Throws Error{RunFailed}, {RunCanceled} or, when
    // the run was paused for what it did and nobody will lift that unasked, {RunPaused} (its code diverged, its
    // on_end hook keeps failing), {CrashLoop} or {BudgetReached}; the message is the recorded reason.
    R result() const { return detail::result_of<R>(id_, port_->wait(id_, std::nullopt)); }

    // The same without a thread that waits. `done(std::exception_ptr, R)`, for a Run<void> `done(std::exception_ptr)`,
    // is called once, on a thread of the engine's pool or of the client: with the result, or with what result()
    // would have thrown and a default R. With <belay/async.hpp> also co_await run.result(boost::asio::use_awaitable).
    template <class Done>
    auto result(Done&& done) const {
        using D = std::decay_t<Done>;
        if constexpr (detail::kTakesResult<D, R>) {
            port_->when_over(
                id_,
                [id = id_, tell = detail::TellResult<D, R>(D(std::forward<Done>(done)))](
                    std::exception_ptr error, const detail::RunEnd& end) { tell(id, error, end); });
        } else {
            static_assert(detail::AsyncResult<D>::kIncluded,
                          "belay: result(done) calls done(std::exception_ptr, R). For co_await "
                          "run.result(boost::asio::use_awaitable) #include <belay/async.hpp>.");
            return detail::AsyncResult<D>::start(*this, std::forward<Done>(done));
        }
    }

    // Waits at most `duration`; true if result() would not wait any more by then.
    bool wait_for(Duration duration) const { return port_->wait(id_, duration).is_over(); }

    // What it is labeled with, as recorded now: at its submission, and by ctx.label.
    Labels labels() const { return port_->labels(id_); }

    // What it has exposed under that name (Context::expose) and committed; nothing if there is none. Wakes nobody, and
    // stays as it was when the run has ended. Throws Error{BadValue} if it is no T.
    template <class T = boost::json::value>
    std::optional<T> exposed(std::string_view name) const {
        return detail::exposed_in<T>(port_->exposed(id_), name);
    }

    // As Runs::ask.
    template <class A = boost::json::value, class Q>
    requires(!std::is_convertible_v<const Q&, Duration>) A
        ask(std::string_view name, const Q& question, Duration at_most = kAskAtMost)
    const { return from_json<A>(port_->ask(id_, name, to_json(question), at_most)); }
    template <class A = boost::json::value>
    A ask(std::string_view name, Duration at_most = kAskAtMost) const {
        return from_json<A>(port_->ask(id_, name, "null", at_most));
    }

private:
    // Shared with the Engine or Client: neither knows which of them ends first.
    std::shared_ptr<detail::RunsPort> port_;
    std::string id_{};
};

// The base of Engine and Client; used through them.
class Runs {
public:
    // Durable when it returns. One id, one run (P3): the same id again joins the run or gives its result;
    // with another workflow or input it throws Error{InputMismatch}. Throws {UnknownWorkflow},
    // {InvalidArgument} for an id that is too long, {PayloadTooLarge}, {Overloaded} while too much waits for
    // the store, {StoreUnavailable} if the store cannot be written (the run was not accepted), {CommitUnknown}
    // if it may have been accepted (ask again with the same id), {Stopped}; {BadValue} if the input does not fit
    // the workflow, or a result of it can never be an R.
    template <class R = boost::json::value, class In>
    requires(!std::is_same_v<In, SubmitOptions>) Run<R> submit(std::string_view workflow,
                                                               const In& input,
                                                               const SubmitOptions& options = {}) {
        return Run<R>{port_, submit_one({std::string(workflow), to_json(input), options,
                                         &detail::kAskedTypes<In, R>})};
    }
    // A workflow without input.
    template <class R = boost::json::value>
    Run<R> submit(std::string_view workflow, const SubmitOptions& options = {}) {
        return Run<R>{port_, submit_one({std::string(workflow), "null", options,
                                         &detail::kAskedTypes<boost::json::value, R>})};
    }

    // By a handle (workflow.hpp): the types are the workflow's, and others do not compile.
    template <class In, class Out>
    Run<Out> submit(const Workflow<In, Out>& workflow, const std::type_identity_t<In>& input,
                    const SubmitOptions& options = {}) {
        return submit<Out, In>(workflow.key(), input, options);
    }
    template <class In, class Out, class Given>
    requires(!detail::kFits<Given, In> && !std::is_same_v<Given, SubmitOptions>) Run<Out> submit(
        const Workflow<In, Out>&, const Given& input, const SubmitOptions& = {}) {
        static_cast<void>(detail::typed_input<In>(input));
        return Run<Out>{port_, {}};
    }
    template <class Out>
    Run<Out> submit(const Workflow<void, Out>& workflow, const SubmitOptions& options) {
        return submit<Out>(workflow.key(), options);
    }
    template <class In, class Out>
    Run<Out> submit(const Workflow<In, Out>& workflow) {
        detail::require_no_input<In>();
        return submit<Out>(workflow.key());
    }

    // Many at once, in one commit or a few; durable when it returns. Throws as submit() does: what can be
    // checked is checked first, and then nothing is accepted. If the store fails in the middle, the first error
    // is thrown and those before it may have been accepted; their ids are new ones, so asking again makes new
    // runs.
    // `options` are those of each; an id in them would make all of them one run.
    template <class R = boost::json::value, class In>
    std::vector<Run<R>> submit_many(std::string_view workflow, const std::vector<In>& inputs,
                                    const SubmitOptions& options = {}) {
        std::vector<detail::Submission> submissions;
        submissions.reserve(inputs.size());
        for (const In& input : inputs)
            submissions.push_back(
                {std::string(workflow), to_json(input), options, &detail::kAskedTypes<In, R>});
        std::vector<Run<R>> runs;
        runs.reserve(inputs.size());
        for (std::string& id : port_->submit(std::move(submissions)))
            runs.emplace_back(port_, std::move(id));
        return runs;
    }
    template <class In, class Out>
    std::vector<Run<Out>> submit_many(const Workflow<In, Out>& workflow,
                                      const std::vector<std::type_identity_t<In>>& inputs,
                                      const SubmitOptions& options = {}) {
        return submit_many<Out>(workflow.key(), inputs, options);
    }

    // The run of that id, submitted now, earlier or by another process. Throws Error{NotFound}.
    template <class R = boost::json::value>
    Run<R> find(std::string id) {
        port_->status(id);
        return Run<R>{port_, std::move(id)};
    }
    template <class In, class Out>
    Run<Out> find(const Workflow<In, Out>&, std::string id) {
        return find<Out>(std::move(id));
    }

    // The next four are durable when they return. They throw Error{NotFound}, {InvalidArgument} if the run
    // stands so that it cannot be done (the message says how it stands) or its on_end hook threw,
    // {StoreUnavailable} if the store cannot be written and nothing was changed, {CommitUnknown} if it may have
    // been, {Stopped}.

    // Ends a run that has not ended, as canceled. One that is running is asked to stop: it ends at its next step
    // boundary, its steps under way hear of it by their stop token. What it did is undone first where its steps say
    // how (Step::undo), and stays done otherwise. A run that is being undone already is not canceled again, unless
    // with `undo = false`: then it ends at once, and what is left of it stays.
    void cancel(const std::string& id, std::string_view reason = {}) {
        port_->cancel(id, {.reason = std::string(reason)});
    }
    void cancel(const std::string& id, const CancelOptions& options) { port_->cancel(id, options); }
    // Keeps a run from going on until resume(). One that is running pauses at its next step boundary.
    void pause(const std::string& id, std::string_view reason = {}) { port_->pause(id, reason); }
    // Lets a paused run go on, whoever or whatever paused it, or takes back a pause that has not taken effect.
    void resume(const std::string& id) { port_->resume(id); }
    // Runs a failed or canceled run again from the step that failed; what succeeded is not run again. Refused of a run
    // whose steps were undone: fork it from before the first of them.
    void retry(const std::string& id) { port_->retry(id); }

    // Sends a message to a run, which reads it with ctx.receive: once, in the order sent, whether it asks
    // before or after, and also if it does not exist yet. Durable when it returns. Throws
    // Error{InvalidArgument} if the run has ended or has too many unread messages, {PayloadTooLarge}.
    template <class T>
    void send(const std::string& id, std::string_view topic, const T& value,
              const SendOptions& options = {}) {
        port_->send(id, topic, to_json(value), options);
    }

    // ---- looking and asking

    // Runs as they are recorded now, newest first; `options` say how many, and where to go on.
    RunList list(const RunQuery& query = {}, const ListOptions& options = {}) {
        return port_->list(query, options);
    }

    // As Run::exposed. Throws Error{NotFound} for the run.
    template <class T = boost::json::value>
    std::optional<T> exposed(const std::string& id, std::string_view name) {
        return detail::exposed_in<T>(port_->exposed(id), name);
    }

    // The answer of a handler that the run's code has registered (Context::answer), now, without changing the run: on
    // whichever worker it is, and also while it sleeps or has left memory, for which it is woken. After its end it is
    // what the run exposed under that name. Throws Error{NotFound} for the run, {NoAnswer} with a sentence if it is
    // paused, queued, has no such handler or does not answer within `at_most`, and what the handler threw as
    // {InvalidArgument}. A run in a queue waits for its turn there before it can answer.
    template <class A = boost::json::value, class Q>
    requires(!std::is_convertible_v<const Q&, Duration>) A
        ask(const std::string& id, std::string_view name, const Q& question,
            Duration at_most = kAskAtMost) {
        return from_json<A>(port_->ask(id, name, to_json(question), at_most));
    }
    template <class A = boost::json::value>
    A ask(const std::string& id, std::string_view name, Duration at_most = kAskAtMost) {
        return from_json<A>(port_->ask(id, name, "null", at_most));
    }

protected:
    explicit Runs(std::shared_ptr<detail::RunsPort> port) : port_(std::move(port)) {}
    ~Runs() = default;

private:
    std::string submit_one(detail::Submission submission) {
        std::vector<detail::Submission> one;
        one.push_back(std::move(submission));
        return std::move(port_->submit(std::move(one)).front());
    }

    std::shared_ptr<detail::RunsPort> port_;
};

}  // namespace belay
