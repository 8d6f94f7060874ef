#include "workflows/paper/statement.hpp"

#include <array>

#include <boost/json/parse.hpp>
#include <fmt/format.h>

#include <belay/belay.hpp>

#include "workflows/paper/ending.hpp"
#include "workflows/paper/match_rows.hpp"
#include "workflows/paper/pages.hpp"
#include "workflows/paper/statement_rows.hpp"

namespace belay::workflows {

namespace {

namespace json = boost::json;
namespace rules = ai::rules;
using namespace std::chrono_literals;

constexpr StepOptions kAnalysis{
    .retry = {.attempts_max = 4, .first_delay = 1s, .longest_delay = 1min}, .timeout = 5min};

// A statement says something with its rows; without any, only one that comes to nothing is whole.
bool is_empty(const rules::Statement& statement) {
    return statement.rows.empty() && !(statement.total && statement.total->is_zero());
}

Answer<rules::Statement> analyse(Attempt& attempt, const PaperServices* with,
                                 const SourceFile& file) {
    auto answer = with->analyst.statement(load_document(*with, file.file_id), attempt.stop_token());
    if (is_empty(answer.value)) {
        throw NonRetryable(
            fmt::format("no rows of a card statement were found in {} (no_rows)", file.name));
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

Persisted persist(Tx& tx, const SourceFile& file, const rules::Statement& statement) {
    if (!is_current_run(tx, file.file_id)) return {};
    return save_statement(tx, file, statement);
}

MatchSummary match(Tx& tx, const Persisted& persisted, const MatchSettings& settings) {
    if (persisted.document_id.empty()) return {};
    return match_document(tx, persisted.document_id, settings);
}

Finding finding_of(const PagesOutcome& pages, rules::Statement statement) {
    const auto& unread = pages.merged.review;
    statement.review.insert(statement.review.begin(), unread.begin(), unread.end());
    Finding finding;
    finding.file_id = pages.file.file_id;
    finding.organization_id = pages.file.organization_id;
    finding.kind = "statement";
    finding.result = rules::statement_result_json(statement);
    finding.detail = to_json(statement);
    finding.confidence = statement.confidence;
    finding.review = statement.review;
    return finding;
}

Task<json::value> statement(Context& ctx, const PaperServices* with, FileInput input) {
    ctx.expects(kStatementGuard.workflow_prefix);
    const std::array<std::string, 5> stages{"ocr_page", "merge_ocr", "ai6_analysis", "persist",
                                            "match"};
    const MatchSettings settings{with->options.matching,
                                 !with->options.company_cards_last_4.empty()};
    int reached = 0;
    Failed failed;
    PagesOutcome pages;
    Answer<rules::Statement> found;
    try {
        pages = co_await read_document(ctx, with, input, &kStatementGuard, &reached);
        found = co_await ctx.step("ai6_analysis", kAnalysis, analyse, with, pages.file)
                    .commit(note_analysis);
        reached = 4;
        const auto persisted =
            co_await ctx.transaction("persist", persist, pages.file, found.value);
        reached = 5;
        co_await ctx.transaction("match", match, persisted, settings);
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

void define_statement(const PaperServices& services) {
    services.engine.define(
        std::string(kStatementWorkflow),
        [with = &services](Context& ctx, FileInput input) -> Task<json::value> {
            return statement(ctx, with, std::move(input));
        },
        paper_hooks());
}

}  // namespace belay::workflows
