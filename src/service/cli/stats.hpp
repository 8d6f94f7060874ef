// stats.hpp — `belay stats`: what runs did and cost, added up by day, workflow or organization.
#pragma once

#include <string>
#include <vector>

#include "core/model/ledger.hpp"
#include "service/cli/exit_code.hpp"
#include "service/cli/screen.hpp"

namespace belay::cli {

// What the rows are told apart by.
struct StatsBy {
    bool day = false;
    bool workflow = false;
    bool organization = false;
};

// "workflow,day". Throws Error{InvalidArgument} for another word.
StatsBy stats_by(const std::string& words);

// Rows that are not told apart are one.
std::vector<model::LedgerRow> added_up(const std::vector<model::LedgerRow>& rows,
                                       const StatsBy& by);

ExitCode print_stats(const std::vector<model::LedgerRow>& rows, const StatsBy& by,
                     const Screen& screen);
// {"stats": [{"day", "workflow_key", "organization_id", "runs", …}], "total": {…}}
ExitCode print_stats_json(const std::vector<model::LedgerRow>& rows, const StatsBy& by,
                          const Screen& screen);

}  // namespace belay::cli
