#include "ingestion/workflows/paper/invoice.hpp"

#include <fmt/format.h>

#include <belay/belay.hpp>

#include "ingestion/workflows/paper/document_flow.hpp"
#include "ingestion/workflows/paper/document_states.hpp"
#include "ingestion/workflows/paper/invoice_rows.hpp"

namespace belay::workflows {

namespace {

namespace json = boost::json;
namespace rules = ai::rules;

bool is_empty(const rules::Invoice& invoice) {
    return !invoice.invoice_number && !invoice.issue_date && !invoice.seller_name &&
           !invoice.grand_total && !invoice.net_total && invoice.lines.empty();
}

// An empty answer is a failure: nobody finds a run that succeeded with nothing.
Answer<rules::Invoice> analyse(Attempt& attempt, const PaperServices* with,
                               const SourceFile& recorded) {
    const SourceFile file = own_source(attempt, *with, recorded.file_id);
    begin_analysis(*with, file);
    auto answer = with->analyst.invoice(load_document(*with, file.file_id),
                                        asking_in(attempt, kAnalysisStep));
    if (is_empty(answer.value)) {
        throw NonRetryable(
            fmt::format("nothing that an invoice has was found in {} (not_an_invoice)", file.name));
    }
    answer.file_id = file.file_id;
    return answer;
}

Task<Finding> analyse_pages(Context& ctx, const PaperServices* with, PagesOutcome pages,
                            StageList* stages) {
    stages->begin();
    const auto found =
        co_await ctx.step("invoice_analysis", kAnalysisStep, analyse, with, pages.file)
            .commit(save_invoice);
    co_return finding_of("invoice", pages, found.value, rules::invoice_result_json);
}

}  // namespace

void define_invoice(const PaperServices& services) {
    services.engine.define(
        std::string(kInvoiceWorkflow),
        [with = &services](Context& ctx, FileInput input) -> Task<json::value> {
            return read_paper(ctx, with, std::move(input), &kInvoiceGuard, {"invoice_analysis"},
                              analyse_pages);
        },
        paper_options(services.engine, "What an invoice of one or many pages says",
                      kSupplierInvoice));
}

}  // namespace belay::workflows
