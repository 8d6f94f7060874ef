#include "core/engine/requests.hpp"
#include "core/engine/expected.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <boost/describe.hpp>
#include <boost/json.hpp>

#include <belay/codec.hpp>
#include <belay/error.hpp>

#include "core/base/saturate.hpp"
#include "core/engine/bodies.hpp"
#include "core/engine/budget_requests.hpp"
#include "core/engine/control.hpp"
#include "core/engine/fork.hpp"
#include "core/engine/new_run.hpp"
#include "core/engine/outside.hpp"
#include "core/engine/writer.hpp"

namespace belay::engine {

namespace {

// The payload of a "submit" request: SubmitOptions, each as far as it is given.
struct SubmitRequest {
    std::string workflow;
    boost::json::value input;
    std::optional<std::string> organization_id;  // the engine's if not given
    std::optional<std::string> source_channel;
    std::optional<bool> retry;
    std::optional<Time> available_at;  // of the delay, when it was asked
    std::optional<Time> deadline_at;
    std::optional<std::string> file_id;
    std::optional<std::string> content_hash;
    std::optional<std::string> queue;
    std::optional<int> priority;
    std::optional<std::string> partition;
    std::optional<std::string> dedupe_id;
    std::optional<Labels> labels;
};
BOOST_DESCRIBE_STRUCT(SubmitRequest, (),
                      (workflow, input, organization_id, source_channel, retry, available_at,
                       deadline_at, file_id, content_hash, queue, priority, partition, dedupe_id,
                       labels))

// How long from now; a time that is over is as soon as can be.
Duration left_until(const std::optional<Time>& at, Time now) {
    if (!at) return Duration{0};
    return std::max(*at - now, Duration{1});
}

// The answer of a coded request that was refused.
struct Refusal {
    std::string code;
    std::string message;
};
BOOST_DESCRIBE_STRUCT(Refusal, (), (code, message))

// The payload of a "send" request.
struct SendRequest {
    std::string topic;
    std::string payload;  // JSON
    std::string dedupe_key;
    std::string organization_id;
};
BOOST_DESCRIBE_STRUCT(SendRequest, (), (topic, payload, dedupe_key, organization_id))

store::ControlKind control_named(const std::string& kind) {
    if (kind == "cancel") return store::ControlKind::Cancel;
    if (kind == "leave") return store::ControlKind::Leave;
    if (kind == "pause") return store::ControlKind::Pause;
    if (kind == "resume") return store::ControlKind::Resume;
    if (kind == kApprovalRequest) return store::ControlKind::Resume;
    if (kind == "retry") return store::ControlKind::Retry;
    throw Error(ErrorCode::InvalidArgument, fmt::format("unknown request `{}`", kind));
}

}  // namespace

void Requests::take(std::function<void()> done) {
    services_.writer.push(store::TakeRequests{}, [this, done = std::move(done)](store::Verb& verb) {
        taken(std::get<store::TakeRequests>(verb));
        if (done) done();
    });
}

void Requests::taken(const store::TakeRequests& requests) {
    for (const store::ControlRequest& request : requests.outcome) handle(request);
    if (static_cast<int>(requests.outcome.size()) == requests.limit) take();
}

void Requests::handle(const store::ControlRequest& asked) {
    if (!at_work_.insert(asked.id).second) return;
    store::ControlRequest request = asked;
    if (request.kind.starts_with(kCoded)) {
        request.kind.erase(0, kCoded.size());
        coded_.insert(request.id);
    }
    try {
        if (request.kind == "submit") return submit(request);
        if (request.kind == "fork") return fork(request);
        if (request.kind == "send") return send(request);
        if (request.kind == "delete") return remove(request);
        if (const auto body = bodies_.find(request.kind); body != bodies_.end()) {
            return transact(request, body->second);
        }
        if (const auto handler = handlers_.find(request.kind); handler != handlers_.end()) {
            return handler->second(request, [this, id = request.id](bool ok, std::string text) {
                answer(id, ok, std::move(text));
            });
        }
        control(request, control_named(request.kind));
    } catch (...) {
        refuse(request.id, std::current_exception());
    }
}

void Requests::refuse(std::int64_t id, const std::exception_ptr& error) {
    try {
        std::rethrow_exception(error);
    } catch (const Error& e) {
        answer(id, false, e.what(), e.code());
    } catch (const std::exception& e) {
        answer(id, false, e.what());
    } catch (...) {
        answer(id, false, "it failed");
    }
}

Error refusal_of(const std::string& answer) {
    const auto told = from_json<Refusal>(answer);
    for (int code = 0; code <= static_cast<int>(ErrorCode::Stopped); ++code) {
        if (told.code == to_string(static_cast<ErrorCode>(code)))
            return Error(static_cast<ErrorCode>(code), told.message);
    }
    return Error(ErrorCode::InvalidArgument, told.message);
}

store::Rider Requests::answered_with(const store::ControlRequest& request,
                                     std::function<std::string(const store::Ridden&)> text) {
    store::Rider rider;
    rider.request = request.id;
    rider.body = [text = std::move(text)](store::SqlTx&, const store::Ridden& told) {
        return text(told);
    };
    return rider;
}

void Requests::control(const store::ControlRequest& request, store::ControlKind kind) {
    const bool approves = request.kind == kApprovalRequest;
    store::Control asked =
        control_of(services_, request.run_id, kind, approves ? "" : request.payload);
    if (approves) {
        asked.approves = approval_of(approval_request(request.run_id, request.payload),
                                     services_.options.organization_id);
    }
    asked.rider = answered_with(request, [](const store::Ridden& told) {
        return std::string(to_string(told.run->status));
    });
    services_.writer.push(std::move(asked), [this, id = request.id](store::Verb& verb) {
        const auto& control = std::get<store::Control>(verb);
        scheduler_.controlled(control);
        const bool ok = control.outcome == store::ControlResult::Done ||
                        control.outcome == store::ControlResult::Requested;
        answer(id, ok,
               control.outcome == store::ControlResult::NotFound ? "no such run"
               : ok ? std::string(to_string(control.run->status))
                    : control.why,
               control.outcome == store::ControlResult::NotFound ? ErrorCode::NotFound
                                                                 : ErrorCode::InvalidArgument);
    });
}

std::string Requests::submit_payload(const belay::detail::Submission& submission, Time now) {
    const SubmitOptions& options = submission.options;
    SubmitRequest request;
    request.workflow = submission.workflow;
    request.input = boost::json::parse(submission.input);
    const auto given = [](const std::string& text) {
        return text.empty() ? std::optional<std::string>() : std::optional(text);
    };
    request.organization_id = given(options.organization_id);
    request.source_channel = given(options.source_channel);
    if (options.retry) request.retry = true;
    if (options.delay > Duration{0}) request.available_at = base::later(now, options.delay);
    if (options.deadline > Duration{0}) request.deadline_at = base::later(now, options.deadline);
    request.file_id = given(options.file_id);
    request.content_hash = given(options.content_hash);
    request.queue = given(options.queue);
    if (options.priority != 0) request.priority = options.priority;
    request.partition = given(options.partition);
    request.dedupe_id = given(options.dedupe_id);
    if (!options.labels.empty()) request.labels = options.labels;
    return to_json(request);
}

void Requests::submit(const store::ControlRequest& request) {
    const auto payload = from_json<SubmitRequest>(request.payload);
    belay::detail::Submission submission;
    submission.workflow = payload.workflow;
    submission.input = to_json(payload.input);
    const std::string organization =
        payload.organization_id.value_or(services_.options.organization_id);
    submission.options.id = kept_id(organization, request.run_id);
    submission.options.organization_id = organization;
    submission.options.source_channel = payload.source_channel.value_or("cli");
    if (!leave_to_first_claim(services_.store, workflows_, submission))
        admit_from_outside(workflows_, submission.workflow, organization, submission.input);
    submission.options.retry = payload.retry.value_or(false);
    submission.options.delay = left_until(payload.available_at, services_.now());
    submission.options.deadline = left_until(payload.deadline_at, services_.now());
    submission.options.file_id = payload.file_id.value_or("");
    submission.options.content_hash = payload.content_hash.value_or("");
    submission.options.queue = payload.queue.value_or("");
    submission.options.priority = payload.priority.value_or(0);
    submission.options.partition = payload.partition.value_or("");
    submission.options.dedupe_id = payload.dedupe_id.value_or("");
    submission.options.labels = payload.labels.value_or(Labels{});
    submissions_.check(submission);
    // Known only when it is prepared, which needs whom to tell.
    const auto run_id = std::make_shared<std::string>();
    std::function<void(std::exception_ptr)> told = [this, request = request.id,
                                                    run_id](std::exception_ptr error) {
        if (!error) return answer(request, true, *run_id);
        refuse(request, error);
    };
    Submissions::Ready ready = submissions_.prepare(
        std::move(submission), true, Promise(std::move(told)), [&request](const std::string&) {
            return answered_with(request, [](const store::Ridden& told) { return told.run->id; });
        });
    *run_id = std::move(ready.id);
    services_.writer.push(std::move(ready.entry.verb), std::move(ready.entry.done));
}

void Requests::fork(const store::ControlRequest& request) {
    ForkOptions options = read_fork_request(request.payload);
    const auto origin = services_.store.find_run(request.run_id);
    const std::string chosen = options.id;
    if (origin) options.id = kept_id(origin->organization_id, chosen);
    if (const auto there = options.id.empty() ? std::nullopt : services_.store.find_run(options.id);
        there && is_fork_made_for(request, *there)) {
        return answer(request.id, true, there->id);
    }
    // The same id however often the request is read, so that it makes one run.
    std::string id = derived_id(request.run_id, fmt::format("fork-{}", request.id));
    options.id = chosen;
    store::Submit submit =
        fork_from_outside(services_.store, workflows_, services_.options.organization_id,
                          {request.run_id, options, std::move(id)}, services_.options.code_version);
    services_.bodies.check_fork(options, submit.run);
    std::function<void(std::exception_ptr)> told =
        [this, request = request.id, made = submit.run.id](std::exception_ptr error) {
            if (!error) return answer(request, true, made);
            refuse(request, error);
        };
    submit.rider = answered_with(request, [](const store::Ridden& told) { return told.run->id; });
    Writer::Entry entry = submissions_.entry(std::move(submit), Promise(std::move(told)));
    services_.writer.push(std::move(entry.verb), std::move(entry.done));
}

void Requests::send(const store::ControlRequest& request) {
    const auto payload = from_json<SendRequest>(request.payload);
    SendOptions options;
    options.organization_id = payload.organization_id;
    // A request may be read twice; its message is one.
    options.dedupe_key =
        payload.dedupe_key.empty() ? fmt::format("request:{}", request.id) : payload.dedupe_key;
    if (options.organization_id.empty())
        options.organization_id = services_.options.organization_id;
    store::Send send;
    send.message = new_message(kept_id(options.organization_id, request.run_id), payload.topic,
                               payload.payload, options, options.organization_id, services_.now());
    if (std::string why = services_.expected.misfit(send.message); !why.empty())
        return answer(request.id, false, std::move(why));
    send.rider = answered_with(request, [](const store::Ridden& told) {
        return std::string(told.duplicate ? "duplicate" : "sent");
    });
    services_.writer.push(std::move(send), [this, id = request.id](store::Verb& verb) {
        const auto& sent = std::get<store::Send>(verb);
        if (sent.lost) return answer(id, false, sent.lost->why);
        const bool ok = sent.outcome != store::SendResult::Refused;
        answer(id, ok,
               !ok                                       ? sent.why
               : sent.outcome == store::SendResult::Sent ? "sent"
                                                         : "duplicate");
    });
}

std::string Requests::kept_id(const std::string& organization_id, const std::string& chosen) {
    if (chosen.empty()) return {};
    return id_from_outside(services_.store, services_.options.organization_id, organization_id,
                           chosen);
}

void Requests::remove(const store::ControlRequest& request) {
    store::Prune prune;
    prune.run_ids.push_back(request.run_id);
    services_.writer.push(std::move(prune), [this, id = request.id](store::Verb& verb) {
        const auto& pruned = std::get<store::Prune>(verb);
        if (pruned.lost) return answer(id, false, pruned.lost->why);
        const auto& outcome = pruned.outcome;
        services_.counters.runs_deleted += static_cast<std::int64_t>(outcome.deleted.size());
        answer(id, outcome.refused.empty(),
               outcome.refused.empty() ? "deleted" : outcome.refused.front().second);
    });
}

void Requests::transact(const store::ControlRequest& request, const Body& body) {
    store::Transact transact;
    transact.body = services_.bodies.of_program(
        [&body, payload = request.payload](Tx& tx) { return body(tx, payload); },
        fmt::format("request_{}", request.id));
    transact.rider = answered_with(request, [](const store::Ridden& told) { return *told.output; });
    services_.writer.push(std::move(transact), [this, id = request.id](store::Verb& verb) {
        const auto& outcome = std::get<store::Transact>(verb).outcome;
        if (const auto* output = std::get_if<std::string>(&outcome))
            return answer(id, true, *output);
        refuse(id, std::get<store::BodyFailed>(outcome).error);
    });
}

void Requests::answer(std::int64_t id, bool ok, std::string text, ErrorCode code) {
    if (!ok && coded_.contains(id)) text = to_json(Refusal{std::string(to_string(code)), text});
    services_.writer.push(store::AnswerRequest{id, ok, std::move(text)}, [this, id](store::Verb&) {
        at_work_.erase(id);
        coded_.erase(id);
    });
}

}  // namespace belay::engine
