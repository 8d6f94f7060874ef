// tables.hpp — the memory store's rows, and how to take back what was written to them.
//
// Plain maps. Every write notes its own inverse, so a batch, a verb or a body that fails is undone
// by running the notes backwards; nothing is copied that was not touched.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/model/run.hpp"
#include "core/model/stage.hpp"
#include "core/store/batch.hpp"
#include "core/store/spending.hpp"
#include "core/store/store.hpp"

namespace belay::store::memory {

struct Request {
    ControlRequest asked;
    std::optional<Store::Answer> answer;
};

// What is left of a run that was deleted.
struct Tombstone {
    model::Run run{};  // id, workflow_key, organization_id, status, completed_at
    std::string input{};
};

struct CachedAnswer {
    Store::Cached answer{};
    Time expires_at{};
};

// What may be paid, is kept free and was spent (store/spending.hpp).
struct Spending {
    std::map<std::pair<std::string, std::string>, model::StoredBudget> budgets;  // who set it, name
    std::map<SpendingKey, std::string> amounts;
    std::map<std::pair<RunNo, std::string>, model::Reservation> reservations;
};

void forget_spending(Spending& spending, RunNo run);

struct Message {
    std::int64_t id = 0;
    model::NewMessage sent{};
    Time created_at{};
    bool is_read = false;
    std::optional<Time> read_at{};
    std::string misfit{};
};

// Where a run stands in the line of its queue: those that have begun, then by priority, turn and number.
struct LinePlace {
    bool is_fresh = false;
    std::int64_t before = 0;  // minus the priority
    std::int64_t turn = 0;
    RunNo run{};

    friend auto operator<=>(const LinePlace&, const LinePlace&) = default;
};
LinePlace line_place(const model::Run& run);

using Lane = std::pair<std::string, std::int64_t>;  // a queue and a priority

// When a queued or waiting run may be claimed: without a wake_at, since it was created.
Time due_at(const model::Run& run);

class Tables {
public:
    using Mark = std::size_t;

    // ---- reading; a pointer is good until the next write

    const model::Run* run(RunNo no) const;
    const model::Run* run(std::string_view id) const;
    const model::Stage* stage(RunNo run, std::string_view path) const;
    std::vector<model::Stage> stages(RunNo run) const;  // by position
    std::vector<model::Attempt> attempts(RunNo run) const;
    std::vector<model::Death> deaths(RunNo run) const;
    model::Said said(RunNo run) const;
    const std::set<RunNo>& runs_with(RunStatus status) const;
    const std::set<std::pair<Time, RunNo>>& due() const { return due_; }  // queued and waiting
    const std::map<std::int64_t, Request>& requests() const { return requests_; }
    const std::map<std::int64_t, Message>& messages() const { return messages_; }
    std::vector<std::pair<RunNo, std::string>> waiters(RunNo run) const;  // who, and at which path
    // Who a run awaits that has not ended, and at which path.
    std::vector<std::pair<RunNo, std::string>> awaited_by(RunNo waiter) const;
    // What has ended of what it awaits, and at which path.
    std::vector<std::pair<RunNo, std::string>> came(RunNo waiter) const;
    std::vector<RunNo> children(RunNo run) const;
    RunNo last_run() const { return last_run_; }
    const std::map<std::string, model::Queue>& queues() const { return queues_; }
    const std::map<std::string, model::StoredSchedule>& schedules() const { return schedules_; }
    // In line, by queue; their due_at is not in due().
    const std::map<std::string, std::set<LinePlace>>& lines() const { return lines_; }
    std::int64_t last_turn(const Lane& lane,
                           const std::string& partition) const;  // in line; 0 if none
    std::int64_t served_turn(const Lane& lane) const;
    // Tokens taken, by when they are counted.
    const std::map<Time, std::int64_t>& starts(const std::string& queue) const;
    const model::Run* dedupe(const model::NewRun& run) const;  // the unfinished run it joins
    std::vector<RunNo> unfinished_of(const std::string& schedule) const;
    const std::optional<model::Worker>& worker() const { return worker_; }
    std::vector<RunNo> all_runs() const;  // by number
    const Tombstone* tombstone(std::string_view id) const;
    const CachedAnswer* cached(std::string_view key) const;
    const model::LedgerSums& ledger() const { return ledger_; }  // of deleted runs
    const Spending& spending() const { return spending_; }

