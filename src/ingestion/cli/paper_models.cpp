#include "ingestion/cli/paper_models.hpp"

#include <array>
#include <cstdlib>

#include <fmt/format.h>

#include <belay/error.hpp>

#include "ingestion/cli/models.hpp"
#include "service/http/curl_client.hpp"

namespace belay::cli {

namespace {

struct TaskName {
    std::string_view variable;
    std::string_view task;
};
constexpr std::array kTasks{
    TaskName{"BELAY_MODEL_DOCUMENT_TYPE", workflows::Analyst::kDocumentType},
    TaskName{"BELAY_MODEL_EXPENSE_TYPE", workflows::Analyst::kExpenseType},
    TaskName{"BELAY_MODEL_RECEIPT", workflows::Analyst::kReceipt},
    TaskName{"BELAY_MODEL_ACCOUNTING", workflows::Analyst::kAccounting},
    TaskName{"BELAY_MODEL_INVOICE", workflows::Analyst::kInvoice},
    TaskName{"BELAY_MODEL_STATEMENT", workflows::Analyst::kStatement}};

}  // namespace

PaperModels::PaperModels(const Environment& environment, const env::Clock& clock) {
    const std::string url = environment("BELAY_MODEL_URL").value_or("");
    for (const TaskName& row : kTasks) {
        const std::string model = environment(std::string(row.variable)).value_or("");
        if (model.empty()) continue;
        if (url.empty()) {
            throw Error(
                ErrorCode::InvalidArgument,
                fmt::format("{} names a model, but BELAY_MODEL_URL no server", row.variable));
        }
        // Whoever runs this server chose the address: it may be a machine of their own.
        if (!client_)
            client_ = std::make_unique<http::CurlClient>(
                http::CurlOptions{.addresses = http::AddressPolicy::any()});
        ai::remote::OpenAiExtractorOptions options;
        options.endpoint.base_url = url;
        options.endpoint.api_key = environment("BELAY_MODEL_KEY").value_or("");
        options.model = model;
        if (const auto price = environment("BELAY_MODEL_PRICE").value_or(""); !price.empty())
            options.prices[model] = price_of("BELAY_MODEL_PRICE", price);
        extractors_.push_back(
            std::make_unique<ai::remote::OpenAiExtractor>(std::move(options), *client_, clock));
        models_[std::string(row.task)] = {url, extractors_.back().get()};
    }
}

std::optional<std::string> process_environment(const std::string& name) {
    const char* value = std::getenv(name.c_str());
    if (value == nullptr) return std::nullopt;
    return value;
}

}  // namespace belay::cli
