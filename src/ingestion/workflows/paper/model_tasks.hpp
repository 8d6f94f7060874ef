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
#include "ingestion/ai/rules/invoice.hpp"
#include "ingestion/ai/rules/receipt.hpp"
#include "ingestion/ai/rules/statement.hpp"
#include "ingestion/workflows/paper/analyst.hpp"

namespace belay::workflows {

// The prompt and schema of Analyst::kReceipt, kInvoice, kStatement.
ai::Task model_task(std::string_view task);

// The whole text of a document, as it is given to a model.
std::string document_text(const Reading& reading);

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

}  // namespace belay::workflows
