// invoice.hpp — WF2_PDF_SPLIT: what an invoice of one or many pages says.
//
//   prepare_pages, ocr_page_N, merge_ocr   pages.hpp
//   invoice_analysis                       header and lines, of its XML where it has one → unified_files, invoice_documents, invoice_lines
//   finalize                               completed, or manual_review with the reasons
//
// (Specification 002, workflow 2.)
#pragma once

#include <string_view>

#include "ingestion/workflows/paper/services.hpp"

namespace belay::workflows {

inline constexpr std::string_view kInvoiceWorkflow = "WF2_PDF_SPLIT";

// Before Engine::start; `services` outlives the engine's work. The tables are those of ingest::migrations().
void define_invoice(const PaperServices& services);

}  // namespace belay::workflows
