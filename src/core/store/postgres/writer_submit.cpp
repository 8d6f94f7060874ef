// writer_submit.cpp — a run comes to be, or the one that has its id is found.
#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "core/store/new_run.hpp"
#include "core/store/postgres/columns.hpp"
#include "core/store/postgres/writer.hpp"

namespace belay::store::postgres {

void Writer::apply(Submit& verb) {
    // Only a run that starts now has a hook to run, and only then can anything have to be undone.
    const bool may_start = verb.on_start && !verb.claim_as.empty() && verb.run.queue.empty();
    const bool is_plain = verb.stages.empty() && verb.run.dedupe_id.empty() && !verb.rider;
    if (!may_start && is_plain && !careful_) {
        lanes_.submits.push_back(&verb);
        return;
    }
    flush();
    submit_now(verb);
}

void Writer::submit_now(Submit& verb) {
    const bool has_history = !verb.stages.empty();
    savepoint();
    SubmitOutcome submitted = submit(verb.run, has_history ? "" : verb.claim_as, verb.retry_failed);
    if (has_history && submitted.kind == SubmitKind::Created) give_history(submitted.run, verb);
    const bool starts =
        submitted.kind == SubmitKind::Created && submitted.run.status == RunStatus::Running;
    if (starts && verb.on_start) {
        std::string ignored;
        if (const BodyResult failed = run_body(verb.on_start, ignored)) {
            undo_savepoint();
            verb.outcome = outcome_of<decltype(verb.outcome)>(*failed);
            return;
        }
    }
    release();
    if (starts)
        runs_.put(submitted.run.no,
                  {.epoch = 1, .may_have_children = false, .last_position = kNoStageYet});
    verb.outcome = std::move(submitted);
}

// Ids that exist are looked up first, so that only new runs take a number.
void Writer::find_joins() {
    std::set<std::string> known;
    TextArray ids;
    for (const Submit* submit : lanes_.submits) ids.add(std::string_view(submit->run.id));
    Parameters parameters;
    ids.give(parameters);
    statements_.existing_ids.send(parameters);
    Rows row{connection_.finish().back()};
    while (row.next()) known.emplace(row.text(0));
    std::vector<Submit*> news;
    joins_.clear();
    for (Submit* submit : lanes_.submits) {
        (known.insert(submit->run.id).second ? news : joins_).push_back(submit);
    }
    joins_lately_ = !joins_.empty();
    refuse_unknown_queues(news);
    lanes_.submits.swap(news);
}

void Writer::refuse_unknown_queues(std::vector<Submit*>& submits) {
    std::map<std::string, bool> exists;
    std::erase_if(submits, [&](Submit* submit) {
        const std::string& queue = submit->run.queue;
        if (queue.empty()) return false;
        const auto [at, is_new] = exists.try_emplace(queue, false);
        if (is_new) at->second = find_queue(queue).has_value();
        if (!at->second) submit->outcome = SubmitOutcome{SubmitKind::UnknownQueue, {}};
        return !at->second;
    });
}

// Those that come into line get their turns in the order of the batch; of each partition the last is asked for once.
void Writer::give_turns(const std::vector<Submit*>& submits) {
    std::map<std::tuple<std::string, std::int64_t, std::string>, LastTurns> lines;
    for (Submit* submit : submits) {
        const model::NewRun& run = submit->run;
        if (run.queue.empty() || run.available_at > now_) continue;
        const auto [at, is_new] = lines.try_emplace({run.queue, run.priority, run.partition});
        LastTurns& last = at->second;
        if (is_new) {
            finish_written();
            last = last_turns(run.queue, run.priority, run.partition);
        }
        last.of_partition = model::next_turn(last.in_lane, last.of_partition);
        std::get<SubmitOutcome>(submit->outcome).run.turn = last.of_partition;
    }
}

void Writer::make_runs(const std::vector<Submit*>& submits) {
    for (Submit* submit : submits) {
        submit->outcome = created(submit->run, submit->claim_as,
                                  numbers_.next([this]() -> Connection& { return side(); }));
    }
}

// It is this worker's, or anybody's.
void Writer::note_created(const model::Run& run) {
    if (run.status == RunStatus::Running) {
        runs_.put(run.no, {.epoch = 1, .may_have_children = false, .last_position = kNoStageYet});
    } else {
        news_.due = true;
    }
}

void Writer::flush_submits() {
    const std::vector<Submit*> news = std::exchange(lanes_.submits, {});
    const std::vector<Submit*> others = std::exchange(joins_, {});
    make_runs(news);
    give_turns(news);
    if (!news.empty()) {
        // An id that another worker took since it was looked for makes the batch be done again.
        statements_.insert_runs.send(runs_of(news, now_));
        is_writing_ = true;
        for (const Parameters& label : labels_of(news)) statements_.put_label.send(label);
        for (Submit* submit : news) {
            const auto& run = std::get<SubmitOutcome>(submit->outcome).run;
            // What was sent before it was made is there when it first looks.
            std::erase(sent_to_nobody_, run.id);
            note_created(run);
        }
    }
    if (!others.empty()) finish_written();
    for (Submit* submit : others) submit_now(*submit);
}

// A fork begins with what its origin had recorded.
void Writer::give_history(model::Run& run, const Submit& verb) {
    statements_.begin_at_epoch.run(run.no.value, std::int64_t{1});
    if (verb.may_be_undone) statements_.may_be_undone.run(run.no.value);
    run.epoch = 1;
    for (const model::Stage& stage : verb.stages) store_stage(run.no, stage, stage.output);
    for (const model::Attempt& attempt : verb.attempts)
        lanes_.attempts.emplace_back(run.no, &attempt);
    flush_rest();
    finish_written();
    lanes_.attempts.clear();
}

SubmitOutcome Writer::created(const model::NewRun& run, const std::string& claim_as,
                              RunNo no) const {
    SubmitOutcome created{SubmitKind::Created, as_created(run, claim_as, now_)};
    created.run.no = no;
    return created;
}

SubmitOutcome Writer::submit(const model::NewRun& run, const std::string& claim_as,
                             bool retry_failed) {
    TextArray ids;
    ids.add(std::string_view(run.id));
    Parameters parameters;
    ids.give(parameters);
    statements_.existing_ids.send(parameters);
    if (connection_.finish().back().rows() > 0) {
        if (auto left = tombstone_of(run, retry_failed)) return *std::move(left);
        if (find_run(run.id)) return join(run, retry_failed);
        // Only who retries may have made the id free again.
        if (!retry_failed) throw Redo{"a run was deleted while its id was looked for"};
    }
    std::optional<std::int64_t> turn;
    if (!run.queue.empty() || !run.dedupe_id.empty()) {
        if (!run.queue.empty() && !find_queue(run.queue)) return {SubmitKind::UnknownQueue, {}};
        if (auto found = find_dedupe(run)) {
            if (!retry_failed) return join(run, *std::move(found), retry_failed);
            // It may have ended since it was found.
            lock_run(found->id);
            found = find_run(found->no);
            if (!found) throw Redo{"a run went while it was joined"};
            return join(run, *std::move(found), retry_failed);
        }
        const bool in_line = !run.queue.empty() && run.available_at <= now_;
        if (in_line) turn = turn_of(run.queue, run.priority, run.partition);
    }

    SubmitOutcome made =
        created(run, claim_as, numbers_.next([this]() -> Connection& { return side(); }));
    made.run.turn = turn;
    RunColumns columns;
    columns.add(made.run);
    statements_.insert_run.send(columns.parameters(now_));
    if (connection_.finish().back().rows() == 0) return join(run, retry_failed);
    put_labels(made.run.no, run.labels);
    std::erase(sent_to_nobody_, made.run.id);
    if (made.run.status != RunStatus::Running) news_.due = true;
    return made;
}

// The id is taken: joins that run, or opens it again if it failed and a retry was asked for (P3).
SubmitOutcome Writer::join(const model::NewRun& run, bool retry_failed) {
    if (retry_failed) lock_run(run.id);
    const auto there = find_run(run.id);
    if (!there) throw Redo{"a run went while it was joined"};
    return join(run, *there, retry_failed);
}

}  // namespace belay::store::postgres
