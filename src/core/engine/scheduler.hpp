// scheduler.hpp — which runs are in memory: claimed, replayed, run, parked, put back.
//
// It claims runs while there is room, loads what is recorded of them, and makes them Residents. A run
// that waits gives up its lease; it stays in memory while there are few of those and is dropped
// otherwise: when it is due it is claimed and replayed like any other. After a failed commit every run
// that was in it is dropped, and what the store says this worker still holds is taken again at a new
// epoch (rule 2). Used on the Loop lane, except where said.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include <belay/detail/workflow.hpp>

#include "core/engine/claims.hpp"
#include "core/engine/resident.hpp"
#include "core/engine/retention.hpp"
#include "core/engine/room.hpp"
#include "core/engine/services.hpp"
#include "core/engine/steps.hpp"
#include "core/engine/timers.hpp"
#include "core/engine/turn.hpp"
#include "core/engine/watchers.hpp"
#include "core/engine/workflows.hpp"
#include "core/engine/writer.hpp"
#include "core/store/news.hpp"

namespace belay::engine {

class Scheduler final : public ResidentHost, public StepListener {
public:
    Scheduler(Services& services, const Workflows& workflows, Watchers& watchers);
    ~Scheduler() override;

    void start();

    // Puts every run back that is live, when its step under way has ended; steps still running after
    // `grace` are left behind. Calls `stopped` when no run is left in memory, and says whether steps that did
    // not end may still be on threads.
    void stop(Duration grace, std::function<void(bool steps_are_left)> stopped);

    // ---- what came through the writer

    // A submission's verb is back: admits the run if it was claimed with it.
    void submitted(const store::Submit& submit);
    // A control's verb is back: acts on the run if it is here.
    void controlled(const store::Control& control);
    void batch_failed(Writer::FailedBatch failed);
    void store_repaired();
    // Something came that a run may wait for.
    void woken(const store::Woken& woken);
    // With those watched runs that are over by it.
    void heard_outside(const store::News& news, const Watchers::Ends& ended);
    void after_batch();
    // Something may have become claimable: a queue has other limits, say.
    void claim_soon() { claims_.soon(); }

    // From any thread: takes room for a run that is to be claimed with its submission, if there is some. It
    // is given back when the submission is answered, by submitted() or give_back_room().
    bool take_room() { return room_.take(); }
    void give_back_room();

    // The run, if it is in memory at whatever lease.
    const Resident* find(model::RunNo run) const {
        const auto here = residents_.find(run);
        return here == residents_.end() ? nullptr : here->second.get();
    }
    Resident* here(model::RunNo run) {
        const auto at = residents_.find(run);
        return at == residents_.end() ? nullptr : at->second.get();
    }
    // Told of every run that has just been called as far as it gets. Before the first.
    void set_called(std::function<void(Resident&)> called) { called_ = std::move(called); }
    std::size_t runs_here() const { return residents_.size(); }

    // From any thread.
    const TurnWatch& turn_watch() const { return turns_; }

    // ---- StepListener
    void step_recorded(const store::Lease& lease, const std::shared_ptr<Work>& work,
                       store::Record& record) override;
    void attempt_failed(const store::Lease& lease, const std::shared_ptr<Work>& work,
                        std::exception_ptr error) override;
    void left_behind_ended() override;

    // ---- ResidentHost
    Steps& steps() override { return steps_; }
    Timers& timers() override { return timers_; }
    TurnWatch& turns() override { return turns_; }
    Resident* find(const store::Lease& lease) override;
    void has_ended(Resident& run, const store::End& end) override;
    void is_waiting(Resident& run, Time wake_at) override;
    void is_lost(Resident& run, bool take_again) override;
    void is_no_suspect(Resident& run) override;
    void is_to_be_undone(Resident& run, model::UndoPlan end) override;
    void begins_anew(Resident& run) override;

    // Steps past their timeout that cannot be left behind, of all runs in memory.
    std::vector<Resident::SilentStep> silent_steps() const;

private:
    // ---- scheduler.cpp
    void forget(Resident& run);
    void drop(std::unique_ptr<Resident> run);
    bool give_back_frame_user(const store::Lease& lease, const Work& work);

    // ---- scheduler_admission.cpp
    void admit_claimed(std::vector<model::Run> runs);
    void load_and_admit(std::vector<model::Run> runs);
    void admit(const model::Run& run, std::vector<model::Stage> history);
    void keep_suspect_alone(model::RunNo run, std::int64_t epoch);
    bool is_loading(model::RunNo run) const { return loading_.contains(run); }

    // ---- scheduler_failure.cpp
    void take_lost_runs();
    void taken_again(std::vector<model::Run> runs);
    void forget_undo_to(model::RunNo run);
    void hold_lost_runs(Time until);
    void look_again();
    void verb_lost(store::Verb verb, Writer::Done done, const Writer::FailedBatch& failed);
    void ask_again(store::Verb verb, Writer::Done done);
    void bookkeeping_lost(const store::Claim& claim);
    void bookkeeping_lost(const store::Load& load);
    void bookkeeping_lost(const store::Reclaim& reclaim);
    void bookkeeping_lost(const store::NoteSaved& note);

    // ---- scheduler_stop.cpp
    void consider_stopped();
    void grace_is_over();
    void leave_behind(Resident& run);
    void tell_stopped();

    Services& services_;
    const Workflows& workflows_;
    Watchers& watchers_;
    TurnWatch turns_;
    Timers timers_;
    Steps steps_;
    Room room_;
    Claims claims_;
    RetentionSweep retention_;
    std::unordered_map<model::RunNo, std::unique_ptr<Resident>> residents_;
    std::vector<std::unique_ptr<Resident>> dropped_;  // until no call refers to their frames
    std::int64_t waiting_ = 0;                        // residents that only wait, and hold no room
    // Claimed and being read, with the epoch they were claimed at.
    std::unordered_map<model::RunNo, std::int64_t> loading_;
    bool stopping_ = false;
    std::uint64_t failure_heard_of_ = 0;  // of the store, by its number
    bool take_again_ = false;             // runs were lost: ask the store what is still ours
    Time lost_until_{};                   // and not before
    bool failing_batch_ = false;          // being told of a failed batch: more may be lost yet
    // Stops that were asked of runs while they were being loaded.
    std::map<model::RunNo, std::pair<Resident::Stop, std::string>> asked_early_;
    // How runs end that were taken again to be undone, by the epoch that they get with that: at another one they may have
    // gone on elsewhere, and find out again.
    std::map<std::pair<model::RunNo, std::int64_t>, model::UndoPlan> undo_to_;
    std::function<void(bool)> stopped_;
    std::function<void(Resident&)> called_;
    bool left_behind_ = false;  // the stop could not wait for a step
};

}  // namespace belay::engine
