#include "ingestion/workflows/paper/receipt.hpp"

#include <algorithm>
#include <array>
#include <chrono>

#include <fmt/format.h>
#include <boost/json/parse.hpp>

#include <belay/async.hpp>
#include <belay/belay.hpp>
#include <belay/skip.hpp>

#include "ingestion/ai/rules/receipt_check.hpp"
#include "ingestion/isolate/in_turn.hpp"
#include "ingestion/media/fusion.hpp"
#include "ingestion/workflows/paper/analyst.hpp"
#include "ingestion/workflows/paper/day.hpp"
#include "ingestion/workflows/paper/document_flow.hpp"
#include "ingestion/workflows/paper/ending.hpp"
#include "ingestion/workflows/paper/match_rows.hpp"
#include "ingestion/workflows/paper/model_tasks.hpp"
#include "ingestion/workflows/paper/page_rows.hpp"
#include "ingestion/workflows/paper/receipt_rows.hpp"
#include "ingestion/workflows/paper/source_file.hpp"

namespace belay::workflows {

namespace {

namespace json = boost::json;
namespace rules = ai::rules;
using namespace std::chrono_literals;

constexpr std::array<std::string_view, 4> kPipeline{"ai1_document_type", "ai2_expense_type",
                                                    "ai3_extraction", "ai4_accounting"};

// Another attempt may find a helper that was killed well again.
constexpr StepOptions kOcrOptions{
    .retry = {.attempts_max = 3, .first_delay = 1s, .longest_delay = 30s},
    .timeout = kReadingStepTimeout};

constexpr const char* kBothReaders = "tesseract+pp-ocr";

// What `ocr` records. The words go to page_readings in its commit.
struct OcrDone {
    SourceFile file{};
    int words = 0;
    double confidence = 0;
    std::string language{};
    std::int64_t took_ms = 0;
    std::string readers = "tesseract";
    Reading reading{};  // not part of the record
    BOOST_DESCRIBE_CLASS(OcrDone, (), (file, words, confidence, language, took_ms, readers), (), ())
};

// A receipt is a strip or two; what is longer is another kind of paper.
constexpr int kReceiptPagesMax = 10;
constexpr std::string_view kPdf = "application/pdf";

// One page by the readers that there are; a text layer that can be trusted needs no second look.
void read_receipt_page(Attempt& attempt, const PaperServices& services, const std::string& bytes,
                       int number, OcrDone& done) {
    media::Page first = services.reader.read_page(bytes, {.page = number}, attempt.stop_token());
    first.number = number;
    if (first.words.empty()) return;
    if (done.language.empty()) done.language = first.language;
    const bool is_pdf = done.file.content_type == kPdf;
    if (is_pdf && first.source == media::PageSource::TextLayer) {
        done.reading.pages.push_back(std::move(first));
        return;
    }
    if (auto second = services.reader.read_page_again(bytes, first, attempt.stop_token())) {
        media::Page both = media::fused(first, *second);
        both.number = number;
        done.readers = kBothReaders;
        // What Tesseract saw alone is asked where both together leave doubt.
        done.reading.pages.push_back(std::move(both));
        done.reading.again.push_back(std::move(first));
        return;
    }
    // Without another reader the same one looks again, with other models.
    if (!is_pdf) {
        media::Page again = services.reader.read_page(
            bytes,
            {.page = 1, .language = first.language, .rotation = first.rotation, .again = true},
            attempt.stop_token());
        done.reading.again.push_back(std::move(again));
    }
    done.reading.pages.push_back(std::move(first));
}

int page_count(Attempt& attempt, const PaperServices& services, const SourceFile& file,
               const std::string& bytes) {
    if (file.content_type != kPdf) return 1;
    media::ReadPdf::Arguments sizes;
    sizes.pages_max = services.options.pages_max;
    sizes.with_text = false;
    const auto pages = services.reader.read_pdf(bytes, sizes, attempt.stop_token()).pages.size();
    if (pages > kReceiptPagesMax) {
        throw NonRetryable(fmt::format(
            "{} has {} pages, and a receipt at most {}: read it as invoice (too_many_pages)",
            file.name, pages, kReceiptPagesMax));
    }
    return static_cast<int>(pages);
}

OcrDone read_picture(Attempt& attempt, const PaperServices* with, const FileInput& input) {
    const Time begun = with->clock.now();
    OcrDone done;
    done.file = find_source(attempt, *with, input, kReceiptGuard);
    const std::string bytes = read_checked(*with, done.file);
    const int pages = page_count(attempt, *with, done.file, bytes);
    for (int number = 1; number <= pages; ++number)
        read_receipt_page(attempt, *with, bytes, number, done);
    if (done.reading.pages.empty())
        throw NonRetryable(fmt::format("no text was found in {} (no_text)", done.file.name));
    for (const media::Page& page : done.reading.pages) {
        done.words += static_cast<int>(page.words.size());
        done.confidence += page.confidence / static_cast<double>(done.reading.pages.size());
    }
    done.took_ms = (with->clock.now() - begun).count();
    return done;
}

boost::asio::awaitable<OcrDone> read_in_turn(Attempt& attempt, const PaperServices* with,
                                             const std::string& organization,
                                             const FileInput& input) {
    return isolate::in_turn(with->turns,
                            isolate::asker_of(attempt, organization, isolate::JobKind::Long),
                            attempt.stop_token(),
                            [&attempt, with, input] { return read_picture(attempt, with, input); });
}

void save_words(Tx& tx, const OcrDone& done) {
    const std::string& file_id = done.file.file_id;
    for (const auto& page : done.reading.pages) save_page(tx, file_id, page, 1);
    for (const auto& page : done.reading.again) save_page(tx, file_id, page, 2);
    const Answered by{done.readers, done.language, done.confidence, done.took_ms, ""};
    note_success(tx, file_id, kOcrJob, by, fmt::format("{} words", done.words));
    if (!is_current_run(tx, file_id)) return;
    tx.exec(
        "UPDATE unified_files SET ocr_raw = ?, ai_status = 'ocr_done', updated_at = ? WHERE id = ?",
        document_text(done.reading), tx.now(), file_id);
}

Reading load_reading(const PaperServices& services, const std::string& file_id) {
    return {load_pages(services.engine, file_id, 1), load_pages(services.engine, file_id, 2)};
}

template <class T>
Answer<T> about(const std::string& file_id, Answer<T> answer) {
    answer.file_id = file_id;
    return answer;
}

Answer<rules::DocumentTypeAnswer> find_document_type(Attempt& attempt, const PaperServices* with,
                                                     const std::string& file_id) {
    own_source(attempt, *with, file_id);
    return about(file_id, with->analyst.document_type(load_reading(*with, file_id),
                                                      asking_in(attempt, analysis_step(*with))));
}

Answer<rules::ExpenseAnswer> find_expense_type(Attempt& attempt, const PaperServices* with,
                                               const std::string& file_id) {
    own_source(attempt, *with, file_id);
    const rules::ExpenseOptions options{with->options.company_cards_last_4};
    return about(file_id, with->analyst.expense_type(load_reading(*with, file_id), options,
                                                     asking_in(attempt, analysis_step(*with))));
}

Answer<rules::Receipt> find_fields(Attempt& attempt, const PaperServices* with,
                                   const std::string& file_id, const rules::Date& today) {
    own_source(attempt, *with, file_id);
    rules::ReceiptOptions options;
    options.currency_default = with->options.currency_default;
    options.today = today;
    return about(file_id, with->analyst.receipt(load_reading(*with, file_id), options,
                                                asking_in(attempt, analysis_step(*with))));
}

Answer<rules::AccountingProposal> find_entries(Attempt& attempt, const PaperServices* with,
                                               const std::string& file_id,
                                               const rules::Receipt& receipt,
                                               const std::string& expense_type) {
    own_source(attempt, *with, file_id);
    return about(file_id, with->analyst.accounting(receipt, expense_type, with->options.accounting,
                                                   asking_in(attempt, analysis_step(*with))));
}

struct PipelineResult {
    rules::DocumentTypeAnswer document{};
    rules::ExpenseAnswer expense{};
    Answer<rules::Receipt> receipt{};
    BOOST_DESCRIBE_CLASS(PipelineResult, (), (document, expense, receipt), (), ())
};

// A statement of a card company among the receipts: none of the receipt's stages may touch it (it left 52 wrong rows
// once).
bool is_card_statement(const PipelineResult& found) {
    return found.document.document_type == to_string(rules::DocumentType::CardInvoice);
}

Task<PipelineResult> ai_pipeline(Context& ctx, const PaperServices* with, std::string file_id,
                                 rules::Date today) {
    PipelineResult found;
    std::size_t reached = 0;
    Failed failed;
    std::string why = "the document is a card statement";
    // In the order of kPipeline; each may have a model of its own, at its own price.
    const std::array<StepOptions, 4> patient{
        analysis_step(*with, Analyst::kDocumentType), analysis_step(*with, Analyst::kExpenseType),
        analysis_step(*with, Analyst::kReceipt), analysis_step(*with, Analyst::kAccounting)};
    try {
        const auto document =
            co_await ctx.step(kPipeline[0], patient[0], find_document_type, with, file_id)
                .commit(save_document_type);
        found.document = document.value;
        if (!is_card_statement(found)) {
            reached = 1;
            const auto expense =
                co_await ctx.step(kPipeline[1], patient[1], find_expense_type, with, file_id)
                    .commit(save_expense_type);
            found.expense = expense.value;
            reached = 2;
            found.receipt =
                co_await ctx.step(kPipeline[2], patient[2], find_fields, with, file_id, today)
                    .commit(save_receipt);
            reached = 3;
            co_await ctx
                .step(kPipeline[3], patient[3], find_entries, with, file_id, found.receipt.value,
                      found.expense.expense_type)
                .commit(save_accounting);
        }
    } catch (const StepFailed& error) {
        failed = failed_with(error);
        why = fmt::format("stage `{}` failed", failed.stage);
    }
    for (std::size_t i = reached + 1; i < kPipeline.size(); ++i)
        co_await skip(ctx, kPipeline[i], why);
    if (failed) std::rethrow_exception(failed.error);
    co_return found;
}

// Every reason for a person to look, each once.
std::vector<std::string> reasons(const PipelineResult& found, const rules::Date& today) {
    if (is_card_statement(found)) return {looks_like(rules::DocumentType::CardInvoice)};
    std::vector<std::string> out = found.receipt.value.review;
    if (found.document.document_type != to_string(rules::DocumentType::Receipt))
        out.push_back(found.document.document_type == to_string(rules::DocumentType::Invoice)
                          ? looks_like(rules::DocumentType::Invoice)
                          : fmt::format("document_type: {}", found.document.document_type));
    const rules::ReceiptReport report = rules::check_receipt(found.receipt.value, today);
    out.insert(out.end(), report.errors.begin(), report.errors.end());
    for (const std::string& warning : report.warnings) {
        // What is missing or uncertain is a reason of its own already.
        if (!warning.ends_with("is missing") && !warning.ends_with("is uncertain"))
            out.push_back(warning);
    }
    if (rules::is_foreign(found.receipt.value)) out.emplace_back(rules::kForeignCurrency);
    return out;
}

Finding finding_of(const SourceFile& file, PipelineResult found, const rules::Date& today) {
    rules::Receipt& receipt = found.receipt.value;
    receipt.review = reasons(found, today);
    Finding finding;
    finding.file_id = file.file_id;
    finding.organization_id = file.organization_id;
    finding.kind = "receipt";
    finding.result = rules::receipt_json(receipt, found.expense.expense_type);
    finding.detail = to_json(receipt);
    finding.confidence = found.receipt.by.confidence;
    finding.review = receipt.review;
    return finding;
}

// The card statement may have come before it.
std::string save_and_match(Tx& tx, const Finding& finding, const MatchSettings& settings) {
    const std::string status = save_finding(tx, finding);
    if (is_current_run(tx, finding.file_id)) match_receipt(tx, finding.file_id, settings);
    return status;
}

Task<json::value> receipt(Context& ctx, const PaperServices* with, FileInput input) {
    ctx.expects(kReceiptGuard.workflow_prefix);
    const std::string organization = ctx.organization_id();
    const rules::Date today = day_of(ctx.now());
    const std::vector<std::string> pipeline{"ai_pipeline"};
    const std::vector<std::string> nothing;
    Failed failed;
    OcrDone ocr;
    try {
        ocr = co_await ctx.step("ocr", kOcrOptions, read_in_turn, with, organization, input)
                  .commit(save_words);
    } catch (const StepFailed& error) {
        failed = failed_with(error);
    }
    if (failed) co_await give_up(ctx, input.file_id, failed, pipeline);

    PipelineResult found;
    try {
        found = co_await ctx.scope("ai_pipeline", ai_pipeline, with, ocr.file.file_id, today);
    } catch (const StepFailed& error) {
        failed = failed_with(error);
    }
    if (failed) co_await give_up(ctx, input.file_id, failed, nothing);

    const Finding finding = finding_of(ocr.file, found, today);
    const MatchSettings settings = match_settings(with->options);
    co_await ctx.transaction("finalize", save_and_match, finding, settings);
    co_return json::parse(finding.result);
}

}  // namespace

void define_receipt(const PaperServices& services) {
    services.engine.define(
        std::string(kReceiptWorkflow),
        [with = &services](Context& ctx, FileInput input) -> Task<json::value> {
            return receipt(ctx, with, std::move(input));
        },
        paper_options(services.engine, "What a photographed receipt says, and its entries"));
}

}  // namespace belay::workflows
