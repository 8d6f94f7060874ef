// resident.hpp — a run that is in memory: its coroutine, its place in its history, its calls under way.
//
// It is called from its start whenever it is picked up (replay): begin() answers each step from the
// record until there is none, and from there on steps run. Nothing is ever thrown into the workflow's
// code by the engine itself: a run that diverges, is canceled, loses its lease or its commit is simply
// not resumed; its coroutine is dropped where it stands. Used on the Loop lane only.
#pragma once

#include <coroutine>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include <belay/context.hpp>
#include <belay/detail/workflow.hpp>
#include <belay/error.hpp>

#include "core/base/limits.hpp"
#include "core/base/unique_function.hpp"
#include "core/engine/call_states.hpp"
#include "core/engine/replay.hpp"
#include "core/engine/services.hpp"
#include "core/engine/steps.hpp"
#include "core/engine/timers.hpp"
#include "core/engine/turn.hpp"
#include "core/model/run.hpp"
#include "core/model/undo.hpp"
#include "core/store/batch.hpp"

namespace belay::engine {

class Epilogue;
class Resident;

// What a run in memory asks of the scheduler that holds it.
class ResidentHost {
public:
    virtual ~ResidentHost() = default;

    virtual Steps& steps() = 0;
    virtual Timers& timers() = 0;
    virtual TurnWatch& turns() = 0;
    // The run at that lease, if it is still in memory.
    virtual Resident* find(const store::Lease& lease) = 0;

    // The last three may end the Resident's life: it must return at once.
    virtual void has_ended(Resident& run, const store::End& end) = 0;  // its end is durable
    virtual void is_waiting(Resident& run, Time wake_at) = 0;          // its lease is given up
    virtual void is_lost(Resident& run, bool take_again) = 0;          // it may not write any more
    virtual void is_no_suspect(Resident& run) = 0;
    // Its code has got as far as it will: it is to be taken again, to undo what it did and then to end as given. It may
    // still be on the stack, and is not changed before the next turn.
    virtual void is_to_be_undone(Resident& run, model::UndoPlan end) = 0;
    virtual void begins_anew(
        Resident& run) = 0;  // its history is forgotten and it is queued; ends its life
};

class Resident final : public belay::detail::RunPort {
public:
    enum class State {
        Live,     // holds the lease
        Waiting,  // every call waits for its time; the lease is given up
        Ending,   // its end is on its way to disk
    };
    // Why it should not go on; the first reason stays.
    enum class Stop {
        None,
        Canceled,
        Left,  // canceled, and what it did is left as it is
        Paused,
        Diverged,
        Released,
        Overdue,
        OverBudget
    };

    // `undo_to`: it was taken again to be undone, and ends so.
    Resident(Services& services, ResidentHost& host, const belay::detail::Workflow& workflow,
             const model::Run& run, std::vector<model::Stage> history,
             std::optional<model::UndoPlan> undo_to = {});
    ~Resident() override;

    // Calls the workflow and lets it run as far as it gets.
    void go();

    // The claim of a run that waited in memory: it goes on at its new epoch.
    void claimed(const model::Run& run);

    // A step's record is durable, or an attempt of it failed.
    void step_recorded(const std::shared_ptr<Work>& work, store::Record& record);
    void attempt_failed(const std::shared_ptr<Work>& work, const std::exception_ptr& error);

    // Something came that it may be waiting for.
    void woken(const store::Woken& what);
    // Its row counts this many signals: what came without its being told is asked for.
    void missed(std::int64_t signals);

    // What its row asks of it.
    void heed(const model::Run& run);
    // Someone asked it to stop: at its next step boundary, or at once if it only waits.
    // Takes effect with the turn under way, or with the next nudge().
    void stop(Stop why, std::string reason);
    void nudge();
    // A pause that was asked for is taken back before it took effect.
    void take_back_pause();

    // Drops the coroutine where it stands, unless a call refers to its frame: those are counted by
    // frame_users() and the Resident must live until they are gone.
    void drop();
    int frame_users() const { return frame_users_; }
    void frame_user_ended() { --frame_users_; }

    const store::Lease& lease() const { return lease_; }
    State state() const { return state_; }
    bool is_suspect() const { return charges_ >= base::kSuspectCharges; }
    const std::string& id() const { return shared_->id; }
    const std::string& workflow_key() const { return workflow_.key; }
    const std::string& last_stage() const { return last_stage_; }
    // A text as it may stand in the log.
    About about() const {
        return {shared_->id, workflow_.key, shared_->organization_id, last_stage_, 0};
    }
    std::string_view shown(std::string_view text) const {
        return workflow_.options.redact ? "(redacted)" : text;
    }

