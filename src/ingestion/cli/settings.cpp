#include "ingestion/cli/settings.hpp"

#include <belay/error.hpp>

#include "ingestion/ingest/workflow_type.hpp"

namespace belay::cli {

const Settings& ingestion_settings() {
    static const Settings kSettings{
        {"classifier", "local", "WHICH", "who looks at pictures: local, or workers-ai"},
        {"workers-ai-account", "", "ID", "Cloudflare account whose Workers AI is asked"},
        {"workers-ai-token", "", "TOKEN",
         "API token for it; better in BELAY_WORKERS_AI_TOKEN, which other users of this machine "
         "cannot see"},
        {"workers-ai-url", "https://api.cloudflare.com/client/v4", "URL", "where it is asked"},
        {"watch", "", "DIR",
         "a folder whose files are taken as uploads and moved to its done/ or refused/"},
        {"watch-type", "", "TYPE",
         "the workflow_type of what is put there; without one pictures are receipts, PDFs and XML "
         "invoices"},
        {"watch-organization", "default", "NAME", "whose files they are"},
        {"fetch-allow", "", "NETWORKS",
         "private networks that web documents may be fetched from, such as 10.0.0.0/8; normally "
         "none"},
        {"fetch-interval", "500ms", "DURATION", "between two requests to one host of the web"},
        {"fetch-robots", "on", "on|off", "whether robots.txt is obeyed"},
        {"embed-url", "", "URL",
         "a server that speaks OpenAI's embeddings; without one the local model is used"},
        {"embed-model", "", "NAME", "its model"},
        {"embed-key", "", "KEY", "its key"},
        {"embed-price", "", "PRICE", "for a million tokens, such as 0.02 USD"},
        {"extract-url", "", "URL",
         "a server that speaks OpenAI's chat; without one documents are indexed by rules"},
        {"extract-model", "", "NAMES", "its model; several are asked in that order, as for paper"},
        {"extract-key", "", "KEY", "its key"},
        {"extract-url-2", "", "URL", "another server, of the models that are named with @2"},
        {"extract-key-2", "", "KEY", "its key"},
        {"extract-price-2", "", "PRICE", "and what its tokens cost"},
        {"sanity-token", "", "TOKEN", "for documents of Sanity that are not public"},
        {"model-url", "", "URL",
         "a server that speaks OpenAI's chat, for the models below; without one paper is read by "
         "rules"},
        {"model-key", "", "KEY", "its key; better in BELAY_MODEL_KEY"},
        {"model-price", "", "PRICE", "for a million tokens in and out, such as 0.15/0.60 USD"},
        {"model-url-2", "", "URL", "another server, of the models that are named with @2"},
        {"model-key-2", "", "KEY", "its key"},
        {"model-price-2", "", "PRICE", "and what its tokens cost"},
        {"model-url-3", "", "URL", "a third, @3"},
        {"model-key-3", "", "KEY", "its key"},
        {"model-price-3", "", "PRICE", "and what its tokens cost"},
        {"model-retry", "2m", "DURATION",
         "for how long any model that does not answer is asked again"},
        {"model-document-type", "", "NAMES",
         "the model that says what a paper is (AI1); several, such as gpt-x, qwen@2, are "
         "asked in that order until one answers"},
        {"model-expense-type", "", "NAMES", "the model that says who paid (AI2)"},
        {"model-receipt", "", "NAMES", "the model that reads receipts (AI3)"},
        {"model-accounting", "", "NAMES", "the model that proposes entries (AI4)"},
        {"model-invoice", "", "NAMES", "the model that reads invoices"},
        {"model-statement", "", "NAMES", "the model that reads card statements"},
        {"ocr-models", "", "DIR",
         "Tesseract's models for pictures of text, instead of those that came with belay"},
        {"paper-currency", "", "CODE", "of a receipt that names none, such as SEK"},
        {"paper-company-cards", "", "DIGITS",
         "last four digits of the company's cards; what was paid with another is personal"},
        {"paper-pages-max", "500", "N", "pages of one document"},
        {"paper-page-pictures", "on", "on|off", "whether each page's picture is kept, as PNG"},
        {"paper-review-below", "0.7", "SHARE",
         "a field that is less sure is for a person to look at: 0.9 asks about what is right nine "
         "times in ten"},
        {"paper-match-days", "60", "N",
         "days between a card's line and a receipt that may belong to it"},
        {"paper-match-amount", "10.00", "AMOUNT", "by which the two may differ"},
        {"paper-cost-account", "5790", "ACCOUNT",
         "what a purchase is booked on if no rule knows better"},
        {"paper-card-account", "1930", "ACCOUNT",
         "what was paid with a company card is credited to"},
        {"paper-owed-account", "2440", "ACCOUNT", "what is owed to somebody is credited to"},
        {"paper-account-rules", "", "RULES",
         "accounts by words of the merchant, before the built-in ones: hotell=5831, taxi=5800"},
        {"extract-price", "", "PRICE", "for a million tokens in and out, such as 0.15/0.60 USD"},
    };
    return kSettings;
}

IngestionSettings ingestion_settings_of(const GivenSettings& given) {
    IngestionSettings settings;
    settings.watch = value_of(given, "watch");
    settings.watch_type = value_of(given, "watch-type");
    if (!settings.watch_type.empty()) {
        try {
            ingest::workflow_type_named(settings.watch_type);
        } catch (const Error& error) {
            refuse_setting(given, "watch-type", error.what());
        }
    }
    settings.watch_organization = value_of(given, "watch-organization");
    settings.classifier = value_of(given, "classifier");
    if (settings.classifier != "local" && settings.classifier != "workers-ai")
        refuse_setting(given, "classifier", "local or workers-ai");
    settings.workers_ai_account = value_of(given, "workers-ai-account");
    settings.workers_ai_token = value_of(given, "workers-ai-token");
    settings.workers_ai_url = value_of(given, "workers-ai-url");
    for (const auto& [name, one] : given) {
        if (one.value.empty()) continue;
        const bool is_web = name.starts_with("fetch-") || name.starts_with("embed-") ||
                            name.starts_with("extract-") || name == "sanity-token" ||
                            name == "model-retry";
        const bool is_paper =
            name.starts_with("model-") || name.starts_with("paper-") || name == "ocr-models";
        if (is_web) settings.web[environment_name(name)] = one.value;
        if (is_paper) settings.paper[environment_name(name)] = one.value;
    }
    return settings;
}

}  // namespace belay::cli
