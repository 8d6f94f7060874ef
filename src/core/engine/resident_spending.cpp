// resident_spending.cpp — a paid step keeps free what it may cost before it is called, or pauses its run.
//
// The reservation is durable before the function runs: so the sum of what is spent and reserved is never above a limit,
// whichever worker dies when. What is refused has not been called.
#include <belay/error.hpp>

#include "core/engine/resident.hpp"
#include "core/engine/writer.hpp"

namespace belay::engine {

void Resident::reserve(const std::shared_ptr<Work>& work) {
    Call& call = work->call;
    store::Reserve verb;
    verb.lease = lease_;
    verb.path = call.path;
    verb.stage_key = call.name;
    verb.workflow_key = workflow_.key;
    verb.organization_id = shared_->organization_id;
    verb.at_most = work->options.costs_at_most.cost();
    if (work->found.cost) verb.before = *work->found.cost;
    enter(call, CallState::Announcing);
    services_.writer.push(std::move(verb),
                          [&host = host_, lease = lease_, work](store::Verb& written) {
                              if (Resident* run = host.find(lease))
                                  run->reserved(work, std::get<store::Reserve>(written));
                          });
}

void Resident::reserved(const std::shared_ptr<Work>& work, store::Reserve& verb) {
    Call& call = work->call;
    if (!verb.reached && !still_ours(verb.outcome)) return;
    if (call.loop.state != CallState::Announcing) return;  // decided without it
    enter(call, CallState::Idle);
    if (!verb.reached && may_go_on()) return announce(work);
    if (work->cache) work->cache->flight.reset();
    remove_active(call);
    if (verb.reached && may_go_on()) {
        // What is under way goes on to its record: it is paid for.
        stop_ = Stop::OverBudget;
        stop_failure_ = std::make_unique<model::Failure>(
            model::Failure{std::string(to_string(ErrorCode::BudgetReached)),
                           std::get<store::Refused>(verb.outcome).why, call.name, call.path});
        last_stage_ = call.name;
    }
    after_turn();
}

}  // namespace belay::engine
