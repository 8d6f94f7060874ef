#include "simulation/simulate.hpp"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <belay/belay.hpp>

#include "core/model/budget.hpp"
#include "simulation/check_end.hpp"
#include "simulation/deaths.hpp"
#include "simulation/describe.hpp"
#include "simulation/interpreter.hpp"
#include "simulation/simulated_process.hpp"

namespace belay::test {
namespace {

using namespace std::chrono_literals;

// Far more than any plan needs; one that is still not quiet has no end.
constexpr std::int64_t kJobsMax = 200'000;
constexpr int kRetriesMax = 20;
constexpr const char* kFull = "the disk is full, by order";
constexpr std::int64_t kZombieJobs = 150;  // that a thawed process lives on beside its successor

class Simulated {
public:
    Simulated(const Plan& plan, PlantedBug bug, const Trace& trace)
        : trace_(trace), simulation_(plan.seed), disk_(store::make_memory_disk()),
          reader_(disk_, false), other_worker_(disk_), bug_(bug), bug_commit_(commit_with(bug)),
          deaths_(reader_, verdict_),
          has_budgets_(std::any_of(plan.runs.begin(), plan.runs.end(),
                                   [](const PlannedRun& run) { return pays(run.program.ops); })) {
        Outside::here = &outside_;
        outside_.pay = [this](const Attempt& attempt) { check_reserved(attempt); };
        outside_.execute = [this](const Attempt& attempt, Outside::Death death) {
            execute(*stepping_, attempt.run_id(), death);
        };
        // A plan without deaths commits what it always did: its faults meet the same commits.
        if (has_deaths(plan)) shelf_ = std::make_shared<env::BoxShelf>();
        // Which of its looks are slow differs from seed to seed; most have only one or two.
        looks_into_cache_ = static_cast<int>(plan.seed % 21);
        for (const PlannedFault& fault : plan.faults) faults_[fault.commit] = fault.fault;
        for (const PlannedRun& run : plan.runs) to_submit_.push_back(&run);
        for (const PlannedEvent& event : plan.events) events_.emplace(event.at, &event);
    }
    ~Simulated() { Outside::here = nullptr; }

    Verdict run() {
        try {
            run_to_the_end();
        } catch (const std::exception& error) {
            broken(fmt::format("an exception left the engine: {}", error.what()));
        }
        retire(process_);
        retire(zombie_);
        check_the_end(reader_, past(), verdict_);
        verdict_.jobs = jobs_;
        return verdict_;
    }

private:
    Past past() {
        return {accepted_,
                canceled_,
                forks_,
                gone_,
                simulation_.clock().now(),
                left_,
                outside_.taken,
                verdict_.reached.frozen > 0};
    }

    void broken(std::string sentence) { verdict_.broken.push_back(std::move(sentence)); }

    template <class... Args>
    void tell(fmt::format_string<Args...> format, Args&&... args) {
        if (trace_)
            trace_(
                fmt::format("job {}: {}", jobs_, fmt::format(format, std::forward<Args>(args)...)));
    }

    // ---- processes

    void ensure_process() {
        if (process_ && process_->is_dead()) retire(process_);
        if (zombie_ && (zombie_->is_dead() || jobs_ > zombie_until_)) retire(zombie_);
        while (!process_) {
            try {
                const auto self = std::make_shared<SimulatedProcess*>(nullptr);
                process_ = std::make_unique<SimulatedProcess>(simulation_, disk_, hooks(self),
                                                              observer(self), shelf_, has_budgets_);
                *self = process_.get();
                process_->start();
                ++starts_;
                tell("a process starts");
            } catch (const Error&) {
                // The store failed under the start: what a service manager sees, and starts it again.
                retire(process_);
                // Nobody would make room while nothing runs: the operator does.
                if (is_full()) simulation_.clock().set(full_until_);
            }
            if (process_ && process_->is_dead()) retire(process_);
        }
    }

    void retire(std::unique_ptr<SimulatedProcess>& process) {
        if (!process) return;
        process->kill();
        const engine::Counters& counters = process->core().counters();
        verdict_.reached.fenced += counters.writes_fenced;
        verdict_.reached.recovered += counters.runs_recovered;
        verdict_.reached.evicted += counters.runs_evicted;
        verdict_.reached.parked += counters.runs_parked;
        verdict_.reached.replayed += counters.steps_replayed;
        process.reset();
    }

