#include "engine/core.hpp"

#include <algorithm>
#include <unistd.h>

#include <boost/describe.hpp>
#include <boost/json.hpp>
#include <fmt/format.h>

#include <belay/error.hpp>

#include "base/assert.hpp"
#include "base/failpoint.hpp"
#include "base/limits.hpp"
#include "base/text.hpp"
#include "base/time_ordered_id.hpp"
#include "engine/control.hpp"

namespace belay::engine {

namespace {

// How often an executor looks for what other processes have written.
constexpr Duration kLookOutside{100};

// Workflow code that holds the scheduler for longer than this is named in the log.
constexpr Duration kBlockedLoop{250};

// The payload of a "submit" request.
struct SubmitRequest {
    std::string workflow;
    boost::json::value input;
};
BOOST_DESCRIBE_STRUCT(SubmitRequest, (), (workflow, input))

std::string worker_name(Environment& world) {
    char host[256] = "localhost";
    ::gethostname(host, sizeof(host) - 1);
    return fmt::format("{}/{}/{}", host, ::getpid(), base::to_hex(world.random.next()).substr(0, 8));
}

// A run that is claimed with its submission, as its hook is told of it.
model::Run about_to_start(const model::NewRun& run) {
    model::Run started;
    started.id = run.id;
    started.workflow_key = run.workflow_key;
    started.organization_id = run.organization_id;
    started.file_id = run.file_id;
    started.input = run.input;
    return started;
}

Parts checked(Parts parts) {
    const EngineOptions& options = parts.options;
    const auto need = [](bool holds, const char* option) {
        if (holds) return;
        throw Error(ErrorCode::InvalidArgument, fmt::format("EngineOptions::{} must be at least 1", option));
    };
    need(options.runs_in_memory_max > 0, "runs_in_memory_max");
    need(options.pool_threads_max > 0, "pool_threads_max");
    need(options.io_threads > 0, "io_threads");
    return parts;
}

void check_id(const std::string& id) {
    if (id.size() > base::kRunIdCharsMax) {
        throw Error(ErrorCode::InvalidArgument,
                    fmt::format("a run id has at most {} characters; this one has {}: {}…",
                                base::kRunIdCharsMax, id.size(), id.substr(0, 40)));
    }
}

bool is_store_failure(const std::exception_ptr& error) {
    try {
        std::rethrow_exception(error);
    } catch (const Error& e) {
        return e.code() == ErrorCode::StoreUnavailable;
    } catch (...) {
        return false;
    }
}

}  // namespace

class Core::Answer {
public:
    Answer(Environment& world, std::size_t expected) : world_(world), left_(expected) {}

    // On the Loop lane.
    void give(std::exception_ptr error = nullptr) {
        const std::lock_guard lock(mutex_);
        if (error && !error_) error_ = error;
        --left_;
        if (left_ == 0) changed_.notify_all();
    }

    // On the caller's thread; throws the first error given.
    void wait() {
        std::unique_lock lock(mutex_);
        while (left_ > 0) {
            if (world_.executor.threaded()) {
                changed_.wait(lock);
                continue;
            }
            lock.unlock();
            const bool ran = world_.executor.run_one();
            lock.lock();
            if (!ran && left_ > 0) {
                throw Error(ErrorCode::Stopped, "the engine does not run any more");
            }
        }
        if (error_) std::rethrow_exception(error_);
    }

private:
    Environment& world_;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::size_t left_;
    std::exception_ptr error_;
};

class Core::Promise {
public:
    explicit Promise(std::shared_ptr<Answer> answer) : answer_(std::move(answer)) {}
    // Told instead of a waiting thread: the error, or null.
    explicit Promise(std::function<void(std::exception_ptr)> told) : told_(std::move(told)) {}
    Promise(Promise&&) noexcept = default;
    Promise& operator=(Promise&&) = delete;
    ~Promise() {
        if (answer_) keep(std::make_exception_ptr(Error(ErrorCode::Stopped, "the engine has stopped")));
    }

