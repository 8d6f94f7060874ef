// operations_views.hpp — the shapes of the operations routes, for /openapi.json.
//
// model/queue_json.hpp writes queues and schedules (the CLI's --json is the same text); a test holds every answer
// against these.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <boost/describe.hpp>
#include <boost/json/value.hpp>

#include <belay/time.hpp>

namespace belay::api {

struct RateView {
    std::int64_t starts;
    std::int64_t period_ms;
    std::int64_t tokens_left;
};
BOOST_DESCRIBE_STRUCT(RateView, (), (starts, period_ms, tokens_left))

struct QueueView {
    std::string name;
    bool paused;
    std::optional<std::string> pause_reason;
    std::optional<std::int64_t> concurrency;
    std::optional<std::int64_t> concurrency_per_worker;
    std::optional<RateView> rate;
    std::int64_t in_line;
    std::int64_t running;
    std::int64_t waiting;
    std::int64_t delayed;
    std::int64_t paused_runs;
    std::optional<Time> oldest_at;
};
BOOST_DESCRIBE_STRUCT(QueueView, (),
                      (name, paused, pause_reason, concurrency, concurrency_per_worker, rate,
                       in_line, running, waiting, delayed, paused_runs, oldest_at))

// What is left out of these stays as it is; null lifts the limit.
struct RateBody {
    std::int64_t starts;
    std::int64_t period_ms;
};
BOOST_DESCRIBE_STRUCT(RateBody, (), (starts, period_ms))
struct LimitsBody {
    std::optional<std::int64_t> concurrency;
    std::optional<std::int64_t> concurrency_per_worker;
    std::optional<RateBody> rate;
};
BOOST_DESCRIBE_STRUCT(LimitsBody, (), (concurrency, concurrency_per_worker, rate))

struct ScheduleView {
    std::string name;
    std::string workflow_key;
    std::string cron;
    std::string zone;
    boost::json::value input;
    std::string catch_up;
    std::int64_t catch_up_max;
    std::string overlap;
    std::int64_t jitter_ms;
    std::optional<Time> start;
    std::optional<Time> end;
    std::optional<std::string> queue;
    std::int64_t priority;
    std::optional<std::string> organization_id;
    bool paused;
    std::optional<Time> next_tick;
    std::optional<Time> last_tick;
    std::optional<std::string> last_run_id;
    std::optional<Time> buffered_tick;
    std::int64_t fired;
    std::int64_t lost;
};
BOOST_DESCRIBE_STRUCT(ScheduleView, (),
                      (name, workflow_key, cron, zone, input, catch_up, catch_up_max, overlap,
                       jitter_ms, start, end, queue, priority, organization_id, paused, next_tick,
                       last_tick, last_run_id, buffered_tick, fired, lost))

// Which ticks are made up for: from `from` on and before `to` (now, if it is left out), the oldest `limit` (100). Times
// are RFC 3339.
struct BackfillBody {
    std::string from;
    std::optional<std::string> to;
    std::optional<std::int64_t> limit;
    std::optional<bool> dry_run;
};
BOOST_DESCRIBE_STRUCT(BackfillBody, (), (from, to, limit, dry_run))

struct BackfillView {
    std::int64_t ticks;
    std::int64_t started;
    std::int64_t there;
    std::int64_t taken;
    std::optional<Time> first;
    std::optional<Time> last;
    std::optional<Time> next;
};
BOOST_DESCRIBE_STRUCT(BackfillView, (), (ticks, started, there, taken, first, last, next))

// Amounts are decimal strings, in `unit`: a currency, or "tokens".
struct BudgetView {
    std::string name;
    std::string set_by;
    std::string organization;  // "*": all of them together
    std::optional<std::string> workflow;
    std::string per;  // "run" or "day"
    std::string unit;
    std::string amount;                 // as it was set
    std::optional<std::string> period;  // that the next three are of: a day or a run
    std::string limit;                  // with what was approved for it
    std::string spent;
    std::string reserved;
};
BOOST_DESCRIBE_STRUCT(BudgetView, (),
                      (name, set_by, organization, workflow, per, unit, amount, period, limit,
                       spent, reserved))

struct SetBudgetView {
    std::string name;
    std::string set_by;
    std::string organization;
    std::optional<std::string> workflow;
    std::string per;
    std::string unit;
    std::string amount;
};
BOOST_DESCRIBE_STRUCT(SetBudgetView, (), (name, set_by, organization, workflow, per, unit, amount))

struct RemovedBudgetView {
    std::string name;
};
BOOST_DESCRIBE_STRUCT(RemovedBudgetView, (), (name))

// Money, or tokens.
struct BudgetBody {
    std::optional<std::string> amount;
    std::optional<std::string> currency;
    std::optional<std::int64_t> tokens;
    std::string per;
    std::optional<std::string> workflow;
    std::optional<std::string> organization;
};
BOOST_DESCRIBE_STRUCT(BudgetBody, (), (amount, currency, tokens, per, workflow, organization))

// A new limit for the run or the day; without one, what was asked is paid once.
struct ApproveBody {
    std::optional<std::string> amount;
    std::optional<std::string> currency;
    std::optional<std::int64_t> tokens;
};
BOOST_DESCRIBE_STRUCT(ApproveBody, (), (amount, currency, tokens))

struct TriggeredView {
    std::string name;
    std::string workflow_run_id;
    std::string workflow_key;
};
BOOST_DESCRIBE_STRUCT(TriggeredView, (), (name, workflow_run_id, workflow_key))

struct WorkerView {
    std::string name;
    std::optional<std::string> code_version;
    Time since;
    std::vector<std::string> workflow_keys;
};
BOOST_DESCRIBE_STRUCT(WorkerView, (), (name, code_version, since, workflow_keys))

// Runs that ended in [from, from + bucket_ms). How long they took is from their start to their end.
struct ActivityBucketView {
    Time from;
    std::int64_t succeeded;
    std::int64_t failed;
    std::int64_t canceled;
    std::optional<std::int64_t> median_ms;
    std::optional<std::int64_t> slow_ms;  // 95 of 100 took less
};
BOOST_DESCRIBE_STRUCT(ActivityBucketView, (),
                      (from, succeeded, failed, canceled, median_ms, slow_ms))

struct ActivityView {
    Time from;
    Time until;
    std::int64_t bucket_ms;
    bool complete;  // false: there were more runs than are looked at; the oldest are missing
    std::vector<ActivityBucketView> buckets;
};
BOOST_DESCRIBE_STRUCT(ActivityView, (), (from, until, bucket_ms, complete, buckets))

struct CauseView {
    std::string cause;  // what POST /api/failures/{cause}/retry takes
    std::string workflow_key;
    std::optional<std::string> stage_key;
    std::string code;
    std::string message;  // of the newest
    std::int64_t runs;
    std::int64_t parents;  // runs that failed only because one of these did
    std::string newest_run_id;
    Time newest_at;
    Time oldest_at;
};
BOOST_DESCRIBE_STRUCT(CauseView, (),
                      (cause, workflow_key, stage_key, code, message, runs, parents, newest_run_id,
                       newest_at, oldest_at))

struct CausesView {
    std::vector<CauseView> causes;  // the one with the most runs first
    bool complete;                  // false: only the newest failed runs were looked at
};
BOOST_DESCRIBE_STRUCT(CausesView, (), (causes, complete))

struct RetriedView {
    std::string cause;
    std::int64_t retried;
    std::int64_t refused;  // changed meanwhile
    bool more;             // there are more of this cause: ask again
};
BOOST_DESCRIBE_STRUCT(RetriedView, (), (cause, retried, refused, more))

}  // namespace belay::api
