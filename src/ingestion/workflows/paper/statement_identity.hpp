// statement_identity.hpp — which row of creditcard_invoices_main a statement is, however well it was read.
//
// By its printed number. Where none could be read: by the card's last four digits, the period and the issuer; a number
// that is read later joins the row that was made without it. And by its bytes: the same file again is the same
// statement, whatever was read of it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <belay/tx.hpp>

#include "ingestion/ai/rules/statement.hpp"
#include "ingestion/workflows/paper/source_file.hpp"

namespace belay::workflows {

struct KnownStatement {
    std::int64_t main_id = 0;
    std::string invoice_number{};
    bool number_printed = false;
    bool adds_up = false;
    std::size_t items = 0;
};

std::optional<KnownStatement> find_statement(Tx& tx, const SourceFile& file,
                                             const ai::rules::Statement& statement);

// The key of one that prints no number; people are shown none (card_invoices.cpp).
std::string stand_in_number(const SourceFile& file);

// Whether this reading must not take the place of the one that is kept: its rows do not come to the printed sum where
// those did, or it has fewer of them.
bool is_worse(const ai::rules::Statement& statement, const KnownStatement& known);

}  // namespace belay::workflows
