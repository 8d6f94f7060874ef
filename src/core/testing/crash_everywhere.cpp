// crash_everywhere.cpp — one workflow, every commit of it, every way to fail there.
//
// A try is a world of its own. What it leaves behind is written down as text (Outcome) and compared with
// what the undisturbed try left, so that a difference can be shown as it is.
#include <array>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>

#include <belay/error.hpp>
#include <belay/testing.hpp>

#include "core/testing/door.hpp"
#include "core/testing/machine.hpp"
#include "core/testing/outcome.hpp"

namespace belay::testing {
namespace {

constexpr const char* kRunId = "run-under-test";

// Far more than a workflow under test needs; one that is still not quiet has no end.
constexpr std::int64_t kJobsMax = 2'000'000;

constexpr std::array kCrashes{Fault::CrashBefore, Fault::CrashInside, Fault::CrashAfter};
constexpr std::array kStoreFailures{Fault::Refused, Fault::UnknownDone, Fault::UnknownNotDone};

std::string word_for(const store::Record& record) {
    return fmt::format("recorded {} `{}` ({}) as {}", model::to_string(record.stage.kind),
                       record.stage.stage_key, record.stage.path, to_string(record.stage.status));
}

// Whether something of the program's own runs inside the commit.
bool has_body(const store::Batch& batch) {
    for (const store::Verb& verb : batch.verbs) {
        if (const auto* record = std::get_if<store::Record>(&verb);
            record != nullptr && record->body)
            return true;
        if (const auto* submit = std::get_if<store::Submit>(&verb);
            submit != nullptr && submit->on_start) {
            return true;
        }
        if (const auto* end = std::get_if<store::End>(&verb); end != nullptr && end->on_end)
            return true;
        if (std::holds_alternative<store::Transact>(verb)) return true;
    }
    return false;
}

// What a commit did, for the sentence that names it.
std::string describe(const store::Batch& batch) {
    std::string text;
    const auto add = [&](std::string_view what) {
        if (text.find(what) == std::string::npos)
            text += fmt::format("{}{}", text.empty() ? "" : ", ", what);
    };
    for (const store::Verb& verb : batch.verbs) {
        if (const auto* record = std::get_if<store::Record>(&verb)) add(word_for(*record));
        if (std::holds_alternative<store::Submit>(verb)) add("accepted a run");
        if (const auto* end = std::get_if<store::End>(&verb)) {
            add(fmt::format("ended a run as {}", to_string(end->status)));
        }
        if (std::holds_alternative<store::Wait>(verb)) add("let a run wait");
        if (const auto* release = std::get_if<store::Release>(&verb);
            release != nullptr && release->anew_with) {
            add("began a run anew");
        }
        if (std::holds_alternative<store::Claim>(verb)) add("claimed what is due");
        if (std::holds_alternative<store::Reclaim>(verb)) add("took runs again");
        if (std::holds_alternative<store::Load>(verb)) add("read a history");
    }
    return text.empty() ? "did nothing" : text;
}

// One world, one run, at most one thing going wrong.
class Try {
public:
    Try(const std::string& workflow, const std::string& input, const CrashOptions& options)
        : workflow_(workflow), input_(input), options_(options),
          door_(std::make_shared<Door>(options.seed, EngineOptions{})), machine_(door_->machine()) {
        machine_.on_commit = [this](std::int64_t number, const store::Batch& batch) {
            committed(number, batch);
        };
        machine_.on_attempt = [this](const Attempt& attempt, const std::string& path) {
            step_runs(attempt, path);
        };
    }

    // Gives what is left when nothing can run any more.
    Outcome run(std::optional<std::pair<std::int64_t, Fault>> trouble) {
        if (options_.begin) options_.begin();
        if (trouble) machine_.fail_commit(trouble->first, trouble->second);
        {
            Engine engine{std::static_pointer_cast<belay::detail::EnginePort>(door_)};
            if (options_.define) options_.define(engine);
            setup_commits_ = machine_.commits();
            engine.start();
            submit();
            if (!run_until_quiet())
                wrong_.push_back("it does not come to rest: something wakes up for ever");
            if (!machine_.has_power()) go_on_after_crash();
            door_->close();
        }
        Outcome outcome = read_outcome(machine_.disk(), kRunId, options_.ignore_columns);
        if (options_.effects) outcome.effects = options_.effects();
        return outcome;
    }

    std::int64_t commits() const { return machine_.commits(); }
    // Of `define`: queues and schedules, say. They are not what is tested.
    std::int64_t setup_commits() const { return setup_commits_; }
    const std::map<std::int64_t, std::string>& descriptions() const { return descriptions_; }
    bool has_body(std::int64_t commit) const { return with_body_.contains(commit); }
    // Promises that were broken on the way, whatever is left at the end.
    const std::vector<std::string>& wrong() const { return wrong_; }

private:
    // As a client does: it knows that its run is accepted when it is told so, and asks again otherwise.
    void submit() {
        for (int tries = 0; tries < 3 && machine_.has_power(); ++tries) {
            try {
                std::vector<belay::detail::Submission> one;
                one.push_back({workflow_, input_, SubmitOptions{.id = kRunId}});
                door_->submit(std::move(one));
                accepted_ = true;
                return;
            } catch (const Error& error) {
                const bool by_order = error.code() == ErrorCode::StoreUnavailable ||
                                      (error.code() == ErrorCode::Stopped && !machine_.has_power());
                if (!by_order) throw;
            }
        }
    }