    // ---- questions (resident_says.cpp)
    // Whether its code stands where a handler may look: it is neither being stopped nor over.
    bool may_be_asked() const;
    struct Reply {
        bool ok = false;
        std::string text;  // JSON, or why there is no answer
    };
    Reply reply_to(std::string_view name, std::string_view question);

    // Its steps that are past their timeout and are waited for, because they cannot be left behind.
    struct SilentStep {
        model::RunNo run;
        std::string stage;
        Duration limit;
        Time since;  // its timeout was over
    };
    void find_silent(std::vector<SilentStep>& found) const;

    // ---- RunPort: called by the workflow's code
    belay::detail::Begin begin(Call& call) override;
    void start(std::shared_ptr<Call> call, std::coroutine_handle<> waiter) override;
    void scope_succeeded(Call& call, std::string output) override;
    void scope_failed(Call& call, std::exception_ptr error) override;
    bool patch(Context& context, std::string_view name) override;
    void label(std::string_view name, std::string_view value) override;
    void expose(std::string_view name, std::string json) override;
    void answer(std::string_view scope, std::string_view name,
                belay::detail::Answerer answerer) override;
    void expects(std::string_view prefix) override;
    void continue_as_new(Context& context, std::string input) override;
    void branch_ended(std::shared_ptr<Call> branch) override;
    std::size_t stop_inside(belay::detail::FanCall& fan) override;
    void end_fan(std::shared_ptr<belay::detail::FanCall> fan, bool derived) override;
    void fan_replayed(belay::detail::FanCall& fan) override;
    void fan_has_gap(belay::detail::FanCall& fan, std::string_view branch) override;
    const std::shared_ptr<belay::detail::RunShared>& shared() const override { return shared_; }
    std::uint64_t seed() const override { return seed_; }

private:
    // ---- its life (resident.cpp)
    void resume(std::coroutine_handle<> waiter);
    void after_turn();
    void finish();
    void give_up();
    void diverge(model::Failure why);
    // The code has ended, or has left a scope (`inside` is its path and a dot): is something recorded that
    // it did not ask for?
    bool has_diverged_at_end(std::string_view inside = {});
    void begin_anew();
    bool may_go_on() const { return state_ == State::Live && stop_ == Stop::None; }

    // Its code has ended; whether what it waits for with its end is over.
    bool has_seen_off();
    // A start has its id.
    void note_started(Call& call);

    // ---- its end, and what came of its writes (resident_end.cpp)
    // It does not succeed: what has an undo is undone before that.
    void end_badly(RunStatus status, model::Failure failure);
    void push_end(RunStatus status, std::optional<std::string> result,
                  std::optional<model::Failure> failure);
    void end_committed(store::End& end);
    // Recording goes on with this outcome? Otherwise the run has been given up.
    bool still_ours(const store::WriteOutcome& outcome);

    // ---- what its code asks for (resident_calls.cpp)
    void has_failed(std::string_view stage, std::string_view path);
    void check_history_length();
    // A record that nobody waits for.
    void note(model::Stage stage, std::vector<model::Attempt> attempts = {},
              bool is_progress = false,
              store::Record::Settles settles = store::Record::Settles::Nothing);
    // The same of a scope or a fan, with whatever the run writes next: its code goes on at once, so that is soon (a
    // step that takes its time is noted as running).
    void ride_along(model::Stage stage);
    // Told of a note that is durable, or refused.
    base::UniqueFunction<void(store::Verb&)> noted();

    // ---- what it takes back (resident_undo.cpp)
    void note_undoable();
    belay::detail::Begin visit(Call& call);
    belay::detail::Begin visit_nothing(const Call& call);
    void visited();
    void make_plan();
    void stop_children();
    void ask_for_children(store::UndoVerb how);
    void look_for_children();
    void children_stopped(store::Undo& undo);
    void begin_undo();
    void undo_next();
    void undo_ended(Call& call);
    void undo_failed(std::string_view stage, std::string_view path, std::string_view why);

    // ---- what it says of itself (resident_says.cpp)
    // With the next commit, before anything that begins after it was said.
    void say();
    // Handlers of scopes that are over: their code is gone.
    void forget_answers(std::string_view scope);

