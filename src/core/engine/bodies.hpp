// bodies.hpp — what runs inside a commit: the commit part of a step, and the hooks of a workflow.
//
// A body gets the public Tx on top of a store's SqlTx. It may run twice when its batch has to be redone, so
// whatever it derives (the ids of runs that it starts) is the same each time. Called from any thread.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <belay/control.hpp>
#include <belay/detail/work.hpp>
#include <belay/options.hpp>

#include "core/engine/body_news.hpp"
#include "core/engine/workflows.hpp"
#include "core/env/black_box.hpp"
#include "core/env/clock.hpp"
#include "core/model/run.hpp"
#include "core/store/batch.hpp"

namespace belay::engine {

class Expected;

class Bodies {
public:
    Bodies(const env::Clock& clock, const EngineOptions& options, const Workflows& workflows,
           const Expected& expected)
        : clock_(clock), options_(options), workflows_(workflows), expected_(expected) {}

    // Where it is kept whose body executes; before the first one does.
    void keep_in(env::BlackBox* box) { box_ = box; }

    // The commit part of a step of the run under that lease.
    store::TxBody of_step(std::shared_ptr<belay::detail::Work> work, const store::Lease& lease);

    // The hooks of the run's workflow, told how it stands; null if it has none. What they publish is put
    // into `news`, if it is given.
    store::TxBody on_start(const model::Run& run, News news = {});
    store::TxBody on_end(const model::Run& run, News news = {});

    // A transaction of the program's own, outside any run. Runs that it starts without an id get
    // ids derived from `name`.
    store::TxBody of_program(std::function<std::string(Tx&)> function, std::string name);

    // Whether such a run may be started here: throws what Engine::submit would.
    void check(std::string_view workflow, const std::string& input,
               const SubmitOptions& options) const;

    // The same of a fork; also Error{BadValue} if it was given an input that does not fit.
    void check_fork(const ForkOptions& options, const model::NewRun& fork) const;

    // Whether a body, or a run that awaits a child, has started a run since the last time this was asked.
    bool take_submitted() { return submitted_.exchange(false); }
    void has_submitted() { submitted_ = true; }

    // What one of these bodies told the live feed; null: nothing, or it is none of these.
    static const std::vector<Event>* news(const store::TxBody& body);

private:
    // Whose transaction it is: what a run started inside it inherits.
    struct Owner {
        std::string run_id;
        std::string
            place;  // "4:finalize", "on_end": derived ids of runs submitted here build on it
        std::string organization_id;
        std::string name{};          // what ids derived here begin with, if not with the run's id
        std::string workflow_key{};  // empty outside any run
        store::Lease lease{};        // whose code it is; a run that does not exist yet is nobody
    };
    class EngineTx;
    struct Body;

    store::TxBody of_hook(const Hook& hook, const model::Run& run, std::string place, News news);

    const env::Clock& clock_;
    const EngineOptions& options_;
    const Workflows& workflows_;
    const Expected& expected_;
    env::BlackBox* box_ = nullptr;
    std::atomic<bool> submitted_{false};
};

}  // namespace belay::engine
