// ending.hpp — how a run on paper ends: with what was found, or with what went wrong, and never without a word.
//
// However it ends, unified_files.ai_status says so: `completed`, `manual_review` with the reasons, `failed` with
// the message, or `canceled`. A foreign currency alone is `completed`: nothing that was read is in doubt, only the ledger cannot take it. When a stage fails for good the later ones are recorded as skipped and `finalize` writes the failure
// down; a retry forgets those records and goes on at the stage that failed.
#pragma once

#include <exception>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/describe.hpp>
#include <boost/json/value.hpp>

#include <belay/belay.hpp>

#include "ingestion/workflows/paper/source_file.hpp"

namespace belay::workflows {

// What a run found. `result` is the object that clients know, `detail` the same with confidence and boxes.
struct Finding {
    std::string file_id{};
    std::string organization_id{};
    std::string kind{};  // "receipt", "invoice", "statement"
    std::string result{};
    std::string detail{};
    double confidence = 0;
    std::vector<std::string> review{};  // why a person should look
    std::string document_id{};          // of invoice_documents, if its rows went into one
};
BOOST_DESCRIBE_STRUCT(Finding, (),
                      (file_id, organization_id, kind, result, detail, confidence, review,
                       document_id))

// `finalize` of a run that found something: the finding's row and the file's status. Gives the status.
std::string save_finding(Tx& tx, const Finding& finding);

// A page that could not be read: its row says why.
struct PageFailure {
    int number = 1;
    std::string message{};
};
BOOST_DESCRIBE_STRUCT(PageFailure, (), (number, message))
void mark_page_failed(Tx& tx, const std::string& document_id, const PageFailure& page);

// What failed, kept until the stages after it are written down.
struct Failed {
    std::string stage{};
    std::string message{};
    std::exception_ptr error{};
    std::vector<PageFailure> pages{};  // of a fan over pages

    explicit operator bool() const { return error != nullptr; }
};
// Call inside a handler.
Failed failed_with(const StepFailed& error);

// Records `later` as skipped and the failure by `finalize`, then throws it. If the guard refused the file there is a
// stage `guard` that says so.
Task<void> give_up(Context& ctx, std::string file_id, Failed failed,
                   std::vector<std::string> later);

// The options of every workflow on paper: from outside it takes the organization's own files. Its hooks: `processing` with its start, and a final status if it ended without
// `finalize`: canceled, out of time, thrown by code. With an `invoice_type` the same for its row in invoice_documents.
WorkflowOptions paper_options(Engine& engine, std::string_view summary,
                              std::string_view invoice_type = {});

// The status of a file while its run is under way.
void set_status(Tx& tx, const std::string& file_id, std::string_view ai_status);

}  // namespace belay::workflows
