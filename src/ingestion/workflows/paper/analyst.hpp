// analyst.hpp — who answers AI1 to AI6: written rules, or a model where one is configured for the task.
//
// A model's answer is taken only if it passes the task's schema and the document's own arithmetic; otherwise, and when it
// cannot be asked, the rules answer and the reason is in `by.note`. So a wrong or unreachable model costs a second look, never a wrong row.
// Any thread; blocks.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include <boost/describe.hpp>

#include <belay/attempt.hpp>
#include <belay/cost.hpp>
#include <belay/options.hpp>

#include "core/env/clock.hpp"
#include "ingestion/ai/extractor.hpp"
#include "ingestion/ai/patience.hpp"
#include "ingestion/ai/rules/accounting.hpp"
#include "ingestion/ai/rules/calibration.hpp"
#include "ingestion/ai/rules/document_type.hpp"
#include "ingestion/ai/rules/expense_type.hpp"
#include "ingestion/ai/rules/invoice.hpp"
#include "ingestion/ai/rules/receipt.hpp"
#include "ingestion/ai/rules/statement.hpp"
#include "ingestion/workflows/paper/history.hpp"

namespace belay::workflows {

// What a stage found about a file, and who found it.
template <class T>
struct Answer {
    std::string file_id{};
    T value{};
    Answered by{};
    BOOST_DESCRIBE_CLASS(Answer, (), (file_id, value, by), (), ())
};

// The pages of one document: as read, and for an image as read a second time.
struct Reading {
    std::vector<media::Page> pages{};
    std::vector<media::Page> again{};
};

// Of a step that may ask a model: it may take its time and be busy.
struct PaperServices;
StepOptions analysis_step(const PaperServices& services);
// The same of one of Analyst's tasks: with what its model may cost at most, so that budgets count it.
StepOptions analysis_step(const PaperServices& services, std::string_view task);

// How a model is asked.
struct Asking {
    std::stop_token stop{};
    // The last attempt: an error that may pass (no answer, one of another shape) is not thrown any more, the rules answer.
    bool is_last = true;
    // Told what it cost, also if the answer was not taken.
    std::function<void(const Cost&)> on_cost{};
};
// As a step with these options asks. What it costs is the attempt's, also if the answer was no good.
Asking asking_in(Attempt& attempt, const StepOptions& options);

class Analyst {
public:
    // The tasks that a model may be given: their prompts are in src/ingestion/workflows/paper/prompts.
    static constexpr std::string_view kDocumentType = "document_type";  // AI1
    static constexpr std::string_view kExpenseType = "expense_type";    // AI2
    static constexpr std::string_view kReceipt = "receipt";             // AI3
    static constexpr std::string_view kAccounting = "accounting";       // AI4
    static constexpr std::string_view kInvoice = "invoice";
    static constexpr std::string_view kStatement = "statement";

    // A model for a task, and what its server is called in the history. It outlives this.
    struct Model {
        std::string provider{};
        ai::Extractor* extractor = nullptr;
    };
    using Models = std::map<std::string, Model, std::less<>>;

    // A field that is less sure than `review_below` is for a person to look at.
    explicit Analyst(const env::Clock& clock, Models models = {},
                     double review_below = ai::rules::kReviewBelow);

    Answer<ai::rules::DocumentTypeAnswer> document_type(const Reading& reading,
                                                        const Asking& asking = {}) const;
    Answer<ai::rules::ExpenseAnswer> expense_type(const Reading& reading,
                                                  const ai::rules::ExpenseOptions& options,
                                                  const Asking& asking = {}) const;
    Answer<ai::rules::Receipt> receipt(const Reading& reading,
                                       const ai::rules::ReceiptOptions& options,
                                       const Asking& asking = {}) const;
    Answer<ai::rules::AccountingProposal> accounting(const ai::rules::Receipt& receipt,
                                                     const std::string& expense_type,
                                                     const ai::rules::AccountingOptions& options,
                                                     const Asking& asking = {}) const;
    Answer<ai::rules::Invoice> invoice(const Reading& reading, const Asking& asking = {}) const;
    Answer<ai::rules::Statement> statement(const Reading& reading, const Asking& asking = {}) const;

    // What a task may cost at most; nothing if the rules answer it.
    Cost costs_at_most(std::string_view task) const;

private:
    const Model* model_for(std::string_view task) const;

    const env::Clock& clock_;
    const Models models_;
    const double review_below_;
};

}  // namespace belay::workflows
