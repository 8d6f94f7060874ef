// model_tasks.hpp — what a model is asked about a document, and what its answer has to be to be taken.
//
// The prompt and the schema of a task belong together: the reader below reads the very members that the schema asks
// for (it once did not, and every statement was silently empty). An answer is refused, with the reason, if it breaks
// the document's arithmetic or names a total that is not printed.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <boost/json/value.hpp>

#include "ingestion/ai/extractor.hpp"
#include "ingestion/ai/rules/accounting.hpp"
#include "ingestion/ai/rules/document_type.hpp"
#include "ingestion/ai/rules/expense_type.hpp"
#include "ingestion/ai/rules/invoice.hpp"
#include "ingestion/ai/rules/receipt.hpp"
#include "ingestion/ai/rules/statement.hpp"
#include "ingestion/workflows/paper/analyst.hpp"

namespace belay::workflows {

// The prompt and schema of one of Analyst's tasks.
ai::Task model_task(std::string_view task);

// The whole text of a document, as it is given to a model.
std::string document_text(const Reading& reading);
// The same with the company's cards before it; and a receipt as it was read, with the accounts that are in use.
std::string expense_text(const Reading& reading, const ai::rules::ExpenseOptions& options);
std::string accounting_text(const ai::rules::Receipt& receipt, const std::string& expense_type,
                            const ai::rules::AccountingOptions& options);

// A model's answer as the rules would have given it, with boxes where the words are found; or why it is not taken.
template <class T>
struct FromModel {
    std::optional<T> value{};
    std::string refused{};
};
FromModel<ai::rules::Receipt> receipt_from_model(const boost::json::value& answer,
                                                 const Reading& reading);
FromModel<ai::rules::Invoice> invoice_from_model(const boost::json::value& answer,
                                                 const Reading& reading);
FromModel<ai::rules::Statement> statement_from_model(const boost::json::value& answer,
                                                     const Reading& reading);

// Beside what the rules say of the same: their signs of a card statement are not overruled, and what they would book
// bounds the tax that may be deducted.
FromModel<ai::rules::DocumentTypeAnswer> document_type_from_model(
    const boost::json::value& answer, const ai::rules::DocumentTypeAnswer& by_rules);
FromModel<ai::rules::ExpenseAnswer> expense_type_from_model(
    const boost::json::value& answer, const Reading& reading,
    const ai::rules::ExpenseOptions& options);
FromModel<ai::rules::AccountingProposal> accounting_from_model(
    const boost::json::value& answer, const ai::rules::Receipt& receipt,
    const ai::rules::AccountingProposal& by_rules);

}  // namespace belay::workflows
