// waiting.hpp — what a run waits for besides time (the end of another run, a message), for every store that
// speaks SQL.
//
// Whoever makes it come raises the waiter's signals in the same commit, and the waiter goes to wait only
// if the count is what it has heard of: nothing can come between the look and the wait (rule 7).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include "core/base/limits.hpp"
#include "core/store/child_end.hpp"
#include "core/store/sql/writer.hpp"

namespace belay::store {

template <class Db>
void SqlWriter<Db>::apply(Await& verb) {
    flush();
    verb.came = false;
    verb.started.reset();
    if (held(verb.lease) == nullptr) {
        verb.outcome = Fenced{};
        return;
    }
    verb.outcome = verb.child_id.empty() ? await_message(verb) : start_child(verb);
    // Read last: a child that is over at once does not signal, but may have been made to end by this.
    if (const auto* still = self().runs_.find(verb.lease.run)) verb.signals = still->signals;
}

template <class Db>
WriteOutcome SqlWriter<Db>::start_child(Await& verb) {
    if (verb.start) {
        if (self().runs_.find(verb.lease.run)->cancel_requested) {
            return Refused{"a cancel is requested"};
        }
        const SubmitOutcome child = submit(*verb.start, "", verb.retry_failed);
        verb.started = child.kind;
        if (child.kind == SubmitKind::Mismatch) {
            record_mismatch(verb.stage, verb.child_id, now_);
            return came(verb);
        }
        if (child.kind == SubmitKind::UnknownQueue) {
            record_unknown_queue(verb.stage, verb.start->queue, now_);
            return came(verb);
        }
        if (auto* parent = self().runs_.find(verb.lease.run)) parent->may_have_children = true;
    }
    return await_child(verb);
}

template <class Db>
WriteOutcome SqlWriter<Db>::await_child(Await& verb) {
    auto& statements = self().statements_;
    const auto child = find_run(verb.child_id);
    if (!record_child_end(verb.stage, verb.child_id, child, now_)) {
        statements.insert_waiter.run(child->no.value, verb.lease.run.value, verb.stage.path);
        statements.mark_awaited.run(child->no.value);
        if (auto* held = self().runs_.find(child->no)) held->is_awaited = true;
        return keep_waiting(verb);
    }
    if (child) statements.forget_waiter.run(child->no.value, verb.lease.run.value, verb.stage.path);
    return came(verb);
}

template <class Db>
WriteOutcome SqlWriter<Db>::await_message(Await& verb) {
    const Time now = now_;
    const std::int64_t found = oldest_that_fits(verb);
    if (found == 0 && !(verb.until && *verb.until <= now)) return keep_waiting(verb);
    if (found == 0) verb.stage.output = "[]";
    verb.stage.status = StageStatus::Succeeded;
    verb.stage.finished_at = now;
    verb.stage.next_attempt_at.reset();
    WriteOutcome outcome = came(verb);
    if (found != 0 && std::holds_alternative<Applied>(outcome))
        self().statements_.read_message.run(found, now);
    return outcome;
}

// Its id, and its record as the stage's output; 0: there is none. What is older and does not fit is kept aside.
template <class Db>
std::int64_t SqlWriter<Db>::oldest_that_fits(Await& verb) {
    const Time now = now_;
    const auto run = find_run(verb.lease.run);
    // Kept while the statement runs: bound text is borrowed.
    const auto organization = run->organization_id.empty() ? std::optional<std::string>()
                                                           : std::optional(run->organization_id);
    while (true) {
        std::int64_t id = 0;
        std::string record;
        {
            Rows row{self().statements_.oldest_message, run->id, verb.topic, organization, now};
            if (!row.next()) return 0;
            id = row->integer(0);
            record = fmt::format("[{}]", row->text(1));
        }
        const std::string misfit = verb.misfit ? verb.misfit(record) : std::string();
        if (misfit.empty()) {
            verb.stage.output = std::move(record);
            return id;
        }
        self().statements_.keep_aside.run(id, now, misfit);
    }
}

template <class Db>
WriteOutcome SqlWriter<Db>::keep_waiting(Await& verb) {
    const RunNo no = verb.lease.run;
    if (store_stage(no, verb.stage, verb.stage.output) == Stored::No)
        return refused(no, verb.stage);
    if (auto* run = self().runs_.find(no)) run->current_stage = verb.stage.stage_key;
    return Applied{};
}

template <class Db>
WriteOutcome SqlWriter<Db>::came(Await& verb) {
    WriteOutcome outcome = keep_waiting(verb);
    verb.came = std::holds_alternative<Applied>(outcome);
    return outcome;
}

// The count is read before the rows: what another worker makes come in between is told of again.
template <class Db>
void SqlWriter<Db>::apply(Look& verb) {
    flush();
    verb.ended.clear();
    verb.topics.clear();
    verb.open.clear();
    const auto* leased = held(verb.lease);
    if (leased == nullptr) {
        verb.outcome = Fenced{};
        return;
    }
    verb.signals = leased->signals;
    auto& statements = self().statements_;
    const std::int64_t run = verb.lease.run.value;
    for (Rows row{statements.take_came, run}; row.next();) verb.ended.emplace_back(row->text(0));
    for (Rows row{statements.unread_topics, run}; row.next();)
        verb.topics.emplace_back(row->text(0));
    if (verb.all) {
        for (Rows row{statements.list_awaited, run}; row.next();)
            verb.open.emplace_back(row->text(0), row->text(1));
    }
    verb.outcome = Applied{};
}

template <class Db>
void SqlWriter<Db>::apply(Send& verb) {
    flush();
    verb.why.clear();
    verb.outcome = send(verb.message, verb.why);
}

template <class Db>
SendResult SqlWriter<Db>::send(const model::NewMessage& message, std::string& why) {
    auto& statements = self().statements_;
    if (!message.dedupe_key.empty()) {
        Rows row{statements.has_message, message.run_id, message.dedupe_key};
        if (row.next()) return SendResult::Duplicate;
    }
    const auto run = find_run(message.run_id);
    why = refuses_message(run, message);
    if (!why.empty()) return SendResult::Refused;
    std::int64_t unread = 0;
    {
        Rows row{statements.count_unread, message.run_id};
        row.next();
        unread = row->integer(0);
    }
    if (unread >= static_cast<std::int64_t>(base::kUnreadMessagesMax)) {
        why = too_many_unread(message.run_id);
        return SendResult::Refused;
    }
    Statement& insert = statements.insert_message;
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
        tell_late(message.run_id);
    }
    return SendResult::Sent;
}

