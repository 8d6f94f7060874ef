// riding_port.hpp — calls on an engine with a rider: what is written in the very transaction of their effect.
//
// For a door that does each request once: the request's key and its answer commit with what was asked, or not at all.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include <belay/detail/outside_port.hpp>

namespace belay::store {
struct Ridden;
enum class ControlKind;
}  // namespace belay::store

namespace belay::detail {

// Called in the transaction when the verb has done what it was asked, and told how the run or the schedule stands. What
// it throws takes the verb back and is thrown to the caller. As with every body it may be called twice; its effect
// commits once.
using Ride = std::function<void(Tx&, const store::Ridden&)>;
using RideOnSchedule = std::function<void(Tx&, const ScheduleInfo&)>;
using RideOnBackfill = std::function<void(Tx&, const BackfillReport&)>;

class RidingPort : public OutsidePort {
public:
    // As the calls of the same name without a rider; `control` is cancel, pause, resume and retry.
    virtual void control(const std::string& id, store::ControlKind kind, std::string_view reason,
                         Ride ride) = 0;
    using EnginePort::backfill;
    using EnginePort::approve_spending;
    using EnginePort::change_budget;
    using EnginePort::change_queue;
    using EnginePort::change_schedule;
    using EnginePort::send;
    using OutsidePort::fork_from_outside;
    using OutsidePort::submit_from_outside;
    virtual std::string submit_from_outside(Submission submission, Ride ride) = 0;
    virtual std::string fork_from_outside(const std::string& id, const ForkOptions& options,
                                          Ride ride) = 0;
    virtual void send(const std::string& id, std::string_view topic, std::string payload,
                      const SendOptions& options, Ride ride) = 0;
    virtual void change_queue(const QueueRequest& request, Ride ride) = 0;
    virtual void change_schedule(const ScheduleRequest& request, RideOnSchedule ride) = 0;
    virtual BackfillReport backfill(const BackfillRequest& request, RideOnBackfill ride) = 0;
    virtual void change_budget(const BudgetRequest& request, Ride ride) = 0;
    virtual void approve_spending(const ApprovalRequest& request, Ride ride) = 0;
};

}  // namespace belay::detail
