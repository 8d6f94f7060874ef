// export.hpp — what was found, as files for other programs: CSV for spreadsheets, SIE 4 for bookkeeping.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include <belay/engine.hpp>

#include "ingestion/ai/rules/accounting.hpp"
#include "ingestion/ai/rules/date.hpp"
#include "ingestion/workflows/paper/table_reader.hpp"

namespace belay::workflows {

struct ExportRange {
    std::optional<ai::rules::Date> from{}, to{};  // of the purchase, both included
};

// One row a receipt.
std::string receipts_csv(const TableReader& reading, const std::string& organization_id,
                         const ExportRange& range);

// One row a line; nothing if the organization has no such file or nothing was found in it.
std::optional<std::string> invoice_lines_csv(Engine& engine, const std::string& organization_id,
                                             const std::string& file_id);
std::optional<std::string> card_lines_csv(Engine& engine, const std::string& organization_id,
                                          const std::string& document_id);

// What a company's own books are like.
struct LedgerOptions {
    std::string currency{ai::rules::kLedgerCurrency};
    std::map<std::string, std::string> accounts{};  // of the proposals → of the books
};

// The proposed entries of the receipts in the range, one verification each. Receipts in another currency than the
// ledger's and those without a date or entries are left out; a #PROSA line says how many.
std::string sie_export(const TableReader& reading, const std::string& organization_id,
                       const ExportRange& range, const ai::rules::Date& today,
                       const LedgerOptions& ledger = {});

// What sie_export says about its own file: "Left out: 2 receipts in another currency than SEK"; empty if nothing was.
std::string sie_comment(std::string_view file);

}  // namespace belay::workflows
