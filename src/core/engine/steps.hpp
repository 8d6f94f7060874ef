// steps.hpp — runs attempts: on the pool, on the I/O threads, or inside the commit.
//
// A step that is over within a few milliseconds leaves one row, its end. One that takes longer is noted
// as running with a commit that nobody waits for, and from then on watched by its timeout. A thread
// cannot be killed (rule 4): an attempt that owns its arguments is left behind when its time is over,
// and its late result refused by number; one that refers to its workflow's frame is asked to stop and
// waited for. Used on the Loop lane, except where said.
#pragma once

#include <deque>
#include <exception>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include <belay/detail/work.hpp>

#include "core/engine/answer.hpp"
#include "core/engine/services.hpp"
#include "core/engine/step_cache.hpp"
#include "core/engine/timers.hpp"
#include "core/store/batch.hpp"

namespace belay::engine {

using belay::detail::Call;
using belay::detail::Work;

// Both own the same object.
inline std::shared_ptr<Work> work_of(const std::shared_ptr<Call>& call) {
    return {call, call->work()};
}
inline std::shared_ptr<Call> call_of(const std::shared_ptr<Work>& work) {
    return {work, &work->call};
}

// Who hears how attempts end; on the Loop lane. A lease that is no longer ours is ignored there.
class StepListener {
public:
    virtual ~StepListener() = default;
    // Its record has been through a commit; the outcome is in it.
    virtual void step_recorded(const store::Lease& lease, const std::shared_ptr<Work>& work,
                               store::Record& record) = 0;
    // The attempt failed and is settled; nothing is recorded yet.
    virtual void attempt_failed(const store::Lease& lease, const std::shared_ptr<Work>& work,
                                std::exception_ptr error) = 0;
    // A call that was left behind has ended.
    virtual void left_behind_ended() = 0;
};

// What a call is recorded as.
model::StageKind kind_of(belay::detail::CallKind kind);

// The record of a call as it stands, without times of an end.
model::Stage stage_of(const Call& call, StageStatus status);

// The same of a step that has not succeeded, with its checkpoint. Only on the Loop lane.
model::Stage open_stage_of(const Call& call, StageStatus status);

// What becomes of the reservation of a step with the record of an attempt; of one that is not paid, nothing.
store::Record::Settles settles_of(const Work& work);

// The run's progress if it was reported since the last checkpoint.
std::optional<model::Progress> take_progress(belay::detail::RunShared& shared);

class Steps {
public:
    Steps(Services& services, Timers& timers, StepListener& listener)
        : services_(services), timers_(timers), listener_(listener), cache_(services) {}

    // Starts the attempt that `entry.attempt` names. Its record shows, with `clears_recoveries`, that its run is no crash
    // loop.
    void launch(const store::Lease& lease, std::shared_ptr<Work> work, bool clears_recoveries);

    // What the call's timer watches is over, one way or another.
    void is_over(Call& call);

    // Leaves the attempt under way to itself: whatever it still does, its result is refused. False if that
    // cannot be done: it refers to its workflow's frame, or its end is on its way to disk.
    bool abandon(Work& work);

    StepCache& cache() { return cache_; }

    // Hands the pool what was launched in this turn, or is held up and may go now.
    void flush();

private:
    // What the attempts before one have left: shared by whoever has to do with it, and never changed.
    struct Before {
        std::optional<std::string> cost;                // as it is recorded
        std::shared_ptr<const std::string> checkpoint;  // null: none
    };
    // An attempt under way, as the thread that executes it was given it. Nothing in it changes.
    struct Going {
        store::Lease lease;
        std::shared_ptr<Work> work;
        int attempt;
        bool clears_recoveries;
        std::stop_token stop;
        std::shared_ptr<const Before> before;  // null: nothing
    };
    // What an attempt keeps of how far it is (step_checkpoints.cpp).
    class Keeper;
    struct Kept;
    void take_checkpoint(const std::shared_ptr<Kept>& kept);
    void push_checkpoint(const std::shared_ptr<Kept>& kept, std::vector<Promise> told);
    static std::shared_ptr<const Before> before_of(const Work& work);
    static model::Stage under_way(const Work& work, const std::shared_ptr<const Before>& before,
                                  StageStatus status);
    // One that is not yet noted as running.
    struct Started {
        store::Lease lease;
        std::shared_ptr<Work> work;
        int attempt;
        std::shared_ptr<const Before> before;
    };

    // These from any thread.
    void run_on_pool(Going going);
    void run_on_io(Going going);
    void finish(Going going, bool settled, std::exception_ptr error,
                std::unique_ptr<Cost> cost = nullptr);
    void push_record(Going going);
    bool is_held_up();
    void arm_look();
    void look_at_started();
    void watch(const Started& started);
    void note(const Started& started);
    void look_again(const Started& started);
    void arm_timeout(const Started& started, Time when);
    void timeout_due(const Started& started);
    void timed_out(const Started& started);

    Services& services_;
    Timers& timers_;
    StepListener& listener_;
    StepCache cache_;
    std::vector<env::Job> for_pool_;
    std::deque<Started> started_;  // not yet noted as running; oldest first
    bool look_armed_ = false;
    bool told_held_up_ = false;
};

}  // namespace belay::engine