    HookedStore::Hooks hooks(const std::shared_ptr<SimulatedProcess*>& self) {
        return {committer(self),
                [this] {
                    if (is_full()) throw Error(ErrorCode::StoreUnavailable, kFull);
                },
                [this, self](std::string_view key) { look_slowly(**self, key); },
                [this] { read_slowly(); }};
    }

    bool is_full() { return simulation_.clock().now() < full_until_; }

    // Now and then a reader takes long: everything else goes on meanwhile, as beside a thread that reads.
    void look_slowly(SimulatedProcess& process, std::string_view key) {
        ++verdict_.reached.cached;
        if (slow_looks_under_way_ >= 2) return;
        const auto call = who_looks(key);
        belay::detail::Work* const work = call ? call->work() : nullptr;
        const int attempt = call ? call->entry.attempt : 0;
        const bool borrows =
            bug_ == PlantedBug::BorrowedFlag && work != nullptr && work->gate.settle(attempt);
        const int look = ++looks_into_cache_;
        bool an_hour_passed = false;
        ++slow_looks_under_way_;
        if (look % 3 == 0) {
            for (int i = 0; i < look % 20; ++i) simulation_.run_one();
        } else if (look % 7 == 0) {
            an_hour_passed = an_hour_passes(process);
        }
        --slow_looks_under_way_;
        if (borrows) work->gate.open(attempt);
        // Its step has a timeout of seconds: whatever the reader does, that must hold.
        if (an_hour_passed && work != nullptr && work->gate.is_open(attempt)) {
            broken(fmt::format(
                "step `{}` of {} looks for its answer for an hour, and has a timeout of "
                "seconds (P8)",
                call->name, call->run_shared->id));
        }
    }

    // The call whose attempt looks for its answer, if there can be no doubt.
    std::shared_ptr<belay::detail::Call> who_looks(std::string_view key) const {
        if (zombie_) return nullptr;
        const auto [first, last] =
            outside_.cached.equal_range(std::string(key.substr(0, key.find(':'))));
        std::shared_ptr<belay::detail::Call> found;
        for (auto at = first; at != last; ++at) {
            auto call = at->second.lock();
            if (!call || call->loop.state != belay::detail::CallState::UnderWay) continue;
            if (!call->work()->gate.is_open(call->entry.attempt)) continue;
            if (found) return nullptr;
            found = std::move(call);
        }
        return found;
    }

    // False: the process did not live to see it.
    bool an_hour_passes(SimulatedProcess& process) {
        ++verdict_.reached.slow_looks;
        const Time from = simulation_.clock().now();
        while (simulation_.clock().now() < from + 1h) {
            if (process.is_dead() || &process != process_.get()) return false;
            // Nothing is armed any more: the hour passes all the same.
            if (!simulation_.run_one()) simulation_.clock().set(from + 1h);
        }
        ++hours_passed_;
        return true;
    }

    // Between what a client's call reads and what it then writes the others go on, as on a store with several
    // connections.
    void read_slowly() {
        if (!is_client_call_ || ++client_reads_ % 3 != 0) return;
        is_client_call_ = false;  // what goes on meanwhile is no client's
        ++verdict_.reached.slow_reads;
        for (int i = 0; i < client_reads_ % 25; ++i) simulation_.run_one();
        is_client_call_ = true;
    }

