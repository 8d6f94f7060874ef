// document_type.hpp — AI1: what kind of document a text is.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <boost/describe.hpp>

#include "ingestion/media/page.hpp"

namespace belay::ai::rules {

enum class DocumentType { Receipt, Invoice, CardInvoice, Other, ManualReview };

// "receipt", "invoice", "fc_invoice", "other", "Manual Review": as the tables hold it.
std::string_view to_string(DocumentType type);

struct DocumentTypeAnswer {
    std::string document_type{};  // one of the words above
    double confidence = 0;
    std::string reasoning{};  // the signals that decided, for a person
};
BOOST_DESCRIBE_STRUCT(DocumentTypeAnswer, (), (document_type, confidence, reasoning))

// Asked in this order: a statement of a card company, then the signs of a receipt (a till, change, a card
// terminal) against those of an invoice (due date, bank giro, payment reference). A page without enough
// text is for a person; text without signs is "other".
DocumentTypeAnswer classify_document(const std::vector<media::Page>& pages);

}  // namespace belay::ai::rules
