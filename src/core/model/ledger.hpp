// ledger.hpp — what runs did and cost, added up by day, workflow and organization.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include <boost/json/object.hpp>

#include "core/model/cost.hpp"
#include "core/model/run.hpp"

namespace belay::model {

struct LedgerFilter {
    std::optional<Time> since{};    // runs that ended then or later; the day it is in counts whole
    std::optional<Time> until{};    // and before then; likewise
    std::string workflow_key{};     // empty: any
    std::string organization_id{};  // empty: any
};

struct LedgerRow {
    Time day{};  // its beginning, UTC
    std::string workflow_key{};
    std::string organization_id{};
    std::int64_t succeeded = 0, failed = 0, canceled = 0;  // runs
    std::int64_t steps = 0;                                // steps and transactions that succeeded
    Duration time{0};                                      // that those took
    Cost cost{};
    Saved saved{};           // by checkpoints: what was recorded was not run again
    Saved saved_by_cache{};  // answers of other runs

    friend bool operator==(const LedgerRow&, const LedgerRow&) = default;
};

// The beginning of the day (UTC) that a time is in.
Time day_of(Time time);

// Adds all but day, workflow and organization. A sum that does not fit stays at what it was: statistics
// must not fail for one absurd record.
void add_to(LedgerRow& row, const LedgerRow& more);

// What a run adds to the ledger by itself, and each of its stages; the second only its cost.
LedgerRow ledger_row_of(const Run& run);
void add_stage(LedgerRow& row, const Stage& stage);
void add_stage_cost(LedgerRow& row, const Stage& stage);

// What is kept of deleted runs, as one column: everything of a row but its three names.
std::string ledger_text(const LedgerRow& row);
void read_ledger_text(LedgerRow& row, std::string_view text);

// Rows by their three names, as a store adds them up.
using LedgerSums = std::map<std::tuple<Time, std::string, std::string>, LedgerRow>;
LedgerRow& row_of(LedgerSums& sums, Time day, const std::string& workflow_key,
                  const std::string& organization_id);
std::vector<LedgerRow> rows_of(const LedgerSums& sums);
bool matches(const LedgerFilter& filter, Time day, std::string_view workflow_key,
             std::string_view organization_id);

// ---- what a stage cost, and what it did not

// Whether it is something that is run: a step or a transaction.
bool is_work(const Stage& stage);
Duration time_of(const Stage& stage);

// The `cost` column of a stage: what was paid, and (`"cached": {…}`) what an answer from the cache spared.
// Nothing if there is neither.
std::optional<std::string> stage_cost_text(const Cost* paid, const Cost* spared);
Saved saved_by_cache(const Stage& stage);

// What was recorded when a run is picked up again after a death or a retry, and so is not done again.
Saved saved_by_pick_up(const std::vector<Stage>& stages);
Saved saved_of(const Run& run);  // its column
Saved saved_from(const boost::json::object& json);
void add_to(Saved& sum, const Saved& more);

// {"runs", "succeeded", "failed", "canceled", "steps", "time_ms", "cost", "saved", "cached"}
boost::json::object ledger_json(const LedgerRow& row);

}  // namespace belay::model
