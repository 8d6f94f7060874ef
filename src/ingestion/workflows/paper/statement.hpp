// statement.hpp — WF3_FIRSTCARD_INVOICE: what a card statement says, and which receipts its rows belong to.
//
//   prepare_pages, ocr_page_N, merge_ocr   pages.hpp
//   ai6_analysis                           header and rows; a statement without rows is a failure
//   persist                                upsert by invoice number, its items deleted and inserted, in one transaction
//   match                                  receipts to rows
//   finalize                               completed; manual_review if the rows do not come to the printed total
//
// Only files of workflow_type creditcard_invoice pass its guard. (Specification 002, workflow 3.)
#pragma once

#include <string_view>

#include "ingestion/workflows/paper/services.hpp"

namespace belay::workflows {

inline constexpr std::string_view kStatementWorkflow = "WF3_FIRSTCARD_INVOICE";

// Before Engine::start; `services` outlives the engine's work. The tables are those of ingest::migrations().
void define_statement(const PaperServices& services);

}  // namespace belay::workflows
