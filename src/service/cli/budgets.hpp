// budgets.hpp — `belay budgets list|set|remove|approve`.
#pragma once

#include <string>

#include <boost/json/array.hpp>

#include <belay/budget.hpp>

#include "service/cli/exit_code.hpp"
#include "service/cli/screen.hpp"

namespace belay::cli {

// "20 USD", "0.5EUR", "50000 tokens". Throws Error{InvalidArgument} with what it should look like.
Money parse_amount(const std::string& text);

// Rows as model::budget_json writes them.
ExitCode list_budgets(const boost::json::array& rows, const Screen& screen, bool as_json);

}  // namespace belay::cli
