#include "core/engine/claims.hpp"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "core/base/failpoint.hpp"
#include "core/engine/bodies.hpp"
#include "core/engine/feed.hpp"
#include "core/engine/writer.hpp"

namespace belay::engine {

namespace {

// One claim's worth: large enough for a quick recovery, small enough not to hold up the writer.
constexpr std::int64_t kClaimMax = 1000;

}  // namespace

void Claims::start(std::vector<std::string> workflow_keys) {
    workflow_keys_ = std::move(workflow_keys);
    started_ = true;
    soon();
}

void Claims::soon() {
    if (!started_ || stopped_) return;
    if (under_way_) {
        again_ = true;
        return;
    }
    claim();
}

void Claims::room_made() {
    if (more_due_ && room_.has_some()) soon();
}

void Claims::claim() {
    if (!room_.has_some() || services_.writer.broken()) {
        more_due_ = true;
        return;
    }
    under_way_ = true;
    again_ = false;
    more_due_ = false;
    store::Claim claim;
    claim.worker = services_.worker;
    claim.workflow_keys = workflow_keys_;
    claim.versions = {services_.options.code_version, services_.options.compatible_versions};
    claim.limit = static_cast<int>(std::min(room_.left(), kClaimMax));
    if (services_.options.crash_loop_deaths_max > 0) {
        claim.suspects_max = suspects_.empty() ? 1 : 0;
        claim.charges_max = services_.options.crash_loop_deaths_max;
    } else {
        claim.suspects_max = claim.charges_max = std::numeric_limits<int>::max();
    }
    claim.on_start = HookMaker(services_.bodies, HookMaker::Which::Start);
    claim.on_end = HookMaker(services_.bodies, HookMaker::Which::End);
    services_.writer.push(std::move(claim),
                          [this](store::Verb& verb) { committed(std::get<store::Claim>(verb)); });
}

void Claims::committed(store::Claim& claim) {
    under_way_ = false;
    base::failpoint("claim.after");
    for (const model::Run& run : claim.outcome.ended) {
        services_.log(
            LogLevel::Failure, "run_not_started",
            fmt::format("run `{}` is {}: {}", run.id, to_string(run.status),
                        !run.failure                                    ? ""
                        : services_.feed->is_redacted(run.workflow_key) ? "(redacted)"
                                                                        : run.failure->message),
            About{run.id, run.workflow_key, run.organization_id, {}, 0});
        watchers_.ended(run.id, end_of(run));
    }
    more_due_ = claim.outcome.more_due;
    if (claim.outcome.next_due) due_at(*claim.outcome.next_due);
    // Due runs that were left although there was room are suspects: the next one is claimed when the one
    // that is here has left, and asking at once would only be told the same.
    const bool was_full = static_cast<int>(claim.outcome.claimed.size()) >= claim.limit;
    admit_(std::move(claim.outcome.claimed));
    if (again_ || (was_full && more_due_ && room_.has_some())) soon();
}

void Claims::due_at(Time when) {
    if (when == model::kNever || (due_ && *due_ <= when)) return;
    if (due_timer_) timers_.cancel(*due_timer_);
    due_ = when;
    due_timer_ = timers_.at(when, [this] {
        due_.reset();
        due_timer_.reset();
        soon();
    });
}

void Claims::suspect_left(model::RunNo run) {
    if (suspects_.erase(run) > 0) soon();
}

}  // namespace belay::engine
