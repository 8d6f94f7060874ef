#include "ingestion/workflows/paper/invoice.hpp"

#include <fmt/format.h>

#include <belay/belay.hpp>

#include "ingestion/ai/rules/einvoice.hpp"
#include "ingestion/workflows/paper/document_flow.hpp"
#include "ingestion/workflows/paper/document_states.hpp"
#include "ingestion/workflows/paper/invoice_rows.hpp"
#include "ingestion/workflows/paper/page_rows.hpp"

namespace belay::workflows {

namespace {

namespace json = boost::json;
namespace rules = ai::rules;

bool is_empty(const rules::Invoice& invoice) {
    return !invoice.invoice_number && !invoice.issue_date && !invoice.seller_name &&
           !invoice.grand_total && !invoice.net_total && invoice.lines.empty();
}

// "Tax invoice" stands on the receipts of half the world, and invoices are paid by card: what has a number or a day to be
// paid by is an invoice. A card statement has both, and its own signs.
bool is_in_doubt(const rules::Invoice& invoice, const std::string& other) {
    const bool has_signs = invoice.invoice_number || invoice.due_date;
    return !has_signs || other == looks_like(rules::DocumentType::CardInvoice);
}

// The XML is the invoice; the pages beside it are only looked at for what they say otherwise.
Answer<rules::Invoice> by_its_xml(const PaperServices& services, const SourceFile& file,
                                  const media::ReadEInvoice::Result& xml, const Reading& reading) {
    const Time begun = services.clock.now();
    const media::EInvoice& said = xml.invoice.front();
    Answer<rules::Invoice> answer;
    answer.file_id = file.file_id;
    answer.value = rules::invoice_of(said);
    if (!xml.attachment.empty()) {
        for (auto& reason : rules::differences(answer.value, reading.pages))
            answer.value.review.push_back(std::move(reason));
    }
    answer.by = {"xml", fmt::format("{} {}", said.syntax, said.profile), answer.value.confidence,
                 (services.clock.now() - begun).count(), xml.attachment};
    return answer;
}

// An empty answer is a failure: nobody finds a run that succeeded with nothing.
Answer<rules::Invoice> analyse(Attempt& attempt, const PaperServices* with,
                               const SourceFile& recorded) {
    const SourceFile file = own_source(attempt, *with, recorded.file_id);
    begin_analysis(*with, file);
    const auto xml = load_einvoice(with->engine, file.file_id);
    const Reading reading = load_document(*with, file.file_id);
    if (!xml.invoice.empty()) return by_its_xml(*with, file, xml, reading);
    auto answer = with->analyst.invoice(reading, asking_in(attempt, analysis_step(*with)));
    if (!xml.problem.empty())
        answer.value.review.push_back(
            fmt::format("einvoice_unreadable: {} {}", xml.attachment, xml.problem));
    const auto other = looks_like_another(reading, rules::DocumentType::Invoice);
    if (is_empty(answer.value)) {
        throw NonRetryable(
            fmt::format("nothing that an invoice has was found in {} (not_an_invoice){}", file.name,
                        other ? "; " + *other : ""));
    }
    if (other && is_in_doubt(answer.value, *other)) answer.value.review.push_back(*other);
    answer.file_id = file.file_id;
    return answer;
}

Task<Finding> analyse_pages(Context& ctx, const PaperServices* with, PagesOutcome pages,
                            StageList* stages) {
    stages->begin();
    const StepOptions patient = analysis_step(*with, Analyst::kInvoice);
    const auto found = co_await ctx.step("invoice_analysis", patient, analyse, with, pages.file)
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
