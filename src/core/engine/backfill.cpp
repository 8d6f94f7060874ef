#include "core/engine/backfill.hpp"

#include <algorithm>
#include <exception>
#include <utility>

#include <fmt/format.h>
#include <boost/describe.hpp>

#include <belay/codec.hpp>
#include <belay/error.hpp>

#include "core/base/limits.hpp"
#include "core/base/text.hpp"
#include "core/engine/outside.hpp"
#include "core/model/queue_json.hpp"
#include "core/store/child_end.hpp"

namespace belay::engine {

namespace {

using belay::detail::BackfillRequest;

struct Payload {
    std::string name;
    Time from;
    Time to;
    int limit = 0;
    bool dry_run = false;
};
BOOST_DESCRIBE_STRUCT(Payload, (), (name, from, to, limit, dry_run))

// Takes a transaction back that was only to count; carries what it counted.
struct OnlyCounted : std::exception {
    explicit OnlyCounted(std::string counted) : json(std::move(counted)) {}
    std::string json;
};

const model::StoredSchedule& schedule_named(const std::vector<model::StoredSchedule>& schedules,
                                            const std::string& name) {
    const auto found = std::ranges::find_if(
        schedules, [&](const auto& stored) { return stored.schedule.name == name; });
    if (found != schedules.end()) return *found;
    throw Error(
        ErrorCode::NotFound,
        fmt::format("there is no schedule `{}`; `belay schedules list` shows those that are there",
                    name));
}

void count(BackfillReport& report, const store::SubmitOutcome& outcome) {
    switch (outcome.kind) {
        case store::SubmitKind::Created:
            ++report.started;
            return;
        case store::SubmitKind::Joined:
        case store::SubmitKind::Retried:
        case store::SubmitKind::Deleted:
            ++report.there;
            return;
        case store::SubmitKind::Mismatch:
            ++report.taken;
            return;
        case store::SubmitKind::UnknownQueue:
            return;  // told by whoever asks
    }
}

}  // namespace

Backfill plan_backfill(const BackfillRequest& request,
                       const std::vector<model::StoredSchedule>& schedules, env::TimeZones& zones,
                       Time now, const std::string& code_version) {
    const model::Schedule& schedule = schedule_named(schedules, request.name).schedule;
    const int limit = request.options.limit;
    if (limit < 1 || limit > base::kBackfillTicksMax) {
        throw Error(ErrorCode::InvalidArgument, fmt::format("a limit of {} is outside 1 to {}",
                                                            limit, base::kBackfillTicksMax));
    }
    if (request.to <= request.from) {
        throw Error(ErrorCode::InvalidArgument,
                    fmt::format("the span ends ({}) before it begins ({})",
                                base::format_time(request.to), base::format_time(request.from)));
    }
    const model::Timetable table{schedule, zones.find(schedule.zone)};
    Backfill backfill;
    backfill.dry_run = request.options.dry_run;
    BackfillReport& report = backfill.report;
    Time at = request.from - Duration{1};
    while (const auto tick = table.next_after(at)) {
        // What is to come is the schedule's own.
        if (*tick >= request.to || table.fires_at(*tick) > now) break;
        if (report.ticks == limit) {
            report.next = tick;
            break;
        }
        at = *tick;
        ++report.ticks;
        if (!report.first) report.first = tick;
        report.last = tick;
        model::NewRun run = model::run_of(schedule, *tick, code_version);
        run.source_channel = "backfill";
        run.schedule.clear();
        backfill.runs.push_back(std::move(run));
    }
    return backfill;
}

void admit(Backfill& backfill, const Workflows& workflows,
           const std::vector<model::StoredSchedule>& schedules) {
    if (backfill.runs.empty()) return;
    const model::NewRun& first = backfill.runs.front();
    const auto stored = std::ranges::find_if(schedules, [&](const auto& one) {
        return first.id == model::run_id_of(one.schedule, *backfill.report.first);
    });
    if (stored != schedules.end() && is_declared(*stored)) return;
    if (workflows.contains(first.workflow_key)) {
        return admit_from_outside(workflows, first.workflow_key, first.organization_id,
                                  first.input);
    }
    for (model::NewRun& run : backfill.runs)
        run.source_channel = std::string(kUnadmitted) + run.source_channel;
}

store::Transact transact_of(Backfill backfill) {
    store::Transact transact;
    const auto planned = std::make_shared<const Backfill>(std::move(backfill));
    transact.body = [planned](store::SqlTx& tx) {
        BackfillReport report = planned->report;
        for (const model::NewRun& run : planned->runs) {
            const store::SubmitOutcome outcome = tx.submit(run);
            if (outcome.kind == store::SubmitKind::UnknownQueue)
                throw Error(ErrorCode::InvalidArgument, store::unknown_queue(run.queue));
            count(report, outcome);
        }
        std::string json = to_json(report);
        if (planned->dry_run) throw OnlyCounted(std::move(json));
        return json;
    };
    return transact;
}

BackfillReport report_of(const store::Transact& transact) {
    if (transact.rider.failed) std::rethrow_exception(transact.rider.failed);
    if (const auto* failed = std::get_if<store::BodyFailed>(&transact.outcome)) {
        try {
            std::rethrow_exception(failed->error);
        } catch (const OnlyCounted& counted) {
            return backfill_report(counted.json);
        }
    }
    return backfill_report(std::get<std::string>(transact.outcome));
}

std::string to_payload(const BackfillRequest& request) {
    return to_json(Payload{request.name, request.from, request.to, request.options.limit,
                           request.options.dry_run});
}

BackfillRequest backfill_request(const std::string& payload) {
    auto in = from_json<Payload>(payload);
    return {std::move(in.name), in.from, in.to, {in.limit, in.dry_run}};
}

BackfillReport backfill_report(const std::string& json) { return from_json<BackfillReport>(json); }

}  // namespace belay::engine