    // The commit of one process: the fault that is planned for it, around the store with its bug.
    HookedStore::Commit committer(std::shared_ptr<SimulatedProcess*> self) {
        return [this, self](store::Store& inner, store::Batch& batch) {
            const auto found = faults_.find(++commits_);
            if (is_full()) meet_full_disk();
            if (found != faults_.end())
                tell("commit {} meets {}", commits_, belay::to_json(found->second));
            if (found == faults_.end()) return commit(inner, batch);
            ++faults_met_;
            switch (found->second) {
                case CommitFault::DieBefore:
                    ++verdict_.reached.crashes;
                    die(**self);
                case CommitFault::DieAfter:
                    ++verdict_.reached.crashes;
                    commit(inner, batch);
                    die(**self);
                case CommitFault::Refused:
                    ++verdict_.reached.refused;
                    throw Error(ErrorCode::StoreUnavailable, "the disk is full, by order");
                case CommitFault::UnknownDone: {
                    ++verdict_.reached.unknown;
                    store::Batch applied = batch;  // nobody may read the outcomes
                    commit(inner, applied);
                    throw Error(ErrorCode::CommitUnknown, "the connection is lost, by order");
                }
                case CommitFault::UnknownLost:
                    ++verdict_.reached.unknown;
                    throw Error(ErrorCode::CommitUnknown, "the connection is lost, by order");
                case CommitFault::Full:
                    ++verdict_.reached.full;
                    full_until_ = simulation_.clock().now() + 10s;
                    somebody_asks_ = true;
                    meet_full_disk();
            }
        };
    }

    [[noreturn]] void meet_full_disk() { throw Error(ErrorCode::StoreUnavailable, kFull); }

    // Whoever catches this is dead: what it posts is dropped.
    [[noreturn]] void die(SimulatedProcess& process, int signal = 0) {
        kill(process, signal);
        throw Error(ErrorCode::StoreUnavailable, "the power is off");
    }

    void kill(SimulatedProcess& process, int signal = 0) {
        deaths_.dies(&process, process.worker(), signal != 0,
                     &process == process_.get() && !zombie_);
        process.kill(signal);
    }

    // Others go on meanwhile, and one of them may take the process down.
    void execute(SimulatedProcess& process, const std::string& run, Outside::Death death) {
        const Deaths::Inside inside(deaths_, &process, run);
        const int jobs = ++executions_ % 12;
        if (slow_looks_under_way_ < 2) {
            ++slow_looks_under_way_;
            for (int i = 0; i < jobs && !process.is_dead(); ++i) simulation_.run_one();
            --slow_looks_under_way_;
        }
        if (process.is_dead()) throw Error(ErrorCode::StoreUnavailable, "the power is off");
        if (death == Outside::Death::None) return;
        ++verdict_.reached.crashes;
        tell("the code of {} takes its process down", run);
        die(process, death == Outside::Death::Crash ? SIGABRT : 0);
    }

    void commit(store::Store& inner, store::Batch& batch) {
        send_before_waits(batch);
        const std::vector<bool> is_outdated = outdated_leases(batch);
        bug_commit_(inner, batch);
        for (std::size_t i = 0; i < batch.verbs.size(); ++i) {
            if (is_outdated[i] && was_applied(batch.verbs[i])) {
                broken(fmt::format(
                    "commit {} was applied for a run that another worker has taken (P5)",
                    commits_));
            }
        }
        if (trace_) tell("commit {}: {}", commits_, describe(batch));
        check_queue();
        if (has_budgets_) check_budgets(batch);
        deaths_.committed(batch);
        for (const store::Verb& verb : batch.verbs) watch_who_goes(verb);
        for (const store::Verb& verb : batch.verbs) {
            const auto* record = std::get_if<store::Record>(&verb);
            if (record == nullptr || !std::holds_alternative<store::Applied>(record->outcome))
                continue;
            if (record->stage.status != StageStatus::Succeeded) continue;
            if (const auto run = reader_.find_run(record->lease.run)) {
                recorded_.emplace(std::pair{run->id, record->stage.path}, record->lease.epoch);
            }
        }
    }

    // A run whose retry was committed stays, until it is over again (P2).
    void watch_who_goes(const store::Verb& verb) {
        if (const auto* control = std::get_if<store::Control>(&verb)) {
            if (control->outcome != store::ControlResult::Done) return;
            if (control->kind == store::ControlKind::Retry) kept_.insert(control->run_id);
            if (control->kind == store::ControlKind::Cancel ||
                control->kind == store::ControlKind::Leave)
                kept_.erase(control->run_id);
        } else if (const auto* end = std::get_if<store::End>(&verb)) {
            if (!std::holds_alternative<store::Applied>(end->outcome)) return;
            if (const auto run = reader_.find_run(end->lease.run)) {
                kept_.erase(run->id);
                if (is_finished(run->status)) check_undo(reader_, *run, past(), verdict_);
            }
        } else if (const auto* look = std::get_if<store::Look>(&verb)) {
            if (!look->ended.empty()) ++verdict_.reached.looks;
        } else if (const auto* prune = std::get_if<store::Prune>(&verb)) {
            for (const model::Run& run : prune->outcome.deleted) note_deleted(run.id);
        }
    }