    void go_on_after_crash() {
        door_->close();
        if (accepted_ && !machine_.disk().find_run(kRunId)) {
            wrong_.push_back("the run was accepted, and is gone (P2)");
        }
        door_->boot();
        if (!accepted_) submit();
        if (!run_until_quiet())
            wrong_.push_back("it does not come to rest: something wakes up for ever");
    }

    bool run_until_quiet() {
        for (std::int64_t jobs = 0; jobs < kJobsMax; ++jobs) {
            if (!machine_.run_one()) return true;
        }
        return false;
    }

    void committed(std::int64_t number, const store::Batch& batch) {
        descriptions_[number] = describe(batch);
        if (testing::has_body(batch)) with_body_.insert(number);
        for (const store::Verb& verb : batch.verbs) {
            if (const auto* release = std::get_if<store::Release>(&verb)) forget_history(*release);
            const auto* record = std::get_if<store::Record>(&verb);
            if (record == nullptr || !std::holds_alternative<store::Applied>(record->outcome))
                continue;
            if (!is_finished(record->stage.status)) continue;
            const auto run = machine_.disk().find_run(record->lease.run);
            recorded_.emplace(std::pair{run->id, record->stage.path}, number);
        }
    }

    // A run that begins anew runs its steps again, in its new history.
    void forget_history(const store::Release& release) {
        if (!release.anew_with || !std::holds_alternative<store::Applied>(release.outcome)) return;
        const auto run = machine_.disk().find_run(release.lease.run);
        std::erase_if(recorded_, [&](const auto& entry) { return entry.first.first == run->id; });
    }

    void step_runs(const Attempt& attempt, const std::string& path) {
        const auto found = recorded_.find({attempt.run_id(), path});
        if (found == recorded_.end()) return;
        wrong_.push_back(
            fmt::format("step `{}` ({}) ran again, although commit {} had recorded its end (P1)",
                        attempt.stage(), path, found->second));
    }

    const std::string& workflow_;
    const std::string& input_;
    const CrashOptions& options_;
    std::shared_ptr<Door> door_;
    Machine& machine_;
    std::map<std::pair<std::string, std::string>, std::int64_t>
        recorded_;  // run and path: by which commit
    std::map<std::int64_t, std::string> descriptions_;
    std::set<std::int64_t> with_body_;
    std::vector<std::string> wrong_;
    bool accepted_ = false;
    std::int64_t setup_commits_ = 0;
};

std::vector<Fault> faults_of(const CrashOptions& options) {
    std::vector<Fault> faults{kCrashes.begin(), kCrashes.end()};
    if (options.store_failures)
        faults.insert(faults.end(), kStoreFailures.begin(), kStoreFailures.end());
    return faults;
}

}  // namespace

namespace detail {

CrashReport crash_everywhere(const std::string& workflow, const std::string& input,
                             const CrashOptions& options) {
    CrashReport report;
    report.seed = options.seed;
    Try undisturbed{workflow, input, options};
    const Outcome expected = undisturbed.run(std::nullopt);
    report.commits = undisturbed.commits();
    report.ended = expected.end;
    for (const std::string& what : undisturbed.wrong())
        report.failures.push_back("undisturbed: " + what);
    for (const std::string& what : stuck_in(expected))
        report.failures.push_back("undisturbed: " + what);
    if (!options.may_fail && !expected.end.starts_with("succeeded")) {
        report.failures.push_back(fmt::format(
            "undisturbed: it ended as {}; if it should, say so with CrashOptions::may_fail",
            expected.end));
    }

    const std::int64_t first =
        options.only_commit > 0 ? options.only_commit : undisturbed.setup_commits() + 1;
    const std::int64_t last = options.only_commit > 0 ? options.only_commit : report.commits;
    for (std::int64_t commit = first; commit <= last; ++commit) {
        for (const Fault fault : faults_of(options)) {
            if (fault == Fault::CrashInside && !undisturbed.has_body(commit)) continue;
            if (static_cast<int>(report.failures.size()) >= options.failures_max) return report;
            Try disturbed{workflow, input, options};
            const Outcome outcome = disturbed.run(std::pair{commit, fault});
            ++report.tries;
            std::vector<std::string> wrong = disturbed.wrong();
            for (std::string& what : differences(expected, outcome))
                wrong.push_back(std::move(what));
            const auto described = undisturbed.descriptions().find(commit);
            for (const std::string& what : wrong) {
                report.failures.push_back(
                    fmt::format("{} commit {}, which {}: {}", to_string(fault), commit,
                                described == undisturbed.descriptions().end() ? "is another here"
                                                                              : described->second,
                                what));
            }
        }
    }
    return report;
}

}  // namespace detail

std::string CrashReport::text() const {
    std::string text =
        fmt::format("crash_everywhere: {} commits, {} disturbed tries, {} failure{}\n", commits,
                    tries, failures.size(), failures.size() == 1 ? "" : "s");
    text += fmt::format("  undisturbed it ended as {}\n", ended);
    for (const std::string& failure : failures) text += fmt::format("  - {}\n", failure);
    text += fmt::format(
        "  seed {}; CrashOptions{{.seed = {}, .only_commit = N}} repeats one commit\n", seed, seed);
    return text;
}

}  // namespace belay::testing
