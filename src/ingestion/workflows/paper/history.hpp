// history.hpp — ai_processing_history: what was asked of which model for a file, and what it said.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <boost/describe.hpp>

#include <belay/tx.hpp>

namespace belay::workflows {

// Who answered, beside the answer itself. Part of the stage's record.
struct Answered {
    std::string provider{};  // "rules", or the configuration's name of a model's server
    std::string model{};
    double confidence = 0;
    std::int64_t took_ms = 0;
    std::string note{};  // what a person should know: why a model's answer was not taken
};
BOOST_DESCRIBE_STRUCT(Answered, (), (provider, model, confidence, took_ms, note))

// A job as the history names it.
struct AiJob {
    std::string_view job_type;    // "ai1"
    std::string_view stage_name;  // "AI1-DocumentClassification"
};
inline constexpr AiJob kOcrJob{"ocr", "OCR"};
inline constexpr AiJob kPdfJob{"pdf_convert", "PDF-Conversion"};
inline constexpr AiJob kAi1{"ai1", "AI1-DocumentClassification"};
inline constexpr AiJob kAi2{"ai2", "AI2-ExpenseClassification"};
inline constexpr AiJob kAi3{"ai3", "AI3-DataExtraction"};
inline constexpr AiJob kAi4{"ai4", "AI4-AccountingClassification"};
inline constexpr AiJob kInvoiceJob{"invoice_analysis", "Invoice-Analysis"};
inline constexpr AiJob kAi6{"ai6", "AI6-CreditCardInvoiceParsing"};

void note_success(Tx& tx, const std::string& file_id, const AiJob& job, const Answered& by,
                  std::string_view log_text, std::string_view response_text = {});
void note_failure(Tx& tx, const std::string& file_id, std::string_view job_type,
                  std::string_view error);

}  // namespace belay::workflows
