// card_invoices.hpp — card statements read back for people: the list, one, its lines, and what could match them.
//
// A statement is known by the id of its document. Those of another organization are not found (P9).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <belay/engine.hpp>

#include "ingestion/workflows/paper/findings.hpp"
#include "ingestion/workflows/paper/table_reader.hpp"

namespace belay::workflows {

// Which statements are wanted; what is empty asks for nothing.
struct CardInvoiceFilter {
    std::string text{};  // in its number, its card, its bank or one of its lines, whatever its case
    std::string status{};      // "imported", "matched", …
    std::string from{}, to{};  // days, both included
};

// Newest first; the first page tells how many match.
FindingsPage list_card_invoices(const TableReader& reading, const std::string& organization_id,
                                std::optional<std::int64_t> before, int limit,
                                const CardInvoiceFilter& filter = {});

// The document that `id` means: its own id, the number of its main row, or any file that it was imported from.
std::optional<std::string> find_card_document(const TableReader& reading,
                                              const std::string& organization_id,
                                              const std::string& id);

// The header, its state, what the run found, and its lines. `document_id` exists.
boost::json::object card_invoice(const TableReader& reading, const std::string& document_id);

boost::json::array card_lines(const TableReader& reading, const std::string& document_id);
// The lines that have a receipt, with it and the line's history.
boost::json::array card_matches(Engine& engine, const std::string& document_id);
// Receipts that a person could choose, best first, for each line that has none; for one line if it is named.
boost::json::array card_candidates(Engine& engine, const std::string& organization_id,
                                   const std::string& document_id,
                                   std::optional<std::int64_t> line_id);

}  // namespace belay::workflows
