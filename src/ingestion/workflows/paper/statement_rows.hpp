// statement_rows.hpp — a card statement as rows: the transaction `persist`.
//
// One statement is one row of creditcard_invoices_main (statement_identity.hpp), whichever file it came in. Importing it
// again replaces its items and changes nothing else: an item that is as it was keeps its id, its match and its history,
// also where its words or its day are read a little differently. A worse scan fills gaps and never empties anything.
#pragma once

#include <cstdint>
#include <string>

#include <boost/describe.hpp>

#include <belay/tx.hpp>

#include "ingestion/ai/rules/statement.hpp"
#include "ingestion/workflows/paper/source_file.hpp"

namespace belay::workflows {

// What `persist` records.
struct Persisted {
    std::int64_t main_id = 0;
    std::string document_id{};     // of invoice_documents
    std::string invoice_number{};  // INV-<file id> if the statement shows none
    int items = 0;
    bool existed = false;  // the statement was known
    int kept = 0;          // this many rows of a better reading were left as they are
};
BOOST_DESCRIBE_STRUCT(Persisted, (), (main_id, document_id, invoice_number, items, existed, kept))

// Throws if the rows that are there afterwards are not the statement's.
Persisted save_statement(Tx& tx, const SourceFile& file, const ai::rules::Statement& statement);

}  // namespace belay::workflows
