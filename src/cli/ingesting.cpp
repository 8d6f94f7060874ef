#include "cli/ingesting.hpp"

#include <vector>

#include <fmt/format.h>

#include "ingest/tables.hpp"
#include "workflows/image_classification.hpp"

namespace belay::cli {

Ingesting::Ingesting(const std::filesystem::path& data_folder, const env::Clock& clock)
    : objects_(data_folder / "objects", files_, clock), classifier_(pool_) {}

void Ingesting::define(Engine& engine) {
    engine.migrate(ingest::kOwner, ingest::migrations());
    workflows::define_image_classification({engine, objects_, classifier_});
    const std::vector<std::string> keys{std::string(workflows::kImageClassification)};
    uploads_ = std::make_unique<ingest::Uploads>(engine, objects_, keys);
}

std::optional<std::string> Ingesting::helper_problem() const {
    const std::string helper = isolate::default_helper();
    std::error_code error;
    if (std::filesystem::exists(helper, error)) return std::nullopt;
    return fmt::format("{} is not there: no picture can be read until it is", helper);
}

}  // namespace belay::cli
