// outside_port.hpp — an engine as a door for strangers sees it.
//
// Internal: for servers. A stranger's runs are kept under ids of its organization's own, and a workflow lets in what it
// says that it lets in (belay/admission.hpp).
#pragma once

#include <string>

#include <belay/engine.hpp>

namespace belay::detail {

class OutsidePort : public EnginePort {
public:
    // As EnginePort::submit of one, for a caller of the submission's organization. Also throws
    // Error{NotFound} for a workflow that is not exposed or not there, {InvalidArgument} with what `admit` says.
    virtual std::string submit_from_outside(Submission submission) = 0;

    // As EnginePort::fork. Also throws for a workflow that is not exposed, an input that is not admitted, and
    // Error{InvalidArgument} naming the step for an output that is not `editable`.
    virtual std::string fork_from_outside(const std::string& id, const ForkOptions& options) = 0;
};

}  // namespace belay::detail
