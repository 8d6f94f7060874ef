#include "ingestion/cli/reader_checks.hpp"

#include <string>
#include <utility>

#include <belay/error.hpp>

#include "ingestion/cli/paper_models.hpp"
#include "ingestion/cli/paper_settings.hpp"
#include "ingestion/ingest/watch_folder.hpp"
#include "ingestion/isolate/pool.hpp"
#include "ingestion/media/read_jobs.hpp"

namespace belay::cli {

namespace {

// Why a job cannot be done; empty: it can.
std::string reason_against(const isolate::HelperInfo& helper, std::string_view job) {
    for (const auto& [name, reason] : helper.unavailable) {
        if (name == job) return reason;
    }
    return {};
}

}  // namespace

std::vector<Check> check_readers(const Environment& environment, const std::string& program) {
    isolate::PoolOptions options;
    options.program = program;
    options.environment = helper_environment(environment);
    options.arguments = {std::string(media::ReadPage::kName),
                         std::string(media::ReadPageAgain::kName)};
    isolate::HelperInfo helper;
    try {
        isolate::Pool pool{std::move(options)};
        helper = pool.start();
    } catch (const isolate::JobFailed& failure) {
        return {{"readers", Health::Warn, failure.what(),
                 "Until that is right no picture or PDF can be read here."}};
    }
    std::vector<Check> checks{{"sandbox", Health::Good, helper.sandbox, {}}};
    const std::string first = reason_against(helper, media::ReadPage::kName);
    const std::string second = reason_against(helper, media::ReadPageAgain::kName);
    if (!first.empty()) {
        checks.push_back({"readers", Health::Warn, first, "Install Tesseract's language files."});
    } else if (!second.empty()) {
        checks.push_back({"readers", Health::Warn, "Tesseract alone: " + second,
                          "Receipts and photos are read better by two: tools/setup models, and "
                          "build again."});
    } else {
        checks.push_back({"readers", Health::Good, "Tesseract and PP-OCRv4", {}});
    }
    return checks;
}

std::vector<Check> check_models(const Environment& environment) {
    std::vector<std::string> chains;
    try {
        chains = told_chains(environment);
    } catch (const Error& error) {
        return {{"models", Health::Bad, error.what(),
                 "Put the setting right: `serve` refuses to start with it."}};
    }
    std::vector<Check> checks;
    for (std::string& chain : chains)
        checks.push_back({"models", Health::Good, std::move(chain), {}});
    return checks;
}

std::vector<Check> check_watch(const Environment& environment) {
    const std::string folder = environment("BELAY_WATCH").value_or("");
    if (folder.empty()) return {};
    if (const std::string problem = ingest::watch_problem(folder); !problem.empty()) {
        return {{"watch", Health::Bad, problem,
                 "Make the folder, or let belay write to it; or unset BELAY_WATCH."}};
    }
    return {{"watch", Health::Good, folder, {}}};
}

}  // namespace belay::cli