    // ---- writing

    RunNo insert_run(model::Run run);  // gives it its number
    void put_run(const model::Run& run);
    void put_stage(RunNo run, const model::Stage& stage);
    void remove_stage(RunNo run, const std::string& path);  // and its attempts
    void add_attempt(RunNo run, const model::Attempt& attempt);
    void put_death(RunNo run, const model::Death& death);
    void add_said(RunNo run, const model::Said& said);  // over what stands under those names
    std::int64_t insert_request(ControlRequest request);
    void answer_request(std::int64_t id, Store::Answer answer);
    void add_message(model::NewMessage message, Time now);
    void read_message(std::int64_t id, Time now, std::string misfit = {});
    void forget_history(RunNo run);         // all its stages and attempts
    void put_worker(model::Worker worker);  // the one that executes
    void add_waiter(RunNo run, RunNo waiter, const std::string& path);
    void remove_waiters(RunNo run);
    void put_came(RunNo waiter, RunNo run, const std::string& path);
    void remove_came(RunNo waiter, RunNo run, const std::string& path);
    void put_queue(const model::Queue& queue);
    void remove_queue(const std::string& name);
    void put_schedule(const model::StoredSchedule& schedule);
    void remove_schedule(const std::string& name);
    void serve_turn(const Lane& lane, std::int64_t turn);
    void take_token(const std::string& queue, Time counted_at);

    void remove_run(RunNo run);  // with all that belongs to it
    void put_tombstone(Tombstone tombstone);
    void remove_tombstone(const std::string& id);
    void put_cached(const std::string& key, CachedAnswer answer);
    void remove_expired(Time now);
    void add_to_ledger(const model::LedgerRow& row);
    Spending& change_spending();  // until the next write

    // ---- taking back

    Mark mark() const { return undo_.size(); }
    void roll_back_to(Mark mark);
    void keep() { undo_.clear(); }  // the batch committed

private:
    struct Row {
        model::Run run;
        std::map<std::string, model::Stage, std::less<>> stages;
        std::vector<model::Attempt> attempts;
        std::map<std::pair<std::int64_t, std::string>, model::Death> deaths;  // by epoch and worker
        model::Said said;
    };

    void replace(RunNo no, const model::Run& run);
    void index(const model::Run& run);
    void unindex(const model::Run& run);

    std::map<RunNo, Row> rows_;
    std::map<std::string, RunNo, std::less<>> by_id_;
    std::map<RunStatus, std::set<RunNo>> by_status_;
    std::set<std::pair<Time, RunNo>> due_;
    std::map<std::string, std::set<LinePlace>> lines_;
    std::map<std::pair<Lane, std::string>, std::multiset<std::int64_t>>
        turns_;                                          // in line, by partition
    std::map<std::string, std::set<RunNo>> unfinished_;  // of a schedule
    std::map<std::string, std::set<RunNo>> dedupe_;      // unfinished, by dedupe id
    std::map<std::string, model::Queue> queues_;
    std::map<std::string, model::StoredSchedule> schedules_;
    std::map<Lane, std::int64_t> served_;
    std::map<std::string, std::map<Time, std::int64_t>> starts_;
    std::map<std::int64_t, Request> requests_;
    std::map<std::int64_t, Message> messages_;
    std::map<RunNo, std::set<std::pair<RunNo, std::string>>> waiters_;
    std::map<RunNo, std::set<std::pair<RunNo, std::string>>> came_;  // by the waiter
    std::map<RunNo, std::set<RunNo>> children_;
    std::map<std::string, Tombstone, std::less<>> tombstones_;
    std::map<std::string, CachedAnswer, std::less<>> cached_;
    model::LedgerSums ledger_;
    Spending spending_;
    std::int64_t last_message_ = 0;
    std::optional<model::Worker> worker_;
    RunNo last_run_;
    std::int64_t last_request_ = 0;
    std::vector<std::function<void()>> undo_;
};

}  // namespace belay::store::memory
