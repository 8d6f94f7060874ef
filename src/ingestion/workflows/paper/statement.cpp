#include "ingestion/workflows/paper/statement.hpp"

#include <fmt/format.h>

#include <belay/belay.hpp>

#include "ingestion/workflows/paper/document_flow.hpp"
#include "ingestion/workflows/paper/document_states.hpp"
#include "ingestion/workflows/paper/match_rows.hpp"
#include "ingestion/workflows/paper/statement_rows.hpp"

namespace belay::workflows {

namespace {

namespace json = boost::json;
namespace rules = ai::rules;

// A statement says something with its rows; without any, only one that comes to nothing is whole.
bool is_empty(const rules::Statement& statement) {
    return statement.rows.empty() && !(statement.total && statement.total->is_zero());
}

Answer<rules::Statement> analyse(Attempt& attempt, const PaperServices* with,
                                 const SourceFile& recorded) {
    const SourceFile file = own_source(attempt, *with, recorded.file_id);
    begin_analysis(*with, file);
    const Reading reading = load_document(*with, file.file_id);
    auto answer = with->analyst.statement(reading, asking_in(attempt, analysis_step(*with)));
    if (is_empty(answer.value)) {
        const auto other = looks_like_another(reading, rules::DocumentType::CardInvoice);
        throw NonRetryable(fmt::format("no rows of a card statement were found in {} (no_rows){}",
                                       file.name, other ? "; " + *other : ""));
    }
    answer.file_id = file.file_id;
    return answer;
}

void note_analysis(Tx& tx, const Answer<rules::Statement>& answer) {
    note_success(tx, answer.file_id, kAi6, answer.by,
                 fmt::format("{} rows", answer.value.rows.size()),
                 rules::statement_result_json(answer.value));
    if (is_current_run(tx, answer.file_id)) {
        tx.exec("UPDATE unified_files SET file_type = 'fc_invoice', updated_at = ? WHERE id = ?",
                tx.now(), answer.file_id);
    }
}

Persisted persist(Tx& tx, const SourceFile& recorded, const rules::Statement& statement) {
    const SourceFile file = own_source(tx, recorded.file_id);
    if (!is_current_run(tx, file.file_id)) return {};
    return save_statement(tx, file, statement);
}

MatchSummary match(Tx& tx, const Persisted& persisted, const MatchSettings& settings) {
    if (persisted.document_id.empty()) return {};
    const auto own = tx.value<int>(
        "SELECT 1 FROM invoice_documents d JOIN workflow_runs r ON r.organization_id = "
        "d.organization_id WHERE r.public_id = ? AND d.id = ?",
        tx.run_id(), persisted.document_id);
    if (!own) throw NonRetryable(fmt::format("there is no statement {}", persisted.document_id));
    return match_document(tx, persisted.document_id, settings);
}

Task<Finding> analyse_pages(Context& ctx, const PaperServices* with, PagesOutcome pages,
                            StageList* stages) {
    const MatchSettings settings = match_settings(with->options);
    stages->begin();
    const StepOptions patient = analysis_step(*with, Analyst::kStatement);
    const auto found =
        co_await ctx.step("ai6_analysis", patient, analyse, with, pages.file).commit(note_analysis);
    stages->begin();
    const auto persisted = co_await ctx.transaction("persist", persist, pages.file, found.value);
    stages->begin();
    co_await ctx.transaction("match", match, persisted, settings);
    if (persisted.kept > 0) {
        pages.merged.review.push_back(fmt::format(
            "this statement was read better before: its {} rows are kept", persisted.kept));
    }
    Finding finding = finding_of("statement", pages, found.value, rules::statement_result_json);
    finding.document_id = persisted.document_id;
    co_return finding;
}

}  // namespace

void define_statement(const PaperServices& services) {
    services.engine.define(
        std::string(kStatementWorkflow),
        [with = &services](Context& ctx, FileInput input) -> Task<json::value> {
            return read_paper(ctx, with, std::move(input), &kStatementGuard,
                              {"ai6_analysis", "persist", "match"}, analyse_pages);
        },
        paper_options(services.engine,
                      "What a card statement says, and its lines matched to receipts",
                      kCardInvoice));
}

}  // namespace belay::workflows
