// document_states.hpp — how far an invoice or card statement is: its row in invoice_documents, from the start of its run.
//
//   uploaded → ocr_pending → ocr_done → ai_processing → ready_for_matching → matching_completed → completed, or failed
//
// The tables are in ai/rules/match_states.cpp. Every change names the states it may come from, so that a slow writer
// cannot take back what another has written since.
#pragma once

#include <string>
#include <string_view>

#include <belay/options.hpp>
#include <belay/tx.hpp>

#include "ingestion/ai/rules/matching.hpp"

namespace belay::workflows {

// invoice_documents.invoice_type
inline constexpr std::string_view kSupplierInvoice = "supplier";
inline constexpr std::string_view kCardInvoice = "credit_card_invoice";

// Move a document along its table; false, and nothing changed, if it may not go there from where it is.
bool set_document_status(Tx& tx, const std::string& document_id, ai::rules::DocumentStatus to);
bool set_processing_status(Tx& tx, const std::string& document_id, ai::rules::ProcessingStatus to);

// With the start of a run: the row of its file, `uploaded`. One that is there is left as it is.
void open_document(Tx& tx, const RunInfo& run, std::string_view invoice_type);

// With the end of a run that did not succeed.
void fail_document(Tx& tx, const RunInfo& run);

// With the end of one that succeeded: of a document that says `failed` although all of its stages were recorded before.
void reopen_document(Tx& tx, const RunInfo& run);

// The statement of this file is known under another document: the row that was opened for it goes.
void close_opened(Tx& tx, const std::string& file_id);

}  // namespace belay::workflows