template <class Db>
void SqlWriter<Db>::apply(Wake& verb) {
    self().flush();
    signal(verb.run, "", "");
}

template <class Db>
bool SqlWriter<Db>::signal(RunNo run, std::string path, std::string topic) {
    std::int64_t signals = 0;
    {
        Rows row{self().statements_.signal_run, run.value, now_};
        if (!row.next()) return false;
        signals = row->integer(0);
        tell_holder(run, *row, 1);
    }
    if (auto* held = self().runs_.find(run)) held->signals = signals;
    woken_->push_back({run, signals, std::move(path), std::move(topic), false});
    return true;
}

template <class Db>
void SqlWriter<Db>::tell_waiters(RunNo run) {
    std::vector<std::pair<RunNo, std::string>> waiters;
    {
        Rows rows{self().statements_.take_waiters, run.value};
        while (rows.next()) waiters.emplace_back(RunNo{rows->integer(0)}, rows->text(1));
    }
    for (const auto& [waiter, path] : waiters) {
        if (!signal(waiter, path, ""))
            self().statements_.forget_waiter.run(run.value, waiter.value, path);
    }
}

template <class Db>
void SqlWriter<Db>::cancel_children(RunNo run, const std::string& path) {
    // '/' is the character after '.': the range holds every path inside `path`.
    const std::string from = path.empty() ? "" : path + ".";
    const std::string to = path.empty() ? "~" : path + "/";
    for (const Signaled& child : cancel_inside(run, from, to)) note_canceled(child);
}

template <class Db>
void SqlWriter<Db>::note_canceled(const Signaled& run) {
    if (auto* held = self().runs_.find(run.run)) held->cancel_requested = true;
    woken_->push_back({run.run, run.signals, "", "", true});
}

}  // namespace belay::store