    void note_deleted(const std::string& id) {
        ++verdict_.reached.deleted;
        gone_.insert(id);
        if (kept_.contains(id))
            broken(fmt::format("{} was deleted although its retry was accepted (P2)", id));
        std::erase_if(recorded_, [&](const auto& one) { return one.first.first == id; });
    }

    // Limits are exact, whoever dies or wakes up too late (rule 9).
    void check_queue() {
        std::int64_t running = 0;
        for (const model::Run& run : all_runs(reader_)) {
            // One that is asked to cancel needs no slot: it only ends.
            if (run.queue != kNarrowQueue || run.cancel_requested) continue;
            if (run.status == RunStatus::Running) ++running;
        }
        if (running > 0) ++verdict_.reached.queued;
        if (running > kNarrowQueueLimit) {
            broken(fmt::format("after commit {} there run {} in a queue of {}", commits_, running,
                               kNarrowQueueLimit));
        }
    }

    // What is spent and kept free is never above a limit that nobody has raised.
    void check_budgets(const store::Batch& batch) {
        for (const store::Verb& verb : batch.verbs) {
            const auto* reserve = std::get_if<store::Reserve>(&verb);
            if (reserve != nullptr && reserve->reached) ++verdict_.reached.over_budget;
            const auto* control = std::get_if<store::Control>(&verb);
            const bool approves = control != nullptr && control->approves &&
                                  control->outcome == store::ControlResult::Done;
            if (!approves) continue;
            ++verdict_.reached.approved;
            raised_.insert({model::day_text(batch.now), control->run_id});
        }
        for (const model::Run& run : all_runs(reader_)) {
            for (const BudgetInfo& it : reader_.budgets(batch.now, &run)) {
                const bool is_raised =
                    std::any_of(raised_.begin(), raised_.end(), [&](const auto& raised) {
                        return it.period == raised.first || it.period == raised.second;
                    });
                if (is_raised ||
                    !model::is_negative(model::difference(it.limit, it.spent + it.reserved)))
                    continue;
                broken(fmt::format("after commit {} budget {} of {} has {} spent and {} reserved",
                                   commits_, it.name, it.period, it.spent.amount(),
                                   it.reserved.amount()));
            }
        }
    }

    // Before the call, what it may cost is kept free on disk.
    void check_reserved(const Attempt& attempt) {
        ++verdict_.reached.paid;
        // A process that has lost the run does not know what became of its reservation.
        if (zombie_ || stepping_ != process_.get()) return;
        const auto run = reader_.find_run(attempt.run_id());
        if (!run) return;
        for (const BudgetInfo& it : reader_.budgets(simulation_.clock().now(), &*run)) {
            if (it.name != kRunBudget) continue;
            if (model::is_negative(model::difference(it.reserved, Money(kPaidAtMost, "USD")))) {
                broken(fmt::format("step `{}` of {} is called, and {} is kept free for it",
                                   attempt.stage(), run->id, model::amount_text(it.reserved)));
            }
        }
    }

    // Another worker writes in between: what a run will wait for comes after it has looked, and before its wait is
    // written.
    void send_before_waits(const store::Batch& batch) {
        for (const store::Verb& verb : batch.verbs) {
            const auto* wait = std::get_if<store::Wait>(&verb);
            if (wait == nullptr || ++waits_ % 2 == 0) continue;
            const auto run = reader_.find_run(wait->lease.run);
            if (!run || run->epoch != wait->lease.epoch) continue;
            const auto planned = std::find_if(events_.begin(), events_.end(), [&](const auto& one) {
                return one.second->kind == EventKind::Send && one.second->run == run->id;
            });
            if (planned == events_.end()) continue;
            store::Send send;
            send.message.run_id = run->id;
            send.message.organization_id = run->organization_id;
            send.message.topic = planned->second->topic;
            send.message.payload = to_json(planned->second->value);
            store::Batch other;
            other.now = batch.now;
            other.verbs.emplace_back(std::move(send));
            other_worker_.commit(other);
            events_.erase(planned);
            ++verdict_.reached.interleaved;
        }
    }

