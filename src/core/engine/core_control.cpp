// core_control.cpp — what callers ask of runs besides one change of one: forks, many runs at once, histories.
#include <fmt/format.h>

#include <belay/error.hpp>

#include "core/base/limits.hpp"
#include "core/base/time_ordered_id.hpp"
#include "core/engine/control.hpp"
#include "core/engine/core.hpp"
#include "core/engine/dry_run.hpp"
#include "core/engine/failure.hpp"
#include "core/engine/fork.hpp"
#include "core/engine/inside.hpp"
#include "core/engine/new_run.hpp"
#include "core/engine/outside.hpp"
#include "core/engine/run_list.hpp"
#include "core/model/history_json.hpp"
#include "core/store/history_of.hpp"

namespace belay::engine {

namespace {

// Runs that a bulk command acts on in one go: few enough that the others' commits do not wait for them.
constexpr int kBulkBatch = 100;
constexpr std::size_t kIdsKept = 1000;
constexpr std::size_t kRefusalsKept = 100;

bool is_narrowed(const RunQuery& query) {
    return query.status || !query.workflow.empty() || !query.organization_id.empty() ||
           !query.text.empty() || query.since || query.until || query.ended_since ||
           query.ended_until || query.stalled || !query.labels.empty();
}

store::ControlKind kind_of(BulkAction action, const BulkOptions& options) {
    switch (action) {
        case BulkAction::Cancel:
            return options.undo ? store::ControlKind::Cancel : store::ControlKind::Leave;
        case BulkAction::Pause:
            return store::ControlKind::Pause;
        case BulkAction::Resume:
            return store::ControlKind::Resume;
        case BulkAction::Retry:
        case BulkAction::Fork:
            break;
    }
    return store::ControlKind::Retry;
}

}  // namespace

std::string Core::new_id() {
    return base::time_ordered_id(parts_.world.clock.now(), parts_.world.random.next(),
                                 parts_.world.random.next());
}

void Core::refuse_unless_open(std::string_view what) {
    Inside::refuse(&bodies_, what);
    const std::lock_guard lock(mutex_);
    if (stopping_) throw Error(ErrorCode::Stopped, "the engine has stopped");
    refuse_while_broken();
}

std::string Core::fork(const std::string& id, const ForkOptions& options) {
    refuse_unless_open("Engine::fork");
    store::Submit submit = fork_of(store_, id, options, new_id(), parts_.options.code_version);
    bodies_.check_fork(options, submit.run);
    return commit_fork(std::move(submit), {});
}

std::string Core::fork_from_outside(const std::string& id, const ForkOptions& options,
                                    belay::detail::Ride ride) {
    refuse_unless_open("a fork from outside");
    store::Submit submit =
        engine::fork_from_outside(store_, workflows_, parts_.options.organization_id,
                                  {id, options, new_id()}, parts_.options.code_version);
    bodies_.check_fork(options, submit.run);
    return commit_fork(std::move(submit), std::move(ride));
}

std::string Core::submit_from_outside(belay::detail::Submission submission,
                                      belay::detail::Ride ride) {
    refuse_unless_open("a run from outside");
    std::string& organization = submission.options.organization_id;
    if (organization.empty()) organization = parts_.options.organization_id;
    if (!leave_to_first_claim(store_, workflows_, submission))
        admit_from_outside(workflows_, submission.workflow, organization, submission.input);
    std::string& id = submission.options.id;
    if (!id.empty()) id = id_from_outside(store_, parts_.options.organization_id, organization, id);
    if (!ride) {
        std::vector<belay::detail::Submission> one;
        one.push_back(std::move(submission));
        return submit(std::move(one)).front();
    }
    if (writer_.waiting() > base::kWriterQueueOpsMax) {
        throw Error(
            ErrorCode::Overloaded,
            fmt::format("{} writes wait for the store; try again later", writer_.waiting()));
    }
    submissions_.check(submission);
    const auto answer = std::make_shared<Answer>(parts_.world, 1);
    Submissions::Ready ready =
        submissions_.prepare(std::move(submission), started_, Promise(answer),
                             [&](const std::string&) { return rider_of(std::move(ride)); });
    writer_.push(std::move(ready.entry.verb), std::move(ready.entry.done));
    answer->wait();
    return ready.joined ? *ready.joined : ready.id;
}

std::string Core::commit_fork(store::Submit submit, belay::detail::Ride ride) {
    submit.rider = rider_of(std::move(ride));
    std::string made = submit.run.id;
    const auto answer = std::make_shared<Answer>(parts_.world, 1);
    Writer::Entry entry = submissions_.entry(std::move(submit), Promise(answer));
    writer_.push(std::move(entry.verb), std::move(entry.done));
    answer->wait();
    return made;
}

// ---- many runs

BulkReport Core::bulk(BulkAction action, const RunQuery& runs, const BulkOptions& options) {
    refuse_unless_open("Engine::bulk");
    if (!is_narrowed(runs)) {
        throw Error(ErrorCode::InvalidArgument,
                    "a bulk command without any condition would be about every run there is; say "
                    "which: a status, a "
                    "workflow, a time");
    }
    if (action == BulkAction::Fork && !options.fork.id.empty()) {
        throw Error(ErrorCode::InvalidArgument,
                    "many forks cannot have one id: leave BulkOptions::fork.id empty");
    }
    BulkReport report;
    store::RunFilter filter = filter_of(runs);
    filter.limit = kBulkBatch;
    do {
        // Downwards by number: what a batch changes, or adds above, is not met again.
        const store::RunPage page = store_.list_runs(filter);
        std::vector<std::string> ids;
        for (const model::Run& run : page.runs) {
            const bool can =
                action == BulkAction::Fork || may_be_asked(kind_of(action, options), run);
            if (can) ids.push_back(run.id);
        }
        report.matched += static_cast<std::int64_t>(ids.size());
        if (options.dry_run || action != BulkAction::Fork) {
            for (const std::string& id : ids) {
                if (report.ids.size() < kIdsKept) report.ids.push_back(id);
            }
        }
        if (!options.dry_run) act_on(action, ids, options, report);
        filter.before = page.next;
    } while (filter.before);
    return report;
}

void Core::act_on(BulkAction action, const std::vector<std::string>& ids,
                  const BulkOptions& options, BulkReport& report) {
    const auto refuse = [&report](const std::string& id, const std::string& why) {
        ++report.refused;
        if (report.refusals.size() < kRefusalsKept) report.refusals.push_back({id, why});
    };
    if (action == BulkAction::Fork) {
        for (const std::string& id : ids) {
            try {
                std::string made = fork(id, options.fork);
                ++report.done;
                if (report.ids.size() < kIdsKept) report.ids.push_back(std::move(made));
            } catch (const Error& error) {
                if (error.code() == ErrorCode::Stopped ||
                    error.code() == ErrorCode::StoreUnavailable)
                    throw;
                refuse(id, error.what());
            }
        }
        return;
    }
    // What each came to, written on the Loop lane before its answer is given.
    std::vector<std::string> whys(ids.size());
    std::vector<Writer::Entry> entries;
    const auto answer = std::make_shared<Answer>(parts_.world, ids.size());
    for (std::size_t i = 0; i < ids.size(); ++i) {
        auto told = [this, &why = whys[i], promise = Promise(answer)](store::Verb& verb) mutable {
            const auto& control = std::get<store::Control>(verb);
            scheduler_.controlled(control);
            if (control.outcome == store::ControlResult::NotFound) why = "it is gone";
            if (control.outcome == store::ControlResult::Refused) {
                if (control.lost)
                    return promise.keep(std::make_exception_ptr(error_of(*control.lost)));
                why = control.why;
            }
            promise.keep();
        };
        entries.push_back({control_of(services_, ids[i], kind_of(action, options), options.reason),
                           std::move(told)});
    }
    if (entries.empty()) return;
    writer_.push_all(std::move(entries));
    answer->wait();
    for (std::size_t i = 0; i < ids.size(); ++i) {
        if (whys[i].empty()) {
            ++report.done;
        } else {
            refuse(ids[i], whys[i]);
        }
    }
}

// ---- histories

std::string Core::history(const std::string& id) { return store::history_of(store_, id); }

ReplayReport Core::replay(std::string_view text) {
    Inside::refuse(&bodies_, "Engine::replay");
    const model::History history = model::read_history(text);
    const auto workflow = workflows_.find(history.run.workflow_key);
    if (workflow == workflows_.end()) {
        std::string known;
        for (const auto& [key, defined] : workflows_) known += (known.empty() ? "" : ", ") + key;
        throw Error(
            ErrorCode::UnknownWorkflow,
            fmt::format(
                "the history is of workflow `{}`, which is not defined here; defined are: {}",
                history.run.workflow_key, known.empty() ? "none" : known));
    }
    // Its code must not wait for the engine, as when it runs for real.
    const Inside inside{&bodies_, Inside::Where::Workflow};
    DryRun dry{*workflow->second, history};
    return dry.run();
}

// ---- what nothing will ever wake

std::int64_t Core::look_for_stalls() {
    // Shared with the Loop's job, which may come when nobody waits any more.
    const auto silent = std::make_shared<std::vector<Resident::SilentStep>>();
    const auto collected = std::make_shared<Answer>(parts_.world, 1);
    parts_.world.executor.post(env::Lane::Loop,
                               [this, silent, promise = Promise(collected)]() mutable {
                                   *silent = scheduler_.silent_steps();
                                   promise.keep();
                               });
    collected->wait();
    const std::vector<store::MarkStalled> marks = watchdog_.look(*silent, parts_.world.clock.now());
    if (marks.empty()) return 0;
    const auto written = std::make_shared<Answer>(parts_.world, marks.size());
    std::vector<Writer::Entry> entries;
    for (const store::MarkStalled& mark : marks) {
        entries.push_back({mark, [promise = Promise(written)](store::Verb& verb) mutable {
                               const auto& lost = std::get<store::MarkStalled>(verb).lost;
                               promise.keep(lost ? std::make_exception_ptr(error_of(*lost))
                                                 : nullptr);
                           }});
    }
    writer_.push_all(std::move(entries));
    written->wait();
    return static_cast<std::int64_t>(marks.size());
}

// Once for as long as it is the same.
void Core::say_what_holds_up() {
    std::string why = store_.held_up();
    if (why == held_up_) return;
    if (!why.empty()) log_(LogLevel::Warning, "store_held_up", why);
    held_up_ = std::move(why);
}

void Core::watch() {
    parts_.world.executor.post_at(parts_.world.clock.now() + Watchdog::kEvery, env::Lane::Pool,
                                  [this] {
                                      {
                                          const std::lock_guard lock(mutex_);
                                          if (stopping_) return;
                                      }
                                      try {
                                          if (!writer_.broken()) look_for_stalls();
                                          say_what_holds_up();
                                      } catch (const Error& error) {
                                          if (error.code() == ErrorCode::Stopped) return;
                                          log_(LogLevel::Warning, "watchdog_failed", error.what());
                                      }
                                      watch();
                                  });
}

}  // namespace belay::engine
