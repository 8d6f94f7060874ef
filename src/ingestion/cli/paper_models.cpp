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
    for (const TaskName& row : kTasks) {
        const auto named = named_models(environment, "BELAY_MODEL", std::string(row.variable));
        if (named.empty()) continue;
        // Whoever runs this server chose the address: it may be a machine of their own.
        if (!client_)
            client_ = std::make_unique<http::CurlClient>(
                http::CurlOptions{.addresses = http::AddressPolicy::any()});
        extractors_.push_back(make_chain(named, *client_, clock));
        models_[std::string(row.task)] = {named.front().url, extractors_.back().get()};
    }
}

std::vector<std::string> told_chains(const Environment& environment) {
    std::vector<std::string> told;
    for (const TaskName& row : kTasks) {
        const auto named = named_models(environment, "BELAY_MODEL", std::string(row.variable));
        if (named.empty()) continue;
        std::string chain = fmt::format("{}: ", row.task);
        for (const NamedModel& one : named)
            chain += fmt::format("{} at {}, then ", one.model, one.url);
        told.push_back(chain + "the rules");
    }
    return told;
}

std::optional<std::string> process_environment(const std::string& name) {
    const char* value = std::getenv(name.c_str());
    if (value == nullptr) return std::nullopt;
    return value;
}

}  // namespace belay::cli
