// dry_run.hpp — today's code against a history: no step runs, nothing is written.
//
// The workflow is called as a replay calls it, and every step is answered from the history. It stops where
// the history ends, or where the code asks for something else than what is recorded. Used on one thread.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <belay/context.hpp>
#include <belay/control.hpp>
#include <belay/detail/workflow.hpp>

#include "core/engine/replay.hpp"
#include "core/model/history_json.hpp"

namespace belay::engine {

class Epilogue;

class DryRun final : public belay::detail::RunPort {
public:
    DryRun(const belay::detail::Workflow& workflow, const model::History& history);
    ~DryRun() override;

    // Once.
    ReplayReport run();
    // Why the run's input does not fit, as input.hpp says it; nothing if it does. Instead of run().
    std::optional<std::string> input_problem();

    // ---- RunPort
    belay::detail::Begin begin(belay::detail::Call& call) override;
    void start(std::shared_ptr<belay::detail::Call> call, std::coroutine_handle<> waiter) override;
    void scope_succeeded(belay::detail::Call& call, std::string output) override;
    void scope_failed(belay::detail::Call& call, std::exception_ptr error) override;
    bool patch(Context& context, std::string_view name) override;
    void label(std::string_view name, std::string_view value) override;
    void expose(std::string_view name, std::string json) override;
    void answer(std::string_view, std::string_view, belay::detail::Answerer) override {}
    void expects(std::string_view prefix) override;
    void continue_as_new(Context& context, std::string input) override;
    void branch_ended(std::shared_ptr<belay::detail::Call> branch) override;
    std::size_t stop_inside(belay::detail::FanCall& fan) override;
    void end_fan(std::shared_ptr<belay::detail::FanCall> fan, bool derived) override;
    void fan_replayed(belay::detail::FanCall& fan) override;
    void fan_has_gap(belay::detail::FanCall& fan, std::string_view branch) override;
    const std::shared_ptr<belay::detail::RunShared>& shared() const override { return shared_; }
    std::uint64_t seed() const override { return seed_; }

private:
    void diverge(model::Failure why);
    void tell_fans();
    void judge_end();
    void judge_result(const std::string& result);
    bool has_succeeded() const { return history_.run.status == RunStatus::Succeeded; }
    ReplayReport report() const;

    const belay::detail::Workflow& workflow_;
    const model::History& history_;
    std::shared_ptr<belay::detail::RunShared> shared_;
    std::uint64_t seed_;
    Replay replay_;
    Context context_;
    std::unique_ptr<belay::detail::Invocation> invocation_;
    std::unique_ptr<Epilogue> epilogue_;  // null: nothing that it waits for with its end
    std::vector<std::shared_ptr<belay::detail::Call>> open_;  // begun, and never to end
    std::vector<std::shared_ptr<belay::detail::Call>> ended_branches_;
    std::optional<model::Failure> diverged_;
    std::string beyond_;  // what the code would do next, where the history ends
    std::string ended_;   // how the code ended
    bool continued_ = false;
    std::int64_t replayed_ = 0;
};

}  // namespace belay::engine
