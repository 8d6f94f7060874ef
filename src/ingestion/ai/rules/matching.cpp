// matching.cpp — candidates, scores, and who chooses first.
#include "ingestion/ai/rules/matching.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "ingestion/ai/rules/fold.hpp"

namespace belay::ai::rules {
namespace {

bool share_a_word(std::string_view a, std::string_view b) {
    const auto words = fold_words(a);
    for (const auto& word : fold_words(b)) {
        if (word.size() >= 4 && std::find(words.begin(), words.end(), word) != words.end())
            return true;
    }
    return false;
}

int days_between(const Date& a, const Date& b) { return std::abs(a.days() - b.days()); }

struct Ranked {
    Candidate candidate{};
    bool merchant = false;
};

std::vector<Ranked> within(const MatchLine& line, const std::vector<MatchReceipt>& receipts,
                           int days, Decimal tolerance) {
    std::vector<Ranked> found;
    if (!line.date.is_valid()) return found;
    for (const auto& receipt : receipts) {
        const auto amount = receipt.amount();
        if (!amount || !receipt.date.is_valid()) continue;
        // A refund matches a refund, never a purchase.
        if (amount->is_negative() != line.amount.is_negative()) continue;
        const auto difference = (*amount - line.amount).abs();
        const int apart = days_between(line.date, receipt.date);
        if (difference > tolerance || apart > days) continue;
        found.push_back(
            {{receipt.id, difference, apart, 0}, share_a_word(line.merchant, receipt.merchant)});
    }
    std::stable_sort(found.begin(), found.end(), [](const Ranked& a, const Ranked& b) {
        if (a.candidate.difference != b.candidate.difference)
            return a.candidate.difference < b.candidate.difference;
        if (a.candidate.days != b.candidate.days) return a.candidate.days < b.candidate.days;
        return a.merchant && !b.merchant;
    });
    return found;
}

double ratio_of(Decimal difference, Decimal amount) {
    if (amount.is_zero()) return difference.is_zero() ? 0 : 1;
    return std::min(1.0, difference.approx() / std::abs(amount.approx()));
}

MatchChange change_of(const MatchLine& line, MatchStatus to, const std::string& receipt,
                      double score, std::string action, std::string reason) {
    return {line.id,           line.status,      to, line.receipt, receipt, score,
            std::move(action), std::move(reason)};
}

}  // namespace

std::optional<Decimal> MatchReceipt::amount() const {
    for (const auto& value : {gross, gross_sek, net, net_sek}) {
        if (value && !value->is_zero()) return value;
    }
    return std::nullopt;
}

double match_confidence(Decimal line_amount, Decimal difference, int days) {
    const double sure = 1 - 0.6 * ratio_of(difference, line_amount) - std::min(days, 30) / 120.0;
    return std::clamp(sure, 0.25, 0.95);
}

std::vector<Candidate> match_candidates(const MatchLine& line,
                                        const std::vector<MatchReceipt>& receipts,
                                        const MatchRules& rules) {
    std::vector<Candidate> candidates;
    std::vector<MatchReceipt> business;
    std::copy_if(receipts.begin(), receipts.end(), std::back_inserter(business),
                 [](const MatchReceipt& r) { return !r.personal; });
    for (auto& ranked : within(line, business, rules.days, rules.tolerance)) {
        if (candidates.size() == rules.candidates_max) break;
        ranked.candidate.score =
            match_confidence(line.amount, ranked.candidate.difference, ranked.candidate.days);
        candidates.push_back(ranked.candidate);
    }
    return candidates;
}

std::vector<Candidate> candidates_to_choose(const MatchLine& line,
                                            const std::vector<MatchReceipt>& receipts) {
    constexpr std::size_t kMost = 50;
    std::vector<Candidate> candidates;
    for (auto& ranked : within(line, receipts, 7, Decimal{20000, 2})) {
        auto& c = ranked.candidate;
        c.score =
            1 - 0.7 * ratio_of(c.difference, line.amount) - 0.3 * std::min(1.0, c.days / 30.0);
        candidates.push_back(c);
    }
    std::stable_partition(candidates.begin(), candidates.end(),
                          [&](const Candidate& c) { return c.receipt == line.receipt; });
    if (candidates.size() > kMost) candidates.resize(kMost);
    return candidates;
}

std::vector<MatchChange> match_automatically(const std::vector<MatchLine>& lines,
                                             const std::vector<MatchReceipt>& receipts,
                                             const MatchRules& rules) {
    std::set<std::string> taken;
    for (const auto& line : lines) {
        if (!line.receipt.empty()) taken.insert(line.receipt);
    }
    struct Open {
        const MatchLine* line;
        std::vector<Candidate> candidates;
    };
    std::vector<Open> open;
    for (const auto& line : lines) {
        const bool free =
            line.status == MatchStatus::Pending || line.status == MatchStatus::Unmatched;
        if (!free) continue;
        auto candidates = match_candidates(line, receipts, rules);
        std::erase_if(candidates, [&, line = &line](const Candidate& c) {
            return taken.contains(c.receipt) ||
                   std::ranges::find(line->refused, c.receipt) != line->refused.end();
        });
        open.push_back({&line, std::move(candidates)});
    }
    // Fewest candidates first: who has no choice must not lose to who has many.
    std::stable_sort(open.begin(), open.end(), [](const Open& a, const Open& b) {
        if (a.candidates.size() != b.candidates.size())
            return a.candidates.size() < b.candidates.size();
        if (a.candidates.empty()) return false;
        return a.candidates.front().difference < b.candidates.front().difference;
    });
    std::vector<MatchChange> changes;
    for (const auto& [line, candidates] : open) {
        const auto best =
            std::find_if(candidates.begin(), candidates.end(),
                         [&](const Candidate& c) { return !taken.contains(c.receipt); });
        if (best != candidates.end()) {
            taken.insert(best->receipt);
            changes.push_back(change_of(*line, MatchStatus::Auto, best->receipt, best->score,
                                        "matched", "auto-match"));
        } else if (line->status == MatchStatus::Pending) {
            changes.push_back(change_of(*line, MatchStatus::Unmatched, "", 0, "unmatched",
                                        "auto-match-unmatched"));
        }
    }
    return changes;
}

ManualOutcome link_manually(const MatchLine& line, const std::string& receipt,
                            const std::vector<MatchLine>& lines) {
    for (const auto& other : lines) {
        if (other.id != line.id && other.receipt == receipt)
            return {{}, ReceiptInUse{other.id}, {}};
    }
    if (line.status != MatchStatus::Manual && !may_change(line.status, MatchStatus::Manual)) {
        return {{}, {}, NotAllowed{line.status, MatchStatus::Manual}};
    }
    return {change_of(line, MatchStatus::Manual, receipt, 1.0, "matched", "manual-match"), {}, {}};
}

ManualOutcome confirm_match(const MatchLine& line) {
    if (!may_change(line.status, MatchStatus::Confirmed) || line.receipt.empty()) {
        return {{}, {}, NotAllowed{line.status, MatchStatus::Confirmed}};
    }
    return {change_of(line, MatchStatus::Confirmed, line.receipt, 1.0, "confirmed", "manual-match"),
            {},
            {}};
}

ManualOutcome reopen_match(const MatchLine& line) {
    const bool confirmed = line.status == MatchStatus::Confirmed;
    const MatchStatus to = confirmed ? MatchStatus::Auto : MatchStatus::Pending;
    if (!confirmed && line.status != MatchStatus::Ignored)
        return {{}, {}, NotAllowed{line.status, to}};
    // The history has a word for each state that is entered, not for every way into it.
    auto change = confirmed
                      ? change_of(line, to, line.receipt, 1.0, "matched", "confirmation-taken-back")
                      : change_of(line, to, line.receipt, 0, "unmatched", "needs-one-after-all");
    return {std::move(change), {}, {}};
}

ManualOutcome reject_match(const MatchLine& line) {
    if (line.receipt.empty() || !may_change(line.status, MatchStatus::Unmatched)) {
        return {{}, {}, NotAllowed{line.status, MatchStatus::Unmatched}};
    }
    return {change_of(line, MatchStatus::Unmatched, "", 0, "rejected", "manual-edit"), {}, {}};
}

}  // namespace belay::ai::rules
