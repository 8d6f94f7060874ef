// invoice_rows.hpp — what WF2 found, as rows: the commit part of invoice_analysis.
#pragma once

#include <belay/tx.hpp>

#include "ingestion/workflows/paper/analyst.hpp"

namespace belay::workflows {

// The file's fields, its invoice_documents row and its lines, replacing what an earlier run wrote. Only if this run
// is the file's current one; a row of history always.
void save_invoice(Tx& tx, const Answer<ai::rules::Invoice>& answer);

// What a person said of its lines, in place of what was read.
void replace_lines(Tx& tx, const std::string& file_id, const ai::rules::Invoice& invoice);

}  // namespace belay::workflows
