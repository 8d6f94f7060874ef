// document_flow.hpp — the course that WF2 and WF3 share: pages, what is found in them, `finalize`; or giving up.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json/value.hpp>

#include <belay/belay.hpp>

#include "ingestion/workflows/paper/ending.hpp"
#include "ingestion/workflows/paper/pages.hpp"

namespace belay::workflows {

// How far a run came, for the stages after it to be recorded as skipped when it fails.
class StageList {
public:
    // The stages after `prepare_pages`: those of the pages, then these.
    explicit StageList(std::vector<std::string> own);

    // The next one of them begins; before the first call, the run is in prepare_pages.
    void begin() { ++begun_; }
    std::vector<std::string> not_begun() const;

private:
    std::vector<std::string> stages_;
    std::size_t begun_ = 0;
};

// The stages of a workflow between merge_ocr and finalize. Calls begin() before each.
using Analyse = Task<Finding> (*)(Context& ctx, const PaperServices* with, PagesOutcome pages,
                                  StageList* stages);

// A whole run on a document of pages: the finding's result, and the rows of `finalize`. When a stage fails for good,
// the later ones are recorded as skipped, `finalize` records the failure, and it is thrown.
Task<boost::json::value> read_paper(Context& ctx, const PaperServices* with, FileInput input,
                                    const Guard* guard, std::vector<std::string> own_stages,
                                    Analyse analyse);

// What a person reads when a paper seems to be of another kind than it was uploaded as; the words that begin it are
// kLooksLike. POST /api/files/{id}/read-as does what it says.
inline constexpr std::string_view kLooksLike = "this looks like a";
std::string looks_like(ai::rules::DocumentType type);
// The same for a paper among whose own signs none was found; nothing if it looks like nothing else.
std::optional<std::string> looks_like_another(const Reading& reading, ai::rules::DocumentType own);

// `ai_processing`, while a step looks at the text: told at once, because a model may take minutes.
void begin_analysis(const PaperServices& services, const SourceFile& file);

// What was found on these pages, with what could not be read of them before its own reasons for a review. T is
// rules::Invoice or rules::Statement.
template <class T>
Finding finding_of(std::string kind, const PagesOutcome& pages, T found,
                   std::string (*result_json)(const T&)) {
    const auto& unread = pages.merged.review;
    found.review.insert(found.review.begin(), unread.begin(), unread.end());
    Finding finding;
    finding.file_id = pages.file.file_id;
    finding.organization_id = pages.file.organization_id;
    finding.kind = std::move(kind);
    finding.result = result_json(found);
    finding.detail = to_json(found);
    finding.confidence = found.confidence;
    finding.review = found.review;
    return finding;
}

}  // namespace belay::workflows
