// await.cpp — the memory store's Await and Send: children, messages, and who is woken by them.
#include <algorithm>
#include <set>

#include "core/base/limits.hpp"
#include "core/store/child_end.hpp"
#include "core/store/memory/batch_pass.hpp"

namespace belay::store::memory {

void BatchPass::apply(Await& verb) {
    verb.came = false;
    const model::Run* run = held(verb.lease);
    if (run == nullptr) {
        verb.outcome = Fenced{};
        return;
    }
    if (verb.child_id.empty()) {
        verb.outcome = await_message(verb);
    } else if (verb.start && run->cancel_requested) {
        verb.outcome = Refused{"a cancel is requested"};
    } else {
        verb.outcome = await_child(verb);
    }
    verb.signals = tables_.run(verb.lease.run)->signals;
}

WriteOutcome BatchPass::await_child(Await& verb) {
    verb.started.reset();
    if (verb.start) verb.started = submit(*verb.start, verb.retry_failed, "").kind;
    if (verb.started == SubmitKind::Mismatch) {
        record_mismatch(verb.stage, verb.child_id, now_);
        return record_await(verb, true);
    }
    if (verb.started == SubmitKind::UnknownQueue) {
        record_unknown_queue(verb.stage, verb.start->queue, now_);
        return record_await(verb, true);
    }
    const model::Run* found = tables_.run(verb.child_id);
    const auto child = found == nullptr ? std::nullopt : std::optional{*found};
    if (record_child_end(verb.stage, verb.child_id, child, now_)) {
        if (child) tables_.remove_came(verb.lease.run, child->no, verb.stage.path);
        return record_await(verb, true);
    }
    tables_.remove_came(verb.lease.run, child->no, verb.stage.path);
    tables_.add_waiter(child->no, verb.lease.run, verb.stage.path);
    model::Run awaited = *child;
    awaited.is_awaited = true;
    tables_.put_run(awaited);
    return record_await(verb, false);
}

WriteOutcome BatchPass::await_message(Await& verb) {
    const model::Run& run = *tables_.run(verb.lease.run);
    const Message* found = nullptr;
    for (const auto& [id, message] : tables_.messages()) {
        const bool is_ours = message.sent.run_id == run.id && message.sent.topic == verb.topic &&
                             message.sent.organization_id == run.organization_id;
        const bool is_over = message.sent.expires_at && *message.sent.expires_at <= now_;
        if (found != nullptr || !is_ours || is_over || message.is_read) continue;
        std::string misfit =
            verb.misfit ? verb.misfit("[" + message.sent.payload + "]") : std::string();
        if (misfit.empty()) {
            found = &message;
        } else {
            tables_.read_message(id, now_, std::move(misfit));
        }
    }
    if (found == nullptr && !(verb.until && *verb.until <= now_)) return record_await(verb, false);
    verb.stage.output = found == nullptr ? "[]" : "[" + found->sent.payload + "]";
    verb.stage.status = StageStatus::Succeeded;
    verb.stage.finished_at = now_;
    verb.stage.next_attempt_at.reset();
    const auto id = found == nullptr ? 0 : found->id;
    const WriteOutcome outcome = record_await(verb, true);
    if (id != 0 && verb.came) tables_.read_message(id, now_);
    return outcome;
}

WriteOutcome BatchPass::record_await(Await& verb, bool came) {
    if (auto refused = record(verb.lease.run, verb.stage)) return *refused;
    model::Run run = *tables_.run(verb.lease.run);
    run.current_stage = verb.stage.stage_key;
    tables_.put_run(run);
    verb.came = came;
    return Applied{};
}

void BatchPass::apply(Look& verb) {
    verb.ended.clear();
    verb.topics.clear();
    verb.open.clear();
    const model::Run* run = held(verb.lease);
    if (run == nullptr) {
        verb.outcome = Fenced{};
        return;
    }
    verb.signals = run->signals;
    for (const auto& [no, path] : tables_.came(run->no)) {
        verb.ended.push_back(path);
        tables_.remove_came(run->no, no, path);
    }
    std::set<std::string> topics;
    for (const auto& [id, message] : tables_.messages()) {
        if (message.sent.run_id == run->id && !message.is_read) topics.insert(message.sent.topic);
    }
    verb.topics.assign(topics.begin(), topics.end());
    if (verb.all) {
        for (const auto& [no, path] : tables_.awaited_by(run->no))
            verb.open.emplace_back(path, tables_.run(no)->id);
    }
    verb.outcome = Applied{};
}

void BatchPass::apply(Send& verb) {
    verb.why.clear();
    verb.outcome = send(verb.message, verb.why);
}

SendResult BatchPass::send(const model::NewMessage& message, std::string& why) {
    std::size_t unread = 0;
    for (const auto& [id, other] : tables_.messages()) {
        if (other.sent.run_id != message.run_id) continue;
        if (!message.dedupe_key.empty() && other.sent.dedupe_key == message.dedupe_key) {
            return SendResult::Duplicate;
        }
        if (!other.is_read) ++unread;
    }
    const model::Run* found = tables_.run(message.run_id);
    const auto run = found == nullptr ? std::nullopt : std::optional{*found};
    why = refuses_message(run, message);
    if (why.empty() && unread >= base::kUnreadMessagesMax) why = too_many_unread(message.run_id);
    if (!why.empty()) return SendResult::Refused;
    model::NewMessage kept = message;
    kept.expires_at = expiry_of(run, message, now_);
    tables_.add_message(std::move(kept), now_);
    if (run) signal(run->no, "", message.topic);
    return SendResult::Sent;
}

// False: it is over, and nothing is told.
bool BatchPass::signal(RunNo no, std::string path, std::string topic) {
    const model::Run* found = tables_.run(no);
    if (found == nullptr || is_finished(found->status)) return false;
    model::Run run = *found;
    run.signals += 1;
    if (run.status == RunStatus::Waiting) run.wake_at = now_;
    tables_.put_run(run);
    woken_.push_back({no, run.signals, std::move(path), std::move(topic), false});
    return true;
}

void BatchPass::tell_waiters(RunNo run) {
    const auto waiters = tables_.waiters(run);
    if (waiters.empty()) return;
    tables_.remove_waiters(run);
    for (const auto& [waiter, path] : waiters) {
        if (signal(waiter, path, "")) tables_.put_came(waiter, run, path);
    }
}

void BatchPass::cancel_children(RunNo parent, const std::string& inside) {
    for (const RunNo no : tables_.children(parent)) {
        model::Run run = *tables_.run(no);
        if (is_finished(run.status) || !run.parent_path.starts_with(inside)) continue;
        run.cancel_requested = true;
        run.request_reason = "canceled with its parent";
        if (run.status != RunStatus::Running) run.wake_at = now_;
        if (run.status == RunStatus::Paused) run.status = RunStatus::Queued;
        run.turn.reset();  // it needs no slot to end
        run.updated_at = now_;
        tables_.put_run(run);
        woken_.push_back({no, run.signals, "", "", true});
        cancel_children(no);
    }
}

}  // namespace belay::store::memory
