// receipt.hpp — WF1_RECEIPT: what a photographed receipt says.
//
//   ocr                      the words of the picture, read twice where one reading may err
//   ai_pipeline              a scope:
//     ai1_document_type        is it a receipt at all
//     ai2_expense_type         who paid, by the means of payment
//     ai3_extraction           seller, date, amounts, items → unified_files, companies, receipt_items
//     ai4_accounting           the entries of BAS, debits equal to credits → ai_accounting_proposals
//   finalize                 completed, or manual_review with the reasons
//
// Each stage's rows commit with its record. (Specification 002, workflow 1.)
#pragma once

#include <string_view>

#include "ingestion/workflows/paper/services.hpp"

namespace belay::workflows {

inline constexpr std::string_view kReceiptWorkflow = "WF1_RECEIPT";

// Before Engine::start. The tables are those of ingest::migrations().
void define_receipt(const PaperServices& services);

}  // namespace belay::workflows
