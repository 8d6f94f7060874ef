// routes.hpp — POST and GET /api/approvals, GET /api/approvals/{id}, POST …/{id}/{approve|reject}.
#pragma once

#include <optional>
#include <string>

#include <boost/describe.hpp>

#include "service/api/route.hpp"
#include "service/api/stamp.hpp"
#include "service/approvals/approval.hpp"

namespace belay::approvals {

struct ApprovalView {
    std::string id{};  // the run's
    std::string workflow_run_id{};
    std::string title{};
    std::string details{};
    std::string status{};
    std::optional<std::string> comment{};
    api::Stamp requested_at{};
    std::optional<api::Stamp> decided_at{};
    api::Stamp expires_at{};
};
BOOST_DESCRIBE_STRUCT(ApprovalView, (),
                      (id, workflow_run_id, title, details, status, comment, requested_at,
                       decided_at, expires_at))
ApprovalView approval_view(const Approval& approval);

// `engine` outlives the routes, and define_approval was called on it.
void add_approval_routes(api::Routes& routes, Engine& engine);

}  // namespace belay::approvals
