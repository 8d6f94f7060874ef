// submissions.hpp — runs that are asked for from outside a run, on their way to the store and back.
//
// A run that can begin at once is claimed in the very commit of its submission, if there is room for it.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <belay/engine.hpp>

#include "core/engine/answer.hpp"
#include "core/engine/scheduler.hpp"
#include "core/engine/services.hpp"
#include "core/engine/workflows.hpp"
#include "core/engine/writer.hpp"

namespace belay::engine {

class Submissions {
public:
    Submissions(Services& services, const Workflows& workflows, Scheduler& scheduler)
        : services_(services), workflows_(workflows), scheduler_(scheduler) {}

    // From any thread. Throws what check_new_run says.
    void check(const belay::detail::Submission& submission) const;

    // From any thread: what goes to the writer, and the run's id. With `claim`, the run may begin at once.
    struct Ready {
        std::string id;
        // With a dedupe id: the id of the run that it is, when that is known; empty until then.
        std::shared_ptr<std::string> joined;
        Writer::Entry entry;
    };
    // What rides with the run of that id; such a run does not begin with its submission.
    using RiderFor = std::function<store::Rider(const std::string& run_id)>;
    Ready prepare(belay::detail::Submission submission, bool claim, Promise promise,
                  const RiderFor& rider = {});

    // The same for a submission that is made already: a fork. `joined` as in Ready.
    using Joined = std::shared_ptr<std::string>;
    Writer::Entry entry(store::Submit submit, Promise promise, Joined joined = nullptr);

private:
    void answered(store::Submit& submit, Promise promise, const Joined& joined);

    Services& services_;
    const Workflows& workflows_;
    Scheduler& scheduler_;
};

}  // namespace belay::engine
