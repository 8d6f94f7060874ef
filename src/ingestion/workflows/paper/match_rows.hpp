// match_rows.hpp — receipts matched to the lines of card statements: the rules of ai/rules/matching.hpp on rows.
//
// Every function runs inside a transaction. A line changes its status only along kMatchTransitions, by an update that
// names the status it leaves: who comes second changes nothing and is told so. Every change is a row of
// invoice_line_history, and the receipt, the item and the document change with it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include <boost/describe.hpp>

#include <belay/tx.hpp>

#include "ingestion/ai/rules/matching.hpp"

namespace belay::workflows {

struct MatchSettings {
    ai::rules::MatchRules rules{};
    // The company's cards are known, so a receipt paid with another card is private.
    bool cards_known = false;
};
struct PaperOptions;
MatchSettings match_settings(const PaperOptions& options);

// What became of a document's lines.
struct MatchSummary {
    std::string document_id{};
    std::string status{};  // of the document
    int lines = 0;         // that need a receipt
    int matched = 0;
    int unmatched = 0;
    int changed = 0;  // by this call
};
BOOST_DESCRIBE_STRUCT(MatchSummary, (), (document_id, status, lines, matched, unmatched, changed))

// Matches what is pending or unmatched; what a person decided stays. Throws Error{NotFound}.
MatchSummary match_document(Tx& tx, const std::string& document_id, const MatchSettings& settings);

// A receipt has come, or was corrected: matches the statements that have an open line for it, by its amount within the
// window of days. Gives how many lines changed.
int match_receipt(Tx& tx, const std::string& file_id, const MatchSettings& settings);

// ---- by hand

struct LineChanged {
    std::string document_id{};
    std::int64_t line_id = 0;
    std::string match_status{};
    std::optional<std::string> matched_file_id{};
};
BOOST_DESCRIBE_STRUCT(LineChanged, (), (document_id, line_id, match_status, matched_file_id))

struct LineNotFound {};
struct ReceiptNotFound {};
struct ReceiptTaken {
    std::int64_t by_line = 0;
};
struct NotPossible {
    std::string from{}, to{};
};
using LineOutcome =
    std::variant<LineChanged, LineNotFound, ReceiptNotFound, ReceiptTaken, NotPossible>;

enum class LineAction { Link, Confirm, Reject, Ignore, Reopen };

// `receipt_id` only for Link. `by` is whoever asked, for the history.
LineOutcome change_line(Tx& tx, const std::string& organization_id, std::int64_t line_id,
                        LineAction action, const std::string& receipt_id, const std::string& by);

// A line and the receipts of an organization as the rules see them.
std::optional<ai::rules::MatchLine> find_line(Tx& tx, const std::string& organization_id,
                                              std::int64_t line_id);
std::vector<ai::rules::MatchReceipt> receipts_near(Tx& tx, const std::string& organization_id,
                                                   const ai::rules::Date& from,
                                                   const ai::rules::Date& to,
                                                   const std::string& currency, bool cards_known);

}  // namespace belay::workflows
