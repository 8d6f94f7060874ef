// budget.hpp — limits on what may be paid, as they are stored, and the arithmetic of money and tokens alike.
//
// An amount is Money; tokens are Money in kTokenUnit, so that there is one way to add, to compare and to tell.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <boost/json/object.hpp>

#include <belay/budget.hpp>
#include <belay/time.hpp>

#include "core/model/run.hpp"

namespace belay::model {

// In Budget::organization: of every organization, together.
inline constexpr std::string_view kAllOrganizations = "*";

struct StoredBudget {
    std::string set_by{};  // an organization; with the name it is what a budget is known by
    std::string name{};
    Budget budget{};
    std::string declared{};  // what the program's code said last; empty: somebody set it

    friend bool operator==(const StoredBudget&, const StoredBudget&) = default;
};

// What a paid call may cost, kept free for it; or, `asked`, what it wanted when it was refused.
struct Reservation {
    RunNo run{};
    std::string path{};  // of its stage
    std::string day{};   // that it counts for, "2026-11-19"
    std::string organization_id{};
    std::string workflow_key{};
    Cost at_most{};
    Cost before{};  // what the stage had cost by then
    bool asked = false;

    friend bool operator==(const Reservation&, const Reservation&) = default;
};

// Why a paid call is not made.
struct Reached {
    StoredBudget budget{};
    std::string period{};
    Money limit{};  // with what was approved
    Money spent{};
    Money reserved{};
    Money asked{};

    friend bool operator==(const Reached&, const Reached&) = default;
};

// A person's word about a run that a budget has paused.
struct Approval {
    std::string by{};      // the organization that approves
    bool is_own = false;   // it is the engine's own: it may raise whatever was set
    Money limit{};         // nothing: what was asked, once
};

// Throws Error{InvalidArgument} for a name or a limit that cannot be.
void check_budget(const std::string& name, const Budget& budget);
std::string declaration_of(const Budget& budget);

// Whether it counts what runs of that organization and workflow pay.
bool counts(const Budget& budget, std::string_view organization_id, std::string_view workflow_key);

Money limit_of(const Budget& budget);
// Of a cost, what that budget counts.
Money counted(const Cost& cost, const Budget& budget);
Money difference(const Money& a, const Money& b);
bool is_negative(const Money& amount);
Cost difference(const Cost& a, const Cost& b);  // money and tokens alone

std::string day_text(Time now);
// The day, or the run.
std::string period_of(const Budget& budget, RunNo run, const std::string& day);

// For people: "20 USD", "4000 tokens".
std::string amount_text(const Money& amount);
// "20 USD a day for WF1_RECEIPT", "50000 tokens a run".
std::string limit_text(const Budget& budget);
// Which budget, its limit, what is spent and reserved. Of all organizations together only that it is reached: what
// others pay is theirs.
std::string sentence_of(const Reached& reached, std::string_view stage);

// In the store: {"amount": "20", "currency": "USD"} or {"tokens": 4000}, with "per", "workflow", "organization". Throws
// Error{BadValue} for what is none.
std::string budget_text(const Budget& budget);
Budget read_budget(std::string_view json);
// For people and over HTTP: {"name", "set_by", "organization", "workflow", "per", "unit": "USD" or "tokens", "amount" as it
// was set, "period", "limit" with what was approved for that period, "spent", "reserved"}.
boost::json::object budget_json(const BudgetInfo& info);

}  // namespace belay::model
