// receipt_rows.hpp — what WF1 found, as rows. Each function is the commit part of a stage.
#pragma once

#include <belay/tx.hpp>

#include "ingestion/workflows/paper/analyst.hpp"

namespace belay::workflows {

// Each writes the file's rows only if this run is the file's current one, and a row of history always.
void save_document_type(Tx& tx, const Answer<ai::rules::DocumentTypeAnswer>& answer);
void save_expense_type(Tx& tx, const Answer<ai::rules::ExpenseAnswer>& answer);
// The seller, the file's fields and its items, replacing what an earlier run wrote.
void save_receipt(Tx& tx, const Answer<ai::rules::Receipt>& answer);
// What a person said of its items and its tax, in place of what was read.
void replace_lines(Tx& tx, const std::string& file_id, const ai::rules::Receipt& receipt);
// Throws Error{InvalidArgument} for entries that do not balance: nothing is written.
void save_accounting(Tx& tx, const Answer<ai::rules::AccountingProposal>& answer);
// The entries alone, in place of those that there are.
void replace_entries(Tx& tx, const std::string& file_id,
                     const std::vector<ai::rules::AccountingEntry>& entries);

// The seller's row: by its registration number, then by its exact name; made if both are known. Nothing otherwise.
std::optional<std::int64_t> company_of(Tx& tx, const std::string& organization_id,
                                       const std::string& name, const std::string& orgnr,
                                       const std::string& address);

}  // namespace belay::workflows