    void keep(std::exception_ptr error = nullptr) {
        if (told_) return told_(error);
        std::exchange(answer_, nullptr)->give(error);
    }

private:
    std::shared_ptr<Answer> answer_;
    std::function<void(std::exception_ptr)> told_;
};

Core::Core(Parts parts)
    : parts_(checked(std::move(parts))), worker_(worker_name(parts_.world)),
      writer_(*parts_.store, parts_.world, counters_, parts_.log),
      bodies_(parts_.world.clock, parts_.options, workflows_),
      services_{parts_.world, *parts_.store, writer_, bodies_, parts_.options, worker_, counters_, parts_.log,
                parts_.on_attempt ? &parts_.on_attempt : nullptr},
      watchers_(parts_.world), scheduler_(services_, workflows_, watchers_) {
    writer_.set_listener({[this](Writer::FailedBatch failed) { scheduler_.batch_failed(std::move(failed)); },
                          [this] {
                              scheduler_.store_repaired();
                              // What was asked meanwhile: a reopened store has nothing to compare with.
                              take_requests();
                          }, [this] { scheduler_.after_batch(); }});
}

Core::~Core() {
    // Nothing may run any more when the parts go.
    parts_.world.executor.stop();
}

void Core::define(std::unique_ptr<belay::detail::Workflow> workflow) {
    const std::lock_guard lock(mutex_);
    if (started_) {
        throw Error(ErrorCode::InvalidArgument,
                    fmt::format("workflow `{}` is defined after start(); define every workflow before",
                                workflow->key));
    }
    if (workflow->key.empty() || workflow->key.size() > base::kWorkflowNameCharsMax) {
        throw Error(ErrorCode::InvalidArgument,
                    fmt::format("a workflow's key has 1 to {} characters", base::kWorkflowNameCharsMax));
    }
    std::string key = workflow->key;
    if (!workflows_.emplace(key, std::move(workflow)).second) {
        throw Error(ErrorCode::InvalidArgument, fmt::format("workflow `{}` is defined twice", key));
    }
}

void Core::migrate(std::string_view owner, std::vector<std::string> scripts) {
    const std::lock_guard lock(mutex_);
    if (started_) {
        throw Error(ErrorCode::InvalidArgument,
                    fmt::format("migrations of `{}` are given after start(); give them before", owner));
    }
    parts_.store->migrate({std::string(owner), std::move(scripts)});
}

void Core::start() {
    {
        const std::lock_guard lock(mutex_);
        if (started_) return;
        started_ = true;
    }
    // What was asked while nobody executed comes before the first claim.
    writer_.push(store::TakeRequests{}, [this](store::Verb& verb) {
        requests_taken(std::get<store::TakeRequests>(verb));
        scheduler_.start();
    });
    if (parts_.world.executor.threaded()) look_outside();
}

void Core::stop() {
    {
        const std::lock_guard lock(mutex_);
        if (stopping_) return;
        stopping_ = true;
        if (!started_) {
            watchers_.stop();
            parts_.world.executor.stop();
            writer_.close();
            return;
        }
    }
    const auto answer = std::make_shared<Answer>(parts_.world, 1);
    // Shared by the Loop's job and the scheduler's callback, whichever is destroyed last.
    parts_.world.executor.post(env::Lane::Loop, [this, promise = std::make_shared<Promise>(answer)] {
        scheduler_.stop(base::kStopGraceDefault, [promise] { promise->keep(); });
    });
    try {
        answer->wait();
    } catch (const Error& error) {
        // Only in a simulation, whose processes can be killed from outside.
        parts_.log(LogLevel::Warning, "stop_failed", error.what());
    }
    watchers_.stop();
    parts_.world.executor.stop();
    writer_.close();
}

// ---- submitting

void Core::check_submission(const belay::detail::Submission& submission) const {
    if (!workflows_.contains(submission.workflow)) {
        std::string known;
        for (const auto& [key, workflow] : workflows_) known += (known.empty() ? "" : ", ") + key;
        throw Error(ErrorCode::UnknownWorkflow,
                    fmt::format("no workflow `{}` is defined here; defined are: {}", submission.workflow,
                                known.empty() ? "none" : known));
    }
    check_id(submission.options.id);
    if (submission.input.size() > base::kPayloadBytesMax) {
        throw Error(ErrorCode::PayloadTooLarge,
                    fmt::format("the input of workflow `{}` is {} bytes of JSON; a run takes at most {}. Keep "
                                "large data in a file and pass its name.",
                                submission.workflow, submission.input.size(), base::kPayloadBytesMax));
    }
}

store::Submit Core::submit_verb(belay::detail::Submission submission) {
    const Time now = parts_.world.clock.now();
    SubmitOptions& options = submission.options;
    store::Submit submit;
    submit.run.id = options.id.empty()
                        ? base::time_ordered_id(now, parts_.world.random.next(), parts_.world.random.next())
                        : std::move(options.id);
    submit.run.workflow_key = std::move(submission.workflow);
    submit.run.input = std::move(submission.input);
    submit.run.organization_id =
        options.organization_id.empty() ? parts_.options.organization_id : std::move(options.organization_id);
    submit.run.source_channel = std::move(options.source_channel);
    submit.run.file_id = std::move(options.file_id);
    submit.run.content_hash = std::move(options.content_hash);
    submit.run.code_version = parts_.options.code_version;
    if (options.delay > Duration{0}) submit.run.available_at = now + options.delay;
    submit.retry_failed = options.retry;
    if (started_ && options.delay <= Duration{0} && scheduler_.take_room()) {
        submit.claim_as = worker_;
        submit.on_start = bodies_.on_start(about_to_start(submit.run));
    }
    return submit;
}

std::vector<std::string> Core::submit(std::vector<belay::detail::Submission> submissions) {
    if (submissions.empty()) return {};
    std::vector<std::string> ids;
    std::vector<Writer::Entry> entries;
    const auto answer = std::make_shared<Answer>(parts_.world, submissions.size());
    {
        const std::lock_guard lock(mutex_);
        if (stopping_) throw Error(ErrorCode::Stopped, "the engine has stopped: it takes no new runs");
        if (writer_.waiting() > base::kWriterQueueOpsMax) {
            throw Error(ErrorCode::Overloaded,
                        fmt::format("{} writes wait for the store; try again later", writer_.waiting()));
        }
        for (const auto& submission : submissions) check_submission(submission);
        for (auto& submission : submissions) {
            store::Submit submit = submit_verb(std::move(submission));
            ids.push_back(submit.run.id);
            entries.push_back({std::move(submit), [this, promise = Promise(answer)](store::Verb& verb) mutable {
                                   submit_answered(std::get<store::Submit>(verb), std::move(promise));
                               }});
        }
    }
    base::failpoint("submit.before");
    writer_.push_all(std::move(entries));
    answer->wait();
    return ids;
}

void Core::push_submit(store::Submit submit, Promise promise) {
    writer_.push(std::move(submit), [this, promise = std::move(promise)](store::Verb& verb) mutable {
        submit_answered(std::get<store::Submit>(verb), std::move(promise));
    });
}

void Core::submit_answered(store::Submit& submit, Promise promise) {
    if (auto* failed = std::get_if<store::BodyFailed>(&submit.outcome)) {
        const bool by_hook = static_cast<bool>(submit.on_start) && !is_store_failure(failed->error);
        if (!submit.claim_as.empty()) scheduler_.give_back_room();
        if (!by_hook) return promise.keep(failed->error);
        // The run is accepted all the same: the claim will run the hook again, and record its failure.
        submit.claim_as.clear();
        submit.on_start = {};
        submit.outcome = {};
        return push_submit(std::move(submit), std::move(promise));
    }
    const auto& outcome = std::get<store::SubmitOutcome>(submit.outcome);
    scheduler_.submitted(submit);
    if (outcome.kind == store::SubmitKind::Mismatch) {
        return promise.keep(std::make_exception_ptr(
            Error(ErrorCode::InputMismatch,
                  fmt::format("run `{}` exists already, for workflow {} with another input; one id is one run. "
                              "Choose another id, or submit the same input to join it.",
                              submit.run.id, outcome.run.workflow_key))));
    }
    promise.keep();
}

// ---- asking

RunStatus Core::status(const std::string& id) {
    const auto run = parts_.store->find_run(id);
    if (!run) throw Error(ErrorCode::NotFound, fmt::format("there is no run with id `{}`", id));
    return run->status;
}

belay::detail::RunEnd Core::wait(const std::string& id, std::optional<Duration> at_most) {
    if (!started_) {
        const auto run = parts_.store->find_run(id);
        if (run && !is_finished(run->status) && run->status != RunStatus::Paused) {
            throw Error(ErrorCode::InvalidArgument,
                        fmt::format("run `{}` cannot end: this engine was not started. Call start() before you "
                                    "wait for a run.",
                                    id));
        }
    }
    return watchers_.wait(*parts_.store, id, at_most);
}

SqlResult Core::query(std::string_view sql, std::span<const SqlValue> parameters) {
    return parts_.store->query(sql, parameters);
}

std::string Core::transact(std::function<std::string(Tx&)> body) {
    {
        const std::lock_guard lock(mutex_);
        if (stopping_) throw Error(ErrorCode::Stopped, "the engine has stopped");
        if (writer_.waiting() > base::kWriterQueueOpsMax) {
            throw Error(ErrorCode::Overloaded,
                        fmt::format("{} writes wait for the store; try again later", writer_.waiting()));
        }
    }
    const auto answer = std::make_shared<Answer>(parts_.world, 1);
    std::string output;
    store::Transact transact;
    transact.body = bodies_.of_program(
        std::move(body), fmt::format("tx_{}", base::time_ordered_id(parts_.world.clock.now(),
                                                                    parts_.world.random.next(),
                                                                    parts_.world.random.next())));
    writer_.push(std::move(transact), [promise = Promise(answer), &output](store::Verb& verb) mutable {
        auto& outcome = std::get<store::Transact>(verb).outcome;
        if (const auto* failed = std::get_if<store::BodyFailed>(&outcome)) return promise.keep(failed->error);
        output = std::get<std::string>(std::move(outcome));
        promise.keep();
    });
    answer->wait();
    return output;
}

void Core::on_request(std::string kind, RequestBody body) {
    const std::lock_guard lock(mutex_);
    BELAY_ASSERT(!started_, "requests `{}` are handled from after start()", kind);
    request_bodies_.insert_or_assign(std::move(kind), std::move(body));
}

// ---- control

void Core::cancel(const std::string& id, std::string_view reason) {
    control(id, store::ControlKind::Cancel, reason.empty() ? "canceled on request" : reason);
}
void Core::pause(const std::string& id, std::string_view reason) {
    control(id, store::ControlKind::Pause, reason.empty() ? "paused on request" : reason);
}
void Core::resume(const std::string& id) {
    control(id, store::ControlKind::Resume, "");
}
void Core::retry(const std::string& id) {
    control(id, store::ControlKind::Retry, "");
}

store::Control Core::control_verb(const std::string& id, store::ControlKind kind, std::string_view reason) {
    store::Control control = control_of(*parts_.store, id, kind, reason);
    control.on_end = [this](const model::Run& run) { return bodies_.on_end(run); };
    return control;
}

void Core::control(const std::string& id, store::ControlKind kind, std::string_view reason) {
    {
        const std::lock_guard lock(mutex_);
        if (stopping_) throw Error(ErrorCode::Stopped, "the engine has stopped");
    }
    const auto answer = std::make_shared<Answer>(parts_.world, 1);
    auto told = [this, promise = Promise(answer), id](store::Verb& verb) mutable {
        const auto& control = std::get<store::Control>(verb);
        scheduler_.controlled(control);
        if (control.outcome == store::ControlResult::NotFound) {
            promise.keep(std::make_exception_ptr(
                Error(ErrorCode::NotFound, fmt::format("there is no run with id `{}`", id))));
        } else if (control.outcome == store::ControlResult::Refused) {
            promise.keep(std::make_exception_ptr(Error(ErrorCode::InvalidArgument, control.why)));
        } else {
            promise.keep();
        }
    };
    writer_.push(control_verb(id, kind, reason), std::move(told));
    answer->wait();
}

// ---- what other processes ask

void Core::look_outside() {
    parts_.world.executor.post_at(parts_.world.clock.now() + kLookOutside, env::Lane::Commit, [this] {
        {
            const std::lock_guard lock(mutex_);
            if (stopping_) return;
        }
        try {
            if (!writer_.broken() && parts_.store->changed_outside()) take_requests();
        } catch (const Error& error) {
            parts_.log(LogLevel::Warning, "look_outside_failed", error.what());
        }
        notice_blocked_loop();
        look_outside();
    });
}

void Core::take_requests() {
    writer_.push(store::TakeRequests{}, [this](store::Verb& verb) {
        requests_taken(std::get<store::TakeRequests>(verb));
    });
}

void Core::requests_taken(const store::TakeRequests& requests) {
    for (const store::ControlRequest& request : requests.outcome) handle_request(request);
    if (static_cast<int>(requests.outcome.size()) == requests.limit) take_requests();
}

void Core::handle_request(const store::ControlRequest& request) {
    // Reading a request does not take it away: it may be read again before its answer is committed.
    if (!requests_at_work_.insert(request.id).second) return;
    try {
        if (request.kind == "submit") return request_submit(request);
        if (const auto body = request_bodies_.find(request.kind); body != request_bodies_.end())
            return request_transact(request, body->second);
        const auto kind = request.kind == "cancel"   ? store::ControlKind::Cancel
                          : request.kind == "pause"  ? store::ControlKind::Pause
                          : request.kind == "resume" ? store::ControlKind::Resume
                          : request.kind == "retry"
                              ? store::ControlKind::Retry
                              : throw Error(ErrorCode::InvalidArgument,
                                            fmt::format("unknown request `{}`", request.kind));
        writer_.push(control_verb(request.run_id, kind, request.payload),
                     [this, id = request.id](store::Verb& verb) {
                         const auto& control = std::get<store::Control>(verb);
                         scheduler_.controlled(control);
                         const bool ok = control.outcome == store::ControlResult::Done ||
                                         control.outcome == store::ControlResult::Requested;
                         answer_request(id, ok,
                                        control.outcome == store::ControlResult::NotFound ? "no such run"
                                        : ok ? std::string(to_string(control.run->status))
                                             : control.why);
                     });
    } catch (const std::exception& error) {
        answer_request(request.id, false, error.what());
    }
}

void Core::request_submit(const store::ControlRequest& request) {
    const auto payload = from_json<SubmitRequest>(request.payload);
    belay::detail::Submission submission;
    submission.workflow = payload.workflow;
    submission.input = to_json(payload.input);
    submission.options.id = request.run_id;
    submission.options.source_channel = "cli";
    check_submission(submission);
    store::Submit submit = submit_verb(std::move(submission));
    std::function<void(std::exception_ptr)> told = [this, request = request.id,
                                                    run = submit.run.id](std::exception_ptr error) {
        if (!error) return answer_request(request, true, run);
        try {
            std::rethrow_exception(error);
        } catch (const std::exception& e) {
            answer_request(request, false, e.what());
        } catch (...) {
            answer_request(request, false, "its on_start hook failed");
        }
    };
    push_submit(std::move(submit), Promise(std::move(told)));
}

void Core::request_transact(const store::ControlRequest& request, const RequestBody& body) {
    store::Transact transact;
    transact.body = bodies_.of_program([&body, payload = request.payload](Tx& tx) { return body(tx, payload); },
                                       fmt::format("request_{}", request.id));
    writer_.push(std::move(transact), [this, id = request.id](store::Verb& verb) {
        const auto& outcome = std::get<store::Transact>(verb).outcome;
        if (const auto* output = std::get_if<std::string>(&outcome)) return answer_request(id, true, *output);
        try {
            std::rethrow_exception(std::get<store::BodyFailed>(outcome).error);
        } catch (const std::exception& error) {
            answer_request(id, false, error.what());
        } catch (...) {
            answer_request(id, false, "it failed");
        }
    });
}

void Core::answer_request(std::int64_t id, bool ok, std::string text) {
    writer_.push(store::AnswerRequest{id, ok, std::move(text)},
                 [this, id](store::Verb&) { requests_at_work_.erase(id); });
}

void Core::notice_blocked_loop() {
    const auto turn = scheduler_.turn_under_way();
    if (!turn || turn->since == warned_turn_) return;
    if (parts_.world.clock.now() - turn->since < kBlockedLoop) return;
    warned_turn_ = turn->since;
    ++counters_.loop_blocked;
    parts_.log(LogLevel::Warning, "loop_blocked",
               fmt::format("workflow {} (run `{}`) has been holding up all other runs for more than {}: its code "
                           "blocks between steps. Put what blocks into a step.",
                           turn->workflow_key, turn->run_id, base::format_duration(kBlockedLoop)));
}

}  // namespace belay::engine
