#include "ingestion/workflows/paper/analyst.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <belay/error.hpp>

#include "ingestion/ai/price.hpp"
#include "ingestion/ai/spending.hpp"
#include "ingestion/workflows/paper/model_tasks.hpp"
#include "ingestion/workflows/paper/services.hpp"

namespace belay::workflows {

namespace {

namespace rules = ai::rules;

// Changes when the rules do: what a result was found by is recorded with it.
constexpr std::string_view kRulesModel = "belay-rules-1";

// Runs `answer` and notes how long it took.
template <class F>
auto by_rules(const env::Clock& clock, F&& answer) {
    const Time begun = clock.now();
    Answer<std::invoke_result_t<F&>> out;
    out.value = answer();
    out.by.provider = "rules";
    out.by.model = kRulesModel;
    out.by.took_ms = (clock.now() - begun).count();
    return out;
}

std::string no_answer(const Analyst::Model& model, const std::exception& error) {
    return fmt::format("{} gave no answer: {}; the rules answered", model.extractor->model(),
                       error.what());
}

// Asks the model, and takes its answer if it can be believed. Otherwise nothing, with the reason in `note`; but an
// error that may pass is thrown, for the step to ask again.
template <class T, class Read>
std::optional<Answer<T>> by_model(const env::Clock& clock, const Analyst::Model* model,
                                  std::string_view task, const std::string& text, Read read,
                                  const Asking& asking, std::string& note) {
    if (model == nullptr || model->extractor == nullptr) return std::nullopt;
    const auto pay = [&](const Cost& cost) {
        if (asking.on_cost) asking.on_cost(cost);
    };
    const Time begun = clock.now();
    try {
        ai::Task asked = model_task(task);
        asked.refuses = [&](const boost::json::value& answer) { return read(answer).refused; };
        const ai::Extraction said = ai::Spending::of(
            [&] { return model->extractor->extract(asked, text, asking.stop); }, pay);
        pay(said.cost);
        FromModel<T> found = read(said.value);
        if (found.value) {
            Answer<T> out;
            out.value = *std::move(found.value);
            out.by = {said.provider.empty() ? model->provider : said.provider, said.model, 0.85,
                      (clock.now() - begun).count(),
                      fmt::format("{}", fmt::join(said.passed_over, "; "))};
            return out;
        }
        std::vector<std::string> in_vain = said.passed_over;
        in_vain.push_back(fmt::format("{} was not taken: {}", said.model, found.refused));
        note = fmt::format("{}; the rules answered", fmt::join(in_vain, "; "));
    } catch (const NonRetryable& error) {
        note = no_answer(*model, error);
    } catch (const std::exception& error) {
        if (!asking.is_last || asking.stop.stop_requested()) throw;
        note = no_answer(*model, error);
    }
    return std::nullopt;
}

}  // namespace

StepOptions analysis_step(const PaperServices& services) {
    return {.retry = ai::patient_retry(services.options.model_patience),
            .timeout = std::chrono::minutes{5}};
}

StepOptions analysis_step(const PaperServices& services, std::string_view task) {
    StepOptions options = analysis_step(services);
    options.costs_at_most = ai::at_most(services.analyst.costs_at_most(task));
    return options;
}

Asking asking_in(Attempt& attempt, const StepOptions& options) {
    Asking asking;
    asking.stop = attempt.stop_token();
    asking.is_last = attempt.number() >= options.retry.attempts_max;
    asking.on_cost = [&attempt](const Cost& cost) {
        Cost one = cost;
        attempt.cost(one.count("extractions"));
    };
    return asking;
}

Analyst::Analyst(const env::Clock& clock, Models models, double review_below)
    : clock_(clock), models_(std::move(models)), review_below_(review_below) {}

Cost Analyst::costs_at_most(std::string_view task) const {
    const Model* model = model_for(task);
    return model == nullptr || model->extractor == nullptr ? Cost{}
                                                           : model->extractor->costs_at_most();
}

const Analyst::Model* Analyst::model_for(std::string_view task) const {
    const auto found = models_.find(task);
    return found == models_.end() ? nullptr : &found->second;
}

Answer<rules::DocumentTypeAnswer> Analyst::document_type(const Reading& reading,
                                                         const Asking& asking) const {
    std::string note;
    auto out = by_rules(clock_, [&] { return rules::classify_document(reading.pages); });
    const auto read = [&](const boost::json::value& said) {
        return document_type_from_model(said, out.value);
    };
    if (auto said =
            by_model<rules::DocumentTypeAnswer>(clock_, model_for(kDocumentType), kDocumentType,
                                                document_text(reading), read, asking, note)) {
        said->by.confidence = said->value.confidence;
        return *std::move(said);
    }
    out.by.confidence = out.value.confidence;
    out.by.note = note;
    return out;
}

Answer<rules::ExpenseAnswer> Analyst::expense_type(const Reading& reading,
                                                   const rules::ExpenseOptions& options,
                                                   const Asking& asking) const {
    std::string note;
    const auto read = [&](const boost::json::value& said) {
        return expense_type_from_model(said, reading, options);
    };
    if (auto said =
            by_model<rules::ExpenseAnswer>(clock_, model_for(kExpenseType), kExpenseType,
                                           expense_text(reading, options), read, asking, note)) {
        said->by.confidence = said->value.confidence;
        return *std::move(said);
    }
    auto out = by_rules(clock_, [&] {
        return rules::classify_expense(rules::read_receipt(reading.pages, {}, reading.again),
                                       options);
    });
    out.by.confidence = out.value.confidence;
    out.by.note = note;
    return out;
}

Answer<rules::Receipt> Analyst::receipt(const Reading& reading,
                                        const rules::ReceiptOptions& options,
                                        const Asking& asking) const {
    std::string note;
    const auto read = [&](const boost::json::value& said) {
        return receipt_from_model(said, reading);
    };
    if (auto said = by_model<rules::Receipt>(clock_, model_for(kReceipt), kReceipt,
                                             document_text(reading), read, asking, note))
        return *std::move(said);
    auto out = by_rules(clock_,
                        [&] { return rules::read_receipt(reading.pages, options, reading.again); });
    rules::calibrate(out.value, review_below_);
    out.by.confidence = std::min(
        {out.value.merchant.confidence, out.value.date.confidence, out.value.total.confidence});
    out.by.note = note;
    return out;
}

Answer<rules::AccountingProposal> Analyst::accounting(const rules::Receipt& receipt,
                                                      const std::string& expense_type,
                                                      const rules::AccountingOptions& options,
                                                      const Asking& asking) const {
    std::string note;
    auto out =
        by_rules(clock_, [&] { return rules::propose_accounting(receipt, expense_type, options); });
    // What has no total or is in another currency is not booked, by nobody.
    const bool can_be_booked = !out.value.entries.empty() && !rules::is_foreign(receipt);
    const auto read = [&](const boost::json::value& said) {
        return accounting_from_model(said, receipt, out.value);
    };
    if (can_be_booked) {
        if (auto said = by_model<rules::AccountingProposal>(
                clock_, model_for(kAccounting), kAccounting,
                accounting_text(receipt, expense_type, options), read, asking, note))
            return *std::move(said);
    }
    out.by.confidence = out.value.confidence;
    out.by.note = note;
    return out;
}

Answer<rules::Invoice> Analyst::invoice(const Reading& reading, const Asking& asking) const {
    std::string note;
    const auto read = [&](const boost::json::value& said) {
        return invoice_from_model(said, reading);
    };
    if (auto said = by_model<rules::Invoice>(clock_, model_for(kInvoice), kInvoice,
                                             document_text(reading), read, asking, note))
        return *std::move(said);
    auto out = by_rules(clock_, [&] { return rules::read_invoice(reading.pages); });
    rules::calibrate(out.value, review_below_);
    out.by.confidence = out.value.confidence;
    out.by.note = note;
    return out;
}

Answer<rules::Statement> Analyst::statement(const Reading& reading, const Asking& asking) const {
    std::string note;
    const auto read = [&](const boost::json::value& said) {
        return statement_from_model(said, reading);
    };
    if (auto said = by_model<rules::Statement>(clock_, model_for(kStatement), kStatement,
                                               document_text(reading), read, asking, note))
        return *std::move(said);
    auto out = by_rules(clock_, [&] { return rules::read_statement(reading.pages); });
    out.by.confidence = out.value.confidence;
    out.by.note = note;
    return out;
}

}  // namespace belay::workflows
