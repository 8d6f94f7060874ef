// matching.hpp — which receipt belongs to which line of a card statement.
//
// Pure functions over values; whoever calls them loads the lines and receipts and writes the outcome in one
// transaction. Lines with the fewest candidates choose first, a receipt is used once, what was decided by
// a person is never touched. FACTS A6 has where the windows and weights come from.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/describe.hpp>

#include "ingestion/ai/rules/date.hpp"
#include "ingestion/ai/rules/decimal.hpp"

namespace belay::ai::rules {

enum class MatchStatus { Pending, Auto, Manual, Confirmed, Unmatched, Ignored };
BOOST_DESCRIBE_ENUM(MatchStatus, Pending, Auto, Manual, Confirmed, Unmatched, Ignored)

// "pending", "auto", …: as the database and the API write it.
std::string_view to_text(MatchStatus status);
std::optional<MatchStatus> match_status_of(std::string_view text);

struct MatchTransition {
    MatchStatus from, to;
    std::string_view why;
};
inline constexpr std::array kMatchTransitions{
    MatchTransition{MatchStatus::Pending, MatchStatus::Auto, "a receipt fits"},
    MatchTransition{MatchStatus::Pending, MatchStatus::Manual, "someone linked a receipt"},
    MatchTransition{MatchStatus::Pending, MatchStatus::Unmatched, "no receipt fits"},
    MatchTransition{MatchStatus::Pending, MatchStatus::Ignored, "someone said that it needs none"},
    MatchTransition{MatchStatus::Auto, MatchStatus::Manual, "someone linked another receipt"},
    MatchTransition{MatchStatus::Auto, MatchStatus::Confirmed, "someone confirmed it"},
    MatchTransition{MatchStatus::Auto, MatchStatus::Unmatched, "someone rejected it"},
    MatchTransition{MatchStatus::Manual, MatchStatus::Confirmed, "someone confirmed it"},
    MatchTransition{MatchStatus::Manual, MatchStatus::Unmatched, "someone took the receipt away"},
    MatchTransition{MatchStatus::Unmatched, MatchStatus::Manual, "someone linked a receipt"},
    MatchTransition{MatchStatus::Unmatched, MatchStatus::Auto, "a receipt came later and fits"},
    MatchTransition{MatchStatus::Ignored, MatchStatus::Manual, "someone linked a receipt"},
    MatchTransition{MatchStatus::Ignored, MatchStatus::Pending, "someone said that it needs one"},
    MatchTransition{MatchStatus::Confirmed, MatchStatus::Auto,
                    "someone took the confirmation back"},
};

bool may_change(MatchStatus from, MatchStatus to);

struct MatchLine {
    std::string id{};
    Date date{};
    Decimal amount{};
    std::string merchant{};
    MatchStatus status = MatchStatus::Pending;
    std::string receipt{};               // linked now; empty if none
    std::vector<std::string> refused{};  // receipts that a person took away from it
};

struct MatchReceipt {
    std::string id{};
    Date date{};  // of the purchase; the day it was uploaded if that is unknown
    std::optional<Decimal> gross{}, gross_sek{}, net{}, net_sek{};
    std::string merchant{};
    bool personal = false;  // paid privately: never matched automatically

    // The first that is known and not zero, in this order.
    std::optional<Decimal> amount() const;
};

struct MatchRules {
    int days = 60;               // a receipt within this many days of the line is looked at
    Decimal tolerance{1000, 2};  // the amounts may differ by this much, for tips and rates
    std::size_t candidates_max = 25;
};

struct Candidate {
    std::string receipt{};
    Decimal difference{};
    int days = 0;
    double score = 0;
};

// How sure an automatic match is: clamp(1 − 0.6·ratio − min(days, 30)/120, 0.25, 0.95), ratio being the
// difference as a part of the amount, at most 1.
double match_confidence(Decimal line_amount, Decimal difference, int days);

// Receipts that could be a line's, best first: by difference, then by days, then by whether the merchants
// share a word.
std::vector<Candidate> match_candidates(const MatchLine& line,
                                        const std::vector<MatchReceipt>& receipts,
                                        const MatchRules& rules = {});

// For a person who chooses: within 7 days and 200 of the amount, at most 50; the receipt linked now first.
// score = 1 − 0.7·min(difference/amount, 1) − 0.3·min(days/30, 1).
std::vector<Candidate> candidates_to_choose(const MatchLine& line,
                                            const std::vector<MatchReceipt>& receipts);

struct MatchChange {
    std::string line{};
    MatchStatus from = MatchStatus::Pending, to = MatchStatus::Pending;
    std::string old_receipt{}, receipt{};
    double score = 0;
    std::string action{};  // matched | unmatched: the history row's
    std::string reason{};  // auto-match | auto-match-unmatched
};

// What an automatic run changes. Looks only at lines that are pending or unmatched; receipts that another
// line holds are taken, and one that a person took away from a line does not come back to it. A line that stays unmatched
// gives no change.
std::vector<MatchChange> match_automatically(const std::vector<MatchLine>& lines,
                                             const std::vector<MatchReceipt>& receipts,
                                             const MatchRules& rules = {});

// Someone links a receipt by hand, confirms a match or rejects it. Nothing if the line's status does not
// allow it; `ReceiptInUse` if another line holds the receipt.
struct ReceiptInUse {
    std::string by_line{};
};
struct NotAllowed {
    MatchStatus from{}, to{};
};
struct ManualOutcome {
    std::optional<MatchChange> change{};
    std::optional<ReceiptInUse> in_use{};
    std::optional<NotAllowed> not_allowed{};
};
ManualOutcome link_manually(const MatchLine& line, const std::string& receipt,
                            const std::vector<MatchLine>& lines);
ManualOutcome confirm_match(const MatchLine& line);
ManualOutcome reject_match(const MatchLine& line);
// Takes back that it was confirmed, or that it needs no receipt.
ManualOutcome reopen_match(const MatchLine& line);

// --- Documents ----------------------------------------------------------------------------------

enum class DocumentStatus { Imported, Matching, Matched, PartiallyMatched, Completed, Failed };
enum class ProcessingStatus {
    Uploaded,
    OcrPending,
    OcrDone,
    AiProcessing,
    ReadyForMatching,
    MatchingCompleted,
    Completed,
    Failed
};
std::string_view to_text(DocumentStatus status);
std::string_view to_text(ProcessingStatus status);
bool may_change(DocumentStatus from, DocumentStatus to);
bool may_change(ProcessingStatus from, ProcessingStatus to);

// What a document's status is by its lines: matched if every line that needs a receipt has one, partially
// matched if some have, imported if none has.
DocumentStatus status_by_lines(const std::vector<MatchLine>& lines);

}  // namespace belay::ai::rules
