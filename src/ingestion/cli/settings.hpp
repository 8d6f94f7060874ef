// settings.hpp — what can be set about `belay serve` beside what every server has: models, the web, paper.
#pragma once

#include <map>
#include <string>

#include "service/cli/settings.hpp"

namespace belay::cli {

const Settings& ingestion_settings();

struct IngestionSettings {
    std::string classifier{};  // "local" or "workers-ai"
    std::string workers_ai_account{};
    std::string workers_ai_token{};
    std::string workers_ai_url{};
    // A folder whose files are taken; empty: none.
    std::string watch{};
    std::string watch_type{};
    std::string watch_organization{};
    // What web documents are fetched and read with, by its environment variable (models.hpp, web_documents.hpp).
    std::map<std::string, std::string> web{};
    // The same of receipts, invoices and statements (paper_settings.hpp, paper_models.hpp).
    std::map<std::string, std::string> paper{};
};

// Throws Error{InvalidArgument} as serve_options does.
IngestionSettings ingestion_settings_of(const GivenSettings& given);

}  // namespace belay::cli