    // For each verb, whether its lease is older than what the disk has.
    std::vector<bool> outdated_leases(const store::Batch& batch) {
        std::vector<bool> outdated;
        for (const store::Verb& verb : batch.verbs) {
            outdated.push_back(std::visit(
                [&](const auto& any) {
                    if constexpr (requires { any.lease; }) {
                        const auto run = reader_.find_run(any.lease.run);
                        return run && run->epoch > any.lease.epoch;
                    } else {
                        return false;
                    }
                },
                verb));
        }
        return outdated;
    }

    static bool was_applied(const store::Verb& verb) {
        return std::visit(
            [](const auto& any) {
                if constexpr (requires { any.lease; }) {
                    return std::holds_alternative<store::Applied>(any.outcome);
                } else {
                    return false;
                }
            },
            verb);
    }

    engine::AttemptObserver observer(std::shared_ptr<SimulatedProcess*> self) {
        return [this, self](const Attempt& attempt, const std::string& path) {
            stepping_ = *self;  // its code comes next on this thread
            const auto found = recorded_.find({attempt.run_id(), path});
            if (found == recorded_.end()) return;
            // While two live, neither can know what the other recorded meanwhile, until it writes.
            if (zombie_ != nullptr || *self != process_.get()) return;
            broken(fmt::format("step `{}` ({}) of {} ran again after its record was committed (P1)",
                               attempt.stage(), path, attempt.run_id()));
        };
    }

    // ---- what happens from outside

    void do_events() {
        if (std::exchange(somebody_asks_, false) && !accepted_.empty()) {
            const std::string run = *accepted_.begin();
            ask_when_full("sends", [&] { process_->core().send(run, "aside", "1", {}); });
            ask_when_full("runs a transaction", [&] {
                process_->core().transact([](Tx& tx) {
                    tx.exec("SELECT 1");
                    return std::string("null");
                });
            });
        }
        while (!events_.empty() && events_.begin()->first <= jobs_) {
            const PlannedEvent& event = *events_.begin()->second;
            events_.erase(events_.begin());
            ensure_process();
            tell("{}", belay::to_json(event));
            happen(event);
        }
        for (auto at = to_submit_.begin(); at != to_submit_.end();) {
            at = (*at)->submit_at <= jobs_ && submit(**at) ? to_submit_.erase(at) : std::next(at);
        }
    }

    void happen(const PlannedEvent& event) {
        switch (event.kind) {
            case EventKind::Kill:
                ++verdict_.reached.crashes;
                kill(*process_);
                return;
            case EventKind::Freeze:
                if (zombie_) return;
                ++verdict_.reached.frozen;
                process_->freeze();
                zombie_ = std::move(process_);
                zombie_from_ = jobs_ + 60;
                zombie_until_ = zombie_from_ + kZombieJobs;
                return;
            case EventKind::Stop:
                ++verdict_.reached.stopped;
                attempt([&] { process_->core().stop(); });
                retire(process_);
                return;
            case EventKind::Jump:
                simulation_.clock().set(simulation_.clock().now() + 1h);
                return;
            case EventKind::Cancel:
            case EventKind::Leave: {
                canceled_.insert(event.run);
                const bool leaves = event.kind == EventKind::Leave;
                if (leaves) left_.insert(event.run);
                const CancelOptions options{.reason = "by the plan", .undo = !leaves};
                if (attempt([&] { process_->core().cancel(event.run, options); }))
                    ++verdict_.reached.canceled;
                return;
            }
            case EventKind::Pause:
                if (attempt([&] { process_->core().pause(event.run, "by the plan"); }))
                    ++verdict_.reached.paused;
                return;
            case EventKind::Retry:
                attempt([&] { process_->core().retry(event.run); });
                return;
            case EventKind::Ask:
                ask(event);
                return;
            case EventKind::Fork:
                fork(event);
                return;
            case EventKind::Send:
                if (!send(event)) to_send_.push_back(&event);
                return;
        }
    }

