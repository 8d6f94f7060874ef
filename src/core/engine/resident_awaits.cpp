// resident_awaits.cpp — what a run waits for besides time: the end of a child, a message.
//
// The store is asked once when the call begins, and again whenever the run is woken for it: the answer and
// the record of it are one commit. In between the call is paused, like a sleep that no clock ends.
#include <algorithm>
#include <set>

#include "core/engine/expected.hpp"
#include "core/engine/undoing.hpp"

#include "core/engine/bodies.hpp"
#include "core/engine/failure.hpp"
#include "core/engine/new_run.hpp"
#include "core/engine/writer.hpp"

namespace belay::engine {

using belay::detail::CallKind;
using belay::detail::ContextAccess;

namespace {

// More than this are not asked for one by one when it is not known who of them came.
constexpr std::size_t kAskEach = 4;

}  // namespace

void Resident::ask(std::shared_ptr<Call> call) {
    const Time now = services_.now();
    std::optional<Time>& until = call->loop.until;
    if (!call->entry.first_started_at) call->entry.first_started_at = now;
    const belay::detail::AwaitedMessage* message = call->message();
    // Also of one that began long ago and was opened again by a retry: its time begins anew.
    if (message && message->timeout && !until) {
        const bool is_far = *message->timeout > model::kNever - now;
        until = is_far ? model::kNever : now + *message->timeout;
    }
    if (until == model::kNever) until.reset();

    store::Await await;
    await.lease = lease_;
    await.stage = stage_of(*call, StageStatus::Running);
    await.stage.next_attempt_at = until;
    if (belay::detail::AwaitedChild* child = call->child()) {
        try {
            await.start = child_of(*call);
        } catch (const Error&) {
            return failed(call, std::current_exception());
        }
        child->id = await.child_id = await.start->id;
        await.retry_failed = child->retry_failed;
        await.stage.output = to_json(await.child_id);
        wait_for(call);
    } else {
        await.misfit = [call](std::string_view record) { return misfit_of(*call, record); };
        services_.expected.add(call);

        await.topic = message->topic;
        await.until = until;
    }
    enter(*call, CallState::Asking);
    services_.writer.push(std::move(await),
                          [&host = host_, lease = lease_, call](store::Verb& verb) {
                              if (Resident* run = host.find(lease))
                                  run->asked(call, std::get<store::Await>(verb));
                          });
}

void Resident::wait_for(const std::shared_ptr<Call>& call) {
    if (!awaiting_)
        awaiting_ = std::make_unique<std::unordered_map<std::string, std::shared_ptr<Call>>>();
    awaiting_->insert_or_assign(call->path, call);
}

model::NewRun Resident::child_of(const Call& call) const {
    const belay::detail::AwaitedChild& awaited = *call.child();
    SubmitOptions options;
    options.id = awaited.options.id;
    options.delay = awaited.options.delay;
    options.file_id = awaited.options.file_id;
    options.content_hash = awaited.options.content_hash;
    options.queue = awaited.options.queue;
    options.priority = awaited.options.priority;
    options.partition = awaited.options.partition;
    options.labels = awaited.options.labels;
    services_.bodies.check(awaited.workflow, awaited.input, options);
    model::NewRun child =
        new_run(awaited.workflow, awaited.input, options, derived_id(shared_->name(), call.path),
                shared_->organization_id, services_.options.code_version, services_.now());
    if (awaited.options.when_parent_ends == WhenParentEnds::Leave) return child;
    child.parent = lease_.run;
    child.parent_path = call.path;
    if (deadline_) child.deadline_at = deadline_->at;
    return child;
}

void Resident::asked(const std::shared_ptr<Call>& call, store::Await& await) {
    const bool refused_for_cancel =
        std::holds_alternative<store::Refused>(await.outcome) && await.start;
    if (!refused_for_cancel && !still_ours(await.outcome)) return;
    if (belay::detail::AwaitedChild* child = call->child()) child->retry_failed = false;
    if (await.start) services_.bodies.has_submitted();
    // More has happened than we were told of: the others that wait may have missed it.
    const bool missed_something = await.signals > signals_;
    signals_ = std::max(signals_, await.signals);
    const CallState was = call->loop.state;
    if (await.came) {
        if (awaiting_) awaiting_->erase(call->path);
        remove_active(*call);
        if (was == CallState::Losing) return loser_ended(*call);
        ContextAccess::saw(*call->context, *await.stage.finished_at);
        if (await.stage.status == StageStatus::Failed) {
            call->loop.error = failure_of(await.stage);
            has_failed(call->name, call->path);
        } else {
            call->accept(*await.stage.output);
        }
        if (missed_something && may_go_on()) catch_up();
        if (!may_go_on()) return after_turn();
        return answered(call);
    }
    if (was == CallState::Losing) {
        remove_active(*call);
        return loser_ended(*call);
    }
    pause_until(call, call->loop.until.value_or(model::kNever), true);
    if (was == CallState::AskingAgain) ask_paused(call);
    if (missed_something) catch_up();
    after_turn();
}

void Resident::ask_paused(const std::shared_ptr<Call>& call) {
    if (call->loop.state != CallState::Paused || !may_go_on()) return;
    unpause(*call);
    ask(call);
}

void Resident::ask_anew(const std::shared_ptr<Call>& call) {
    if (call->loop.state == CallState::Asking) return enter(*call, CallState::AskingAgain);
    ask_paused(call);
}

void Resident::missed(std::int64_t signals) {
    if (wait_pushed_ || signals <= signals_) return;
    signals_ = signals;
    catch_up();
}

void Resident::woken(const store::Woken& what) {
    if (undoing_) return catch_up();
    // Either the wait is refused for this signal, and everything is asked for again, or the run waits and is
    // due: its claim shows that something was missed.
    if (wait_pushed_) return;
    if (what.signals > signals_ + 1) {
        signals_ = what.signals;
        return catch_up();
    }
    signals_ = std::max(signals_, what.signals);
    if (!what.path.empty()) {
        const auto found = awaiting_ ? awaiting_->find(what.path) : decltype(awaiting_->end()){};
        if (awaiting_ && found != awaiting_->end()) {
            const auto call = found->second;
            return ask_anew(call);
        }
    }
    std::vector<std::shared_ptr<Call>> calls;
    for (const auto& call : active_) {
        if (!awaits(*call)) continue;
        const belay::detail::AwaitedMessage* message = call->message();
        if (call->path == what.path ||
            (message && !what.topic.empty() && message->topic == what.topic)) {
            calls.push_back(call);
        }
    }
    for (const auto& call : calls) ask_anew(call);
}

void Resident::catch_up() {
    if (undoing_) return look_for_children();
    std::vector<std::shared_ptr<Call>> calls;
    for (const auto& call : active_) {
        if (!awaits(*call)) continue;
        if (calls.size() == kAskEach) return look();
        calls.push_back(call);
    }
    for (const auto& call : calls) ask_anew(call);
}

// A replay has come to calls that were waiting: they go on with that, and the store is asked once who is not waited
// for any more.
void Resident::ask_recorded() {
    if (recorded_.empty() || looking_ != Looking::No || !may_go_on()) return;
    if (recorded_.size() > kAskEach) return look();
    for (const auto& call : std::exchange(recorded_, {})) ask_paused(call);
}

void Resident::look() {
    if (looking_ != Looking::No) {
        looking_ = Looking::Again;
        return;
    }
    looking_ = Looking::Once;
    store::Look look;
    look.lease = lease_;
    look.all = !recorded_.empty();
    services_.writer.push(std::move(look), [&host = host_, lease = lease_](store::Verb& verb) {
        Resident* run = host.find(lease);
        if (run == nullptr) return;
        const TurnWatch::Guard guard(host.turns(), *run);
        run->looked(std::get<store::Look>(verb));
    });
}

void Resident::looked(store::Look& look) {
    const bool again = std::exchange(looking_, Looking::No) == Looking::Again;
    if (!still_ours(look.outcome)) return;
    signals_ = std::max(signals_, look.signals);
    std::vector<std::shared_ptr<Call>> calls;
    if (look.all) {
        const std::set<std::pair<std::string, std::string>> open(look.open.begin(),
                                                                 look.open.end());
        for (const auto& call : std::exchange(recorded_, {})) {
            if (!open.contains({call->path, call->child()->id})) calls.push_back(call);
        }
    }
    for (const std::string& path : look.ended) {
        if (!awaiting_) break;
        if (const auto at = awaiting_->find(path); at != awaiting_->end())
            calls.push_back(at->second);
    }
    if (!look.topics.empty()) {
        for (const auto& call : active_) {
            const belay::detail::AwaitedMessage* message = call->message();
            if (message != nullptr && std::find(look.topics.begin(), look.topics.end(),
                                                message->topic) != look.topics.end())
                calls.push_back(call);
        }
    }
    for (const auto& call : calls) ask_anew(call);
    // Something came, and the store does not say what: a worker of an older version ended it, which leaves no mark. Who
    // is still waited for says it.
    const bool is_silent = !look.all && look.ended.empty() && look.topics.empty();
    if (is_silent && awaiting_ && recorded_.empty()) {
        for (const auto& [path, call] : *awaiting_) {
            if (call->loop.state == CallState::Paused) recorded_.push_back(call);
        }
    }
    if (again) catch_up();
    after_turn();
}

}  // namespace belay::engine
