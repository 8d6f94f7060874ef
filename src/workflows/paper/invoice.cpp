#include "workflows/paper/invoice.hpp"

#include <array>

#include <boost/json/parse.hpp>
#include <fmt/format.h>

#include <belay/belay.hpp>

#include "workflows/paper/ending.hpp"
#include "workflows/paper/invoice_rows.hpp"
#include "workflows/paper/pages.hpp"

namespace belay::workflows {

namespace {

namespace json = boost::json;
namespace rules = ai::rules;
using namespace std::chrono_literals;

// A model may take its time and be busy.
constexpr StepOptions kAnalysis{
    .retry = {.attempts_max = 4, .first_delay = 1s, .longest_delay = 1min}, .timeout = 5min};

bool is_empty(const rules::Invoice& invoice) {
    return !invoice.invoice_number && !invoice.issue_date && !invoice.seller_name &&
           !invoice.grand_total && !invoice.net_total && invoice.lines.empty();
}

// An empty answer is a failure: nobody finds a run that succeeded with nothing.
Answer<rules::Invoice> analyse(Attempt& attempt, const PaperServices* with, const SourceFile& file) {
    auto answer = with->analyst.invoice(load_document(*with, file.file_id), attempt.stop_token());
    if (is_empty(answer.value)) {
        throw NonRetryable(
            fmt::format("nothing that an invoice has was found in {} (not_an_invoice)", file.name));
    }
    answer.file_id = file.file_id;
    return answer;
}

Finding finding_of(const PagesOutcome& pages, rules::Invoice invoice) {
    const auto& unread = pages.merged.review;
    invoice.review.insert(invoice.review.begin(), unread.begin(), unread.end());
    Finding finding;
    finding.file_id = pages.file.file_id;
    finding.organization_id = pages.file.organization_id;
    finding.kind = "invoice";
    finding.result = rules::invoice_result_json(invoice);
    finding.detail = to_json(invoice);
    finding.confidence = invoice.confidence;
    finding.review = invoice.review;
    return finding;
}

Task<json::value> invoice(Context& ctx, const PaperServices* with, FileInput input) {
    ctx.expects(kInvoiceGuard.workflow_prefix);
    const std::array<std::string, 3> stages{"ocr_page", "merge_ocr", "invoice_analysis"};
    int reached = 0;
    Failed failed;
    PagesOutcome pages;
    Answer<rules::Invoice> found;
    try {
        pages = co_await read_document(ctx, with, input, &kInvoiceGuard, &reached);
        found = co_await ctx.step("invoice_analysis", kAnalysis, analyse, with, pages.file)
                    .commit(save_invoice);
    } catch (const StepFailed& error) {
        failed = failed_with(error);
    }
    if (failed) {
        const std::vector<std::string> later(stages.begin() + reached, stages.end());
        co_await give_up(ctx, input.file_id, failed, later);
    }
    const Finding finding = finding_of(pages, found.value);
    co_await ctx.transaction("finalize", save_finding, finding);
    co_return json::parse(finding.result);
}

}  // namespace

void define_invoice(const PaperServices& services) {
    services.engine.define(
        std::string(kInvoiceWorkflow),
        [with = &services](Context& ctx, FileInput input) -> Task<json::value> {
            return invoice(ctx, with, std::move(input));
        },
        paper_hooks());
}

}  // namespace belay::workflows
