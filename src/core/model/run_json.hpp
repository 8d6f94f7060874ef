// run_json.hpp — a run as the JSON that the HTTP API and `belay --json` show.
//
// Times are RFC 3339 in UTC with milliseconds; what does not exist is null.
#pragma once

#include <optional>
#include <vector>

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include "core/model/death.hpp"
#include "core/model/run.hpp"
#include "core/model/said.hpp"
#include "core/model/stage.hpp"
#include "core/model/why.hpp"

namespace belay::model {

// One row of a list: everything of the run itself except its input and result.
boost::json::object run_summary_json(const Run& run, const Labels& labels);

// The whole run, with its stages by position and the failed attempts of each, and the deaths that it lived through.
// Of workers there only worker_mark() is told: hosts are nobody's business.
boost::json::object run_json(const Run& run, const std::vector<Stage>& stages,
                             const std::vector<Attempt>& attempts, const std::vector<Death>& deaths,
                             const Said& said);

boost::json::object why_json(const Run& run, const Why& why,
                             const std::optional<Executor>& executor);

}  // namespace belay::model
