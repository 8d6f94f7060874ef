// match_states.cpp — the states of lines, documents and their processing, as tables.
#include <algorithm>
#include <utility>

#include "ingestion/ai/rules/matching.hpp"

namespace belay::ai::rules {
namespace {

using D = DocumentStatus;
constexpr auto kDocument = std::to_array<std::pair<D, D>>({
    {D::Imported, D::Matching},
    {D::Imported, D::Matched},
    {D::Imported, D::PartiallyMatched},
    {D::Imported, D::Failed},
    {D::Matching, D::Matched},
    {D::Matching, D::PartiallyMatched},
    {D::Matching, D::Failed},
    {D::Matched, D::Completed},
    {D::Matched, D::PartiallyMatched},
    {D::Matched, D::Matching},           // its only receipt was taken away
    {D::PartiallyMatched, D::Matching},  // the last one of them was
    {D::PartiallyMatched, D::Matched},
    {D::PartiallyMatched, D::Completed},
    {D::PartiallyMatched, D::Failed},
    {D::Completed, D::Matched},  // a confirmation was taken back
    {D::Completed, D::PartiallyMatched},
    {D::Failed, D::Imported},  // someone asked for a retry, and it went well
});

using P = ProcessingStatus;
constexpr auto kProcessing = std::to_array<std::pair<P, P>>({
    {P::Uploaded, P::OcrPending},
    {P::Uploaded, P::ReadyForMatching},
    {P::Uploaded, P::Failed},
    {P::OcrPending, P::OcrDone},
    {P::OcrPending, P::Failed},
    {P::OcrDone, P::AiProcessing},
    {P::OcrDone, P::ReadyForMatching},
    {P::OcrDone, P::Failed},
    {P::AiProcessing, P::ReadyForMatching},
    {P::AiProcessing, P::Failed},
    {P::ReadyForMatching, P::MatchingCompleted},
    {P::ReadyForMatching, P::Failed},
    {P::MatchingCompleted, P::Completed},
    // A retry goes on at the stage that failed.
    {P::Failed, P::OcrPending},
    {P::Failed, P::OcrDone},
    {P::Failed, P::AiProcessing},
    {P::Failed, P::ReadyForMatching},
});

constexpr auto kStatusNames = std::to_array<std::string_view>(
    {"pending", "auto", "manual", "confirmed", "unmatched", "ignored"});

template <class Table, class State>
bool has(const Table& table, State from, State to) {
    return std::find(table.begin(), table.end(), std::pair{from, to}) != table.end();
}

}  // namespace

std::string_view to_text(MatchStatus status) {
    return kStatusNames.at(static_cast<std::size_t>(status));
}

std::optional<MatchStatus> match_status_of(std::string_view text) {
    const auto found = std::find(kStatusNames.begin(), kStatusNames.end(), text);
    if (found == kStatusNames.end()) return std::nullopt;
    return static_cast<MatchStatus>(found - kStatusNames.begin());
}

std::string_view to_text(DocumentStatus status) {
    static constexpr auto kNames = std::to_array<std::string_view>(
        {"imported", "matching", "matched", "partially_matched", "completed", "failed"});
    return kNames.at(static_cast<std::size_t>(status));
}

std::string_view to_text(ProcessingStatus status) {
    static constexpr auto kNames = std::to_array<std::string_view>(
        {"uploaded", "ocr_pending", "ocr_done", "ai_processing", "ready_for_matching",
         "matching_completed", "completed", "failed"});
    return kNames.at(static_cast<std::size_t>(status));
}

bool may_change(MatchStatus from, MatchStatus to) {
    return std::any_of(kMatchTransitions.begin(), kMatchTransitions.end(),
                       [&](const MatchTransition& t) { return t.from == from && t.to == to; });
}
bool may_change(DocumentStatus from, DocumentStatus to) { return has(kDocument, from, to); }
bool may_change(ProcessingStatus from, ProcessingStatus to) { return has(kProcessing, from, to); }

DocumentStatus status_by_lines(const std::vector<MatchLine>& lines) {
    std::size_t matched = 0, needed = 0;
    for (const auto& line : lines) {
        if (line.status == MatchStatus::Ignored) continue;
        ++needed;
        matched += line.receipt.empty() ? 0 : 1;
    }
    if (matched == 0) return DocumentStatus::Imported;
    return matched == needed ? DocumentStatus::Matched : DocumentStatus::PartiallyMatched;
}

}  // namespace belay::ai::rules