    // A call of a client: whatever the engine refuses or cannot do now, the client hears of.
    template <class Call>
    bool attempt(Call call) {
        struct Calling {
            bool& is_client_call;
            explicit Calling(bool& is) : is_client_call(is) { is_client_call = true; }
            ~Calling() { is_client_call = false; }
        } const calling{is_client_call_};
        try {
            push(call);
            return true;
        } catch (const Error&) {
            return false;
        }
    }
    template <class Call>
    void push(Call& call) {
        while (true) {
            try {
                return call();
            } catch (const Error& error) {
                const bool again = bug_ == PlantedBug::PushedAgain && is_full() &&
                                   error.code() == ErrorCode::StoreUnavailable &&
                                   !process_->is_dead() && simulation_.run_one();
                if (!again) throw;
            }
        }
    }

    // Whoever asks something of an engine on a full disk hears of it at once, whatever he asks.
    template <class Call>
    void ask_when_full(std::string_view what, Call call) {
        ensure_process();
        if (!is_full()) return;
        ++verdict_.reached.asked_when_full;
        const auto hours = hours_passed_;
        attempt(call);
        if (!is_full() && hours == hours_passed_ && !process_->is_dead())
            broken(fmt::format("who {} on a full disk hears of it when there is room", what));
    }

    bool submit(const PlannedRun& run) {
        ensure_process();
        const bool is_accepted = attempt([&] {
            std::vector<belay::detail::Submission> one;
            one.push_back({kProgramWorkflow, to_json(run.program), SubmitOptions{.id = run.id}});
            process_->core().submit(std::move(one));
        });
        if (is_accepted) accepted_.insert(run.id);
        // It had come to be without the client hearing of it, and is over and gone.
        return is_accepted || (gone_.contains(run.id) && !reader_.find_run(run.id));
    }

    // Whoever forks a run answers for the messages that the new one will wait for.
    void fork(const PlannedEvent& event) {
        const std::string id = fmt::format("{}-fork-{}", event.run, forks_.size() + 1);
        ForkOptions options;
        options.from = event.topic;
        options.id = id;
        const bool is_made = attempt([&] { process_->core().fork(event.run, options); });
        const auto made = reader_.find_run(id);
        if (is_made && !made)
            broken(fmt::format("{} was forked as {}, and that is gone (P2)", event.run, id));
        if (!made) return;
        ++verdict_.reached.forked;
        forks_.insert(id);
        for (const Op& op : from_json<Program>(made->input).ops) {
            if (op.kind != OpKind::Receive) continue;
            sent_by_fork_.push_back({event.at, EventKind::Send, id, op.name, op.value});
            to_send_.push_back(&sent_by_fork_.back());
        }
    }

    void ask(const PlannedEvent& event) {
        ensure_process();
        std::string answer;
        const bool is_answered =
            attempt([&] { answer = process_->core().ask(event.run, "who", "null", 5s); });
        ++(is_answered ? verdict_.reached.answered : verdict_.reached.unanswered);
        if (is_answered && answer != to_json(event.run))
            broken(fmt::format("{} was asked who it is and answered {}", event.run, answer));
    }

    bool send(const PlannedEvent& event) {
        ensure_process();
        SendOptions options;
        options.dedupe_key = event.run + event.topic;
        const bool was_full = is_full();
        const auto hours = hours_passed_;
        const bool is_sent = attempt(
            [&] { process_->core().send(event.run, event.topic, to_json(event.value), options); });
        if (was_full && !is_full() && hours == hours_passed_ && !process_->is_dead())
            broken(fmt::format("who sends to {} on a full disk hears of it when there is room",
                               event.run));
        if (is_sent) ++verdict_.reached.messages;
        return is_sent;
    }

    // ---- the loop

