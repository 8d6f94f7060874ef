#include "ingestion/workflows/paper/document_flow.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <boost/json/parse.hpp>

#include "ingestion/workflows/paper/document_states.hpp"

namespace belay::workflows {

namespace rules = ai::rules;

StageList::StageList(std::vector<std::string> own) : stages_{"ocr_page", "merge_ocr"} {
    for (std::string& stage : own) stages_.push_back(std::move(stage));
}

std::vector<std::string> StageList::not_begun() const {
    const auto from =
        stages_.begin() + static_cast<std::ptrdiff_t>(std::min(begun_, stages_.size()));
    return {from, stages_.end()};
}

Task<boost::json::value> read_paper(Context& ctx, const PaperServices* with, FileInput input,
                                    const Guard* guard, std::vector<std::string> own_stages,
                                    Analyse analyse) {
    ctx.expects(guard->workflow_prefix);
    StageList stages{std::move(own_stages)};
    Failed failed;
    Finding finding;
    try {
        const auto pages = co_await read_document(ctx, with, input, guard, &stages);
        finding = co_await analyse(ctx, with, pages, &stages);
    } catch (const StepFailed& error) {
        failed = failed_with(error);
    }
    if (failed) {
        const auto later = stages.not_begun();
        co_await give_up(ctx, input.file_id, failed, later);
    }
    co_await ctx.transaction("finalize", save_finding, finding);
    co_return boost::json::parse(finding.result);
}

std::string looks_like(rules::DocumentType type) {
    switch (type) {
        case rules::DocumentType::Receipt:
            return fmt::format("{} receipt: read it as receipt", kLooksLike);
        case rules::DocumentType::Invoice:
            return fmt::format("{}n invoice: read it as invoice", kLooksLike);
        case rules::DocumentType::CardInvoice:
            return fmt::format("{} card statement: read it as creditcard_invoice", kLooksLike);
        default:
            return fmt::format("document_type: {}", to_string(type));
    }
}

std::optional<std::string> looks_like_another(const Reading& reading, rules::DocumentType own) {
    const auto said = rules::classify_document(reading.pages).document_type;
    for (const auto type : {rules::DocumentType::Receipt, rules::DocumentType::Invoice,
                            rules::DocumentType::CardInvoice}) {
        if (type != own && said == to_string(type)) return looks_like(type);
    }
    return std::nullopt;
}

void begin_analysis(const PaperServices& services, const SourceFile& file) {
    services.engine.transact([&](Tx& tx) {
        set_processing_status(tx, file.file_id, ai::rules::ProcessingStatus::AiProcessing);
    });
}

}  // namespace belay::workflows