    // ---- its steps (resident_steps.cpp)
    void add_active(const std::shared_ptr<Call>& call);
    void remove_active(Call& call);
    void enter(Call& call, CallState state);
    void launch(const std::shared_ptr<Work>& work);
    // Keeps free what a paid attempt may cost, and only then goes on; or pauses the run.
    void reserve(const std::shared_ptr<Work>& work);
    void reserved(const std::shared_ptr<Work>& work, store::Reserve& verb);
    void announce(const std::shared_ptr<Work>& work);
    void launch_now(const std::shared_ptr<Work>& work);
    void end_recorded(const std::shared_ptr<Call>& call, store::Record& record);
    void failed(const std::shared_ptr<Call>& call, const std::exception_ptr& error);
    void made_progress();
    void arm_deadline();

    // The call has its value or its error: the code that awaits it goes on, or its fan is told.
    void answered(const std::shared_ptr<Call>& call);

    // ---- its fans (resident_fans.cpp)
    void begin_fan(Call& fan);
    void loser_ended(Call& call);
    void fan_recorded(const std::shared_ptr<belay::detail::FanCall>& fan, store::Record& record);
    void tell_fans();

    // ---- children and messages (resident_awaits.cpp)
    void ask(std::shared_ptr<Call> call);
    void asked(const std::shared_ptr<Call>& call, store::Await& await);
    void ask_recorded();
    void wait_for(const std::shared_ptr<Call>& call);
    void ask_paused(const std::shared_ptr<Call>& call);
    // Something came for it: it asks, if it is not asking already; then it asks again.
    void ask_anew(const std::shared_ptr<Call>& call);
    // Something came and it is not known what: asks for the few that it waits for, or which of the many it was.
    void catch_up();
    void look();
    void looked(store::Look& look);
    model::NewRun child_of(const Call& call) const;

    // ---- waiting (resident_waiting.cpp)
    // A call that waits for a time, a sleep or the next attempt of a step, stays active and is paused. The
    // time is noted in the history unless it is there.
    void pause_until(const std::shared_ptr<Call>& call, Time until, bool noted);
    void unpause(Call& call);
    void arm_wake_up(Call& call);
    void wake_due();
    void wake(std::shared_ptr<Call> call);
    void consider_waiting();
    void wait_committed(store::Wait& wait);
    void look_for_request();

    Services& services_;
    ResidentHost& host_;
    const belay::detail::Workflow& workflow_;
    store::Lease lease_;
    // Outlives this while a step of the run is still on a thread.
    std::shared_ptr<belay::detail::RunShared> shared_;
    std::unique_ptr<model::Run> told_;  // what its on_end hook will be told; null if it has none
    std::unique_ptr<const std::string> input_;  // until the workflow is called
    struct Sayings;
    std::unique_ptr<Sayings> sayings_;  // null: it said nothing and answers nothing
    struct Undoing;
    std::unique_ptr<Undoing> undoing_;  // null: its code runs; otherwise what it did is undone
    std::string last_stage_;
    Replay replay_;
    Context context_;
    std::unique_ptr<belay::detail::Invocation> invocation_;
    std::unique_ptr<Epilogue> epilogue_;         // null: nothing that it waits for with its end
    std::vector<std::shared_ptr<Call>> active_;  // started and not yet answered
    std::size_t paused_ = 0;                     // how many of them wait for a time
    std::vector<std::shared_ptr<Call>> ended_branches_;  // of which their fans have not been told
    // Calls that wait for a child, by path; null while there are none.
    std::unique_ptr<std::unordered_map<std::string, std::shared_ptr<Call>>> awaiting_;
    // Of those, whom the history said to be waiting and who have not been asked for since.
    std::vector<std::shared_ptr<Call>> recorded_;
    // The step whose failure the code was given last, until it asks for another step.
    std::unique_ptr<std::pair<std::string, std::string>> failed_;  // name and path
    std::unique_ptr<std::string> continue_with_;    // its code asked to begin anew with this input
    std::unique_ptr<model::Failure> stop_failure_;  // with a stop_ that is not None
    std::uint64_t seed_;
    std::int64_t recoveries_;
    std::int64_t charges_;
    std::int64_t signals_;  // that it has heard of
    struct Deadline {
        Time at{};
        std::optional<Timers::Key> timer{};
    };
    std::unique_ptr<Deadline> deadline_;  // null: it has none
    int frame_users_ = 0;
    int hook_failures_ = 0;
    State state_ = State::Live;
    Stop stop_ = Stop::None;
    model::UndoState undo_;
    bool wait_pushed_ = false;
    bool is_unadmitted_ = false;  // outside.hpp; until the workflow is called
    // A Look is on its way: the run does not go to wait before it is back. And perhaps something came since it was sent.
    enum class Looking : std::uint8_t { No, Once, Again } looking_ = Looking::No;
};

}  // namespace belay::engine
