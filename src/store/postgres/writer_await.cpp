// writer_await.cpp — what a run waits for besides time: the end of another run, a message.
//
// Whoever makes it come raises the waiter's signals in the same commit, and the waiter goes to wait only
// if the count is what it has heard of: nothing can come between the look and the wait (rule 7).
#include <fmt/format.h>

#include <belay/error.hpp>

#include "base/limits.hpp"
#include "store/child_end.hpp"
#include "store/postgres/writer.hpp"

namespace belay::store::postgres {

void Writer::apply(Await& verb) {
    flush();
    verb.came = false;
    verb.started.reset();
    HeldRun* run = held(verb.lease);
    if (run == nullptr) {
        verb.outcome = Fenced{};
        return;
    }
    verb.outcome = verb.child_id.empty() ? await_message(verb) : start_child(verb, *run);
    // Read last: a child that is over at once does not signal, but may have been made to end by this.
    if (const HeldRun* still = runs_.find(verb.lease.run)) verb.signals = still->signals;
}

WriteOutcome Writer::start_child(Await& verb, HeldRun& run) {
    if (verb.start) {
        if (run.cancel_requested) return Refused{"a cancel is requested"};
        const SubmitOutcome child = submit(*verb.start, "", verb.retry_failed);
        verb.started = child.kind;
        if (child.kind == SubmitKind::UnknownQueue) {
            record_unknown_queue(verb.stage, verb.start->queue, now_);
            return came(verb);
        }
        if (child.kind == SubmitKind::Mismatch) {
            record_mismatch(verb.stage, verb.child_id, now_);
            return came(verb);
        }
        // The cache may have moved what `run` refers to.
        if (HeldRun* parent = runs_.find(verb.lease.run)) parent->may_have_children = true;
    }
    return await_child(verb);
}

WriteOutcome Writer::await_child(Await& verb) {
    const auto child = find_run(verb.child_id);
    if (!record_child_end(verb.stage, verb.child_id, child, now_)) {
        statements_.insert_waiter.run(child->no.value, verb.lease.run.value, verb.stage.path);
        statements_.mark_awaited.run(child->no.value);
        if (HeldRun* held = runs_.find(child->no)) held->is_awaited = true;
        return keep_waiting(verb);
    }
    return came(verb);
}

WriteOutcome Writer::await_message(Await& verb) {
    const auto run = find_run(verb.lease.run);
    std::optional<std::int64_t> found;
    {
        Rows row{statements_.oldest_message, run->id, verb.topic,
                 run->organization_id.empty() ? std::optional<std::string>() : run->organization_id,
                 now_};
        if (row.next()) {
            found = row.integer(0);
            verb.stage.output = fmt::format("[{}]", row.text(1));
        }
    }
    if (!found && !(verb.until && *verb.until <= now_)) return keep_waiting(verb);
    if (!found) verb.stage.output = "[]";
    verb.stage.status = StageStatus::Succeeded;
    verb.stage.finished_at = now_;
    verb.stage.next_attempt_at.reset();
    const WriteOutcome outcome = came(verb);
    if (found && std::holds_alternative<Applied>(outcome))
        statements_.read_message.run(*found, now_);
    return outcome;
}

WriteOutcome Writer::keep_waiting(Await& verb) {
    const RunNo no = verb.lease.run;
    if (store_stage(no, verb.stage, verb.stage.output) == Stored::No)
        return refused(no, verb.stage);
    if (HeldRun* run = runs_.find(no)) run->current_stage = verb.stage.stage_key;
    return Applied{};
}

WriteOutcome Writer::came(Await& verb) {
    const WriteOutcome outcome = keep_waiting(verb);
    verb.came = std::holds_alternative<Applied>(outcome);
    return outcome;
}

void Writer::apply(Send& verb) {
    flush();
    verb.why.clear();
    verb.outcome = send(verb.message, verb.why);
}

SendResult Writer::send(const model::NewMessage& message, std::string& why) {
    if (!message.dedupe_key.empty()) {
        Rows row{statements_.has_message, message.run_id, message.dedupe_key};
        if (row.next()) return SendResult::Duplicate;
    }
    const auto run = find_run(message.run_id);
    why = refuses_message(run, message);
    if (!why.empty()) return SendResult::Refused;
    std::int64_t unread = 0;
    {
        Rows row{statements_.count_unread, message.run_id};
        row.next();
        unread = row.integer(0);
    }
    if (unread >= static_cast<std::int64_t>(base::kUnreadMessagesMax)) {
        why = too_many_unread(message.run_id);
        return SendResult::Refused;
    }
    Statement& insert = statements_.insert_message;
    insert.bind(1, message.run_id);
    insert.bind(2, message.topic);
    insert.bind(3, message.payload);
    insert.bind_or_null(4, message.organization_id);
    insert.bind_or_null(5, message.dedupe_key);
    insert.bind(6, now_);
    insert.bind(7, expiry_of(run, message, now_));
    insert.step_to_end();
    if (run) {
        signal(run->no, "", message.topic);
    } else {
        sent_to_nobody_.push_back(message.run_id);
    }
    return SendResult::Sent;
}

void Writer::signal(RunNo run, std::string path, std::string topic) {
    std::int64_t signals = 0;
    {
        Rows row{statements_.signal_run, run.value, now_};
        if (!row.next()) return;
        signals = row.integer(0);
        note_for_others(row.text(1), row.text(2));
    }
    if (HeldRun* held = runs_.find(run)) held->signals = signals;
    woken_->push_back({run, signals, std::move(path), std::move(topic), false});
}

// A run that waited is due for whoever comes first; one that runs elsewhere has to be told of there.
void Writer::note_for_others(std::string_view worker, std::string_view status) {
    if (status != to_string(RunStatus::Running)) {
        news_.due = true;
    } else if (worker != worker_) {
        news_.workers.emplace(worker);
    }
}

void Writer::tell_waiters(RunNo run) {
    std::vector<std::pair<RunNo, std::string>> waiters;
    {
        Rows rows{statements_.take_waiters, run.value};
        while (rows.next()) waiters.emplace_back(RunNo{rows.integer(0)}, rows.text(1));
    }
    for (auto& [waiter, path] : waiters) signal(waiter, std::move(path), "");
}

void Writer::cancel_children(RunNo run, const std::string& path) {
    // '/' is the character after '.': the range holds every path inside `path`.
    const std::string from = path.empty() ? "" : path + ".";
    const std::string to = path.empty() ? "~" : path + "/";
    IntegerArray parents;
    parents.add(run.value);
    Parameters parameters;
    parents.give(parameters);
    parameters.add(from);
    parameters.add(to);
    parameters.add(now_);
    statements_.cancel_children.send(parameters);
    Rows rows{connection_.finish().back()};
    while (rows.next()) {
        note_for_others(rows.text(2), rows.text(3));
        const RunNo child{rows.integer(0)};
        if (HeldRun* held = runs_.find(child)) held->cancel_requested = true;
        woken_->push_back({child, rows.integer(1), "", "", true});
    }
}

}  // namespace belay::store::postgres
