// document_tables.hpp — the rows of receipts, invoices and card statements.
//
// Names and columns are those of the specification (002) and of the projects behind it. A receipt is a row of
// unified_files; its seller is in companies, its lines in receipt_items, its bookkeeping in
// ai_accounting_proposals. A card statement is a row of creditcard_invoices_main with its items; what people match
// receipts to are invoice_documents and invoice_lines, with every change in invoice_line_history. Money is decimal
// text, a date is 2024-03-12, a time milliseconds.
#pragma once

#include <string>

namespace belay::ingest {

// One migration of kOwner, after the one that made unified_files.
std::string document_tables();

// What came after them: a statement's identity, and a finding's document.
std::string statement_identity();

}  // namespace belay::ingest
