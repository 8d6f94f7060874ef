#include "cli/ingesting.hpp"

#include <vector>

#include <fmt/format.h>

#include "ingest/tables.hpp"
#include "workflows/image_classification.hpp"
#include "workflows/paper/invoice.hpp"
#include "workflows/paper/receipt.hpp"
#include "workflows/paper/statement.hpp"

namespace belay::cli {

Ingesting::Ingesting(const std::filesystem::path& data_folder, const env::Clock& clock)
    : clock_(clock), objects_(data_folder / "objects", files_, clock), classifier_(pool_),
      page_reader_(pool_), models_(process_environment, clock), analyst_(clock, models_.models()) {}

void Ingesting::define(Engine& engine) {
    engine.migrate(ingest::kOwner, ingest::migrations());
    workflows::define_image_classification({engine, objects_, classifier_});
    paper_ = std::make_unique<workflows::PaperServices>(workflows::PaperServices{
        engine, objects_, page_reader_, analyst_, clock_, paper_options_});
    workflows::define_receipt(*paper_);
    workflows::define_invoice(*paper_);
    workflows::define_statement(*paper_);
    const std::vector<std::string> keys{
        std::string(workflows::kImageClassification),
        std::string(workflows::kReceiptWorkflow),
        std::string(workflows::kInvoiceWorkflow),
        std::string(workflows::kStatementWorkflow),
    };
    uploads_ = std::make_unique<ingest::Uploads>(engine, objects_, keys);
}

std::optional<std::string> Ingesting::helper_problem() const {
    const std::string helper = isolate::default_helper();
    std::error_code error;
    if (std::filesystem::exists(helper, error)) return std::nullopt;
    return fmt::format("{} is not there: no picture can be read until it is", helper);
}

}  // namespace belay::cli
