// scheduler.hpp — which runs are in memory: claimed, replayed, run, parked, put back.
//
// It claims runs while there is room, loads what is recorded of them, and makes them Residents. A run
// that waits gives up its lease; it stays in memory while there are few of those and is dropped
// otherwise: when it is due it is claimed and replayed like any other. After a failed commit every run
// that was in it is dropped, and what the store says this worker still holds is taken again at a new
// epoch (rule 2). Used on the Loop lane, except where said.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include <belay/detail/workflow.hpp>

#include "engine/resident.hpp"
#include "engine/services.hpp"
#include "engine/steps.hpp"
#include "engine/timers.hpp"
#include "engine/workflows.hpp"
#include "engine/watchers.hpp"
#include "engine/writer.hpp"

namespace belay::engine {

class Scheduler final : public ResidentHost, public StepListener {
public:
    Scheduler(Services& services, const Workflows& workflows, Watchers& watchers);
    ~Scheduler() override;

    void start();

    // Puts every run back that is live, when its step under way has ended; steps still running after
    // `grace` are left behind. Calls `stopped` when nothing is left in memory.
    void stop(Duration grace, std::function<void()> stopped);

    // ---- what came through the writer

    // A submission's verb is back: admits the run if it was claimed with it.
    void submitted(const store::Submit& submit);
    // A control's verb is back: acts on the run if it is here.
    void controlled(const store::Control& control);
    void batch_failed(Writer::FailedBatch failed);
    void store_repaired();
    void after_batch();

    // There may be something to claim.
    void claim_soon();

    bool has_room() const;
    // From any thread: takes room for a run that is to be claimed with its submission, if there is some. It
    // is given back when the submission is answered, by submitted() or give_back_room().
    bool take_room();
    void give_back_room();
    // From any thread: what blocks the Loop lane at this moment and since when; nothing if nothing does.
    struct Turn {
        std::string run_id;
        std::string workflow_key;
        Time since;
    };
    std::optional<Turn> turn_under_way() const;

    std::size_t resident_count() const { return residents_.size(); }

    // ---- StepListener
    void step_recorded(const store::Lease& lease, const std::shared_ptr<StepCall>& call,
                       store::Record& record) override;
    void attempt_failed(const store::Lease& lease, const std::shared_ptr<StepCall>& call,
                        std::exception_ptr error) override;
    void left_behind_ended() override;

    // ---- ResidentHost
    Steps& steps() override { return steps_; }
    Timers& timers() override { return timers_; }
    Resident* find(const store::Lease& lease) override;
    void has_ended(Resident& run, const store::End& end) override;
    void is_waiting(Resident& run, Time wake_at) override;
    void is_lost(Resident& run, bool take_again) override;
    void is_no_suspect(Resident& run) override;

private:
    void claim();
    void claim_committed(store::Claim& claim);
    void admit_claimed(std::vector<model::Run> runs);
    void load_and_admit(std::vector<model::Run> runs);
    void admit(const model::Run& run, std::vector<model::Stage> history);
    void take_lost_runs();
    void due_at(Time when);
    void forget(Resident& run);
    void drop(std::unique_ptr<Resident> run);
    void count_live(int change);
    void suspect_left(model::RunNo run);
    bool is_loading(model::RunNo run) const { return loading_.contains(run); }
    void consider_stopped();
    bool give_back_frame_user(const store::Lease& lease, const StepCall& call);

    // Marks the Loop as inside a run's code, for the report of who blocks it.
    class TurnGuard;

    Services& services_;
    const Workflows& workflows_;
    Watchers& watchers_;
    std::vector<std::string> workflow_keys_;
    Timers timers_;
    Steps steps_;
    std::unordered_map<model::RunNo, std::unique_ptr<Resident>> residents_;
    std::vector<std::unique_ptr<Resident>> dropped_;  // until no call refers to their frames
    std::atomic<std::int64_t> live_{0};               // residents that are not waiting
    std::int64_t waiting_ = 0;                        // residents that are
    // Claimed and being read, with the epoch they were claimed at; counted as live.
    std::unordered_map<model::RunNo, std::int64_t> loading_;
    // Those here, or being loaded, that may be what kills their workers: one at a time.
    std::unordered_set<model::RunNo> suspects_;
    bool started_ = false;
    bool stopping_ = false;
    bool claiming_ = false;       // a claim is on its way
    bool claim_again_ = false;    // and something changed since it was sent
    bool more_due_ = false;       // the last claim left due runs behind
    std::uint64_t failure_heard_of_ = 0;  // of the store, by its number
    bool take_again_ = false;     // runs were lost: ask the store what is still ours
    bool failing_batch_ = false;  // being told of a failed batch: more may be lost yet
    std::optional<Time> due_;     // when the next claim is armed for
    std::optional<Timers::Key> due_timer_;
    // Stops that were asked of runs while they were being loaded.
    std::map<model::RunNo, std::pair<Resident::Stop, std::string>> asked_early_;
    std::function<void()> stopped_;
    mutable std::mutex turn_mutex_;  // guards the next
    std::optional<Time> turn_since_;
    const Resident* turn_run_ = nullptr;
};

}  // namespace belay::engine