    void run_to_the_end() {
        while (jobs_ < kJobsMax) {
            ensure_process();
            do_events();
            ensure_process();
            if (zombie_ && jobs_ >= zombie_from_) zombie_->thaw();
            if (simulation_.run_one()) {
                ++jobs_;
                continue;
            }
            if (zombie_) {
                jobs_ = std::max(jobs_, jobs_ < zombie_from_ ? zombie_from_ : zombie_until_ + 1);
            } else if (!events_.empty() || !to_submit_.empty()) {
                std::int64_t next = kJobsMax;
                if (!events_.empty()) next = events_.begin()->first;
                for (const PlannedRun* run : to_submit_)
                    next = std::min<std::int64_t>(next, run->submit_at);
                jobs_ = std::max(jobs_ + 1, next);
            } else if (!go_on()) {
                return;
            }
        }
        broken("it does not come to rest: something wakes up for ever");
    }

    // What an operator does when all is quiet. False when there is nothing left to do.
    bool go_on() {
        const std::int64_t starts_before = starts_;
        const int faults_before = faults_met_;
        bool did_something = false;
        for (auto at = to_send_.begin(); at != to_send_.end();) {
            // Of a run that is gone nobody waits for it any more.
            if (gone_.contains((*at)->run) && !reader_.find_run((*at)->run)) {
                at = to_send_.erase(at);
                continue;
            }
            const bool is_sent = send(**at);
            did_something = did_something || is_sent;
            at = is_sent ? to_send_.erase(at) : std::next(at);
        }
        for (const model::Run& run : all_runs(reader_)) {
            ensure_process();
            const bool is_over_budget =
                run.failure && run.failure->code == to_string(ErrorCode::BudgetReached);
            if (run.status == RunStatus::Paused && is_over_budget) {
                attempt([&] { process_->core().approve_spending({run.id, {}, {}}); });
                did_something = true;
            } else if (run.status == RunStatus::Paused) {
                attempt([&] { process_->core().resume(run.id); });
                did_something = true;
            } else if (run.status == RunStatus::Failed && retries_[run.id] < kRetriesMax) {
                ++retries_[run.id];
                ++verdict_.reached.retried;
                attempt([&] { process_->core().retry(run.id); });
                did_something = true;
            }
        }
        ensure_process();
        // What died or was refused under it may have left something to do.
        return did_something || starts_ != starts_before || faults_met_ != faults_before;
    }

    const Trace& trace_;
    env::Simulation simulation_;
    std::shared_ptr<store::MemoryDisk> disk_;
    store::MemoryStore reader_;
    store::MemoryStore other_worker_;
    const PlantedBug bug_;
    HookedStore::Commit bug_commit_;
    Outside outside_;

    std::unique_ptr<SimulatedProcess> process_;
    std::unique_ptr<SimulatedProcess>
        zombie_;  // was frozen; lives beside its successor for a while
    std::int64_t zombie_from_ = 0, zombie_until_ = 0;

    std::map<int, CommitFault> faults_;
    std::vector<const PlannedRun*> to_submit_;
    std::multimap<std::int64_t, const PlannedEvent*> events_;
    std::vector<const PlannedEvent*> to_send_;  // refused so far
    std::deque<PlannedEvent> sent_by_fork_;

    std::int64_t jobs_ = 0;
    std::int64_t starts_ = 0;
    int commits_ = 0, faults_met_ = 0;
    Time full_until_{};
    bool somebody_asks_ = false;  // on the disk that has just become full
    bool is_client_call_ = false;
    int client_reads_ = 0, waits_ = 0;
    int looks_into_cache_ = 0, slow_looks_under_way_ = 0, hours_passed_ = 0;
    std::map<std::pair<std::string, std::string>, std::int64_t> recorded_;  // run and path: epoch
    std::set<std::string> accepted_, canceled_, forks_;
    std::set<std::string> left_;         // it was asked that what they did stays
    std::set<std::string> kept_, gone_;  // a retry of them was accepted; retention has deleted them
    std::map<std::string, int> retries_;
    Verdict verdict_;

    std::shared_ptr<env::BoxShelf> shelf_;  // null: no process keeps a box
    Deaths deaths_;
    SimulatedProcess* stepping_ = nullptr;  // whose attempt has begun last
    int executions_ = 0;
    const bool has_budgets_;
    std::set<std::pair<std::string, std::string>> raised_;  // the day and the run of an approval
};

}  // namespace

Verdict simulate(const Plan& plan, PlantedBug bug, const Trace& trace) {
    return Simulated{plan, bug, trace}.run();
}

}  // namespace belay::test
