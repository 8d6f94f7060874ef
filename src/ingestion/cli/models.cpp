#include "ingestion/cli/models.hpp"

#include <filesystem>

#include <fmt/format.h>

#include <belay/error.hpp>

#include "core/base/duration_text.hpp"
#include "ingestion/ai/embed/local_embedder.hpp"
#include "ingestion/ai/patience.hpp"
#include "ingestion/ai/remote/openai_embedder.hpp"
#include "ingestion/ai/remote/openai_extractor.hpp"
#include "ingestion/ai/spending.hpp"
#include "service/api/headers.hpp"

namespace belay::cli {

namespace {

std::string value(const Environment& environment, const std::string& name) {
    return environment(name).value_or("");
}

struct ServerClient {
    ai::remote::EndpointOptions endpoint;
    std::string model{};
    ai::Prices prices{};
};

// Nothing if no address is configured.
std::optional<ServerClient> remote(const Environment& environment, const std::string& prefix) {
    ServerClient remote;
    remote.endpoint.base_url = value(environment, prefix + "_URL");
    if (remote.endpoint.base_url.empty()) return std::nullopt;
    remote.endpoint.api_key = value(environment, prefix + "_KEY");
    remote.model = value(environment, prefix + "_MODEL");
    if (remote.model.empty())
        throw Error(
            ErrorCode::InvalidArgument,
            fmt::format("{}_URL is set: say also which model, with {}_MODEL", prefix, prefix));
    if (const auto price = value(environment, prefix + "_PRICE"); !price.empty())
        remote.prices[remote.model] = price_of(prefix + "_PRICE", price);
    return remote;
}

}  // namespace

ai::Price price_of(const std::string& variable, const std::string& text) {
    const auto blank = text.find(' ');
    const std::string numbers = text.substr(0, blank);
    const std::string currency = blank == std::string::npos ? "USD" : text.substr(blank + 1);
    const auto slash = numbers.find('/');
    try {
        return ai::Price::per_million(
            numbers.substr(0, slash),
            slash == std::string::npos ? "0" : std::string_view(numbers).substr(slash + 1),
            currency);
    } catch (const Error& error) {
        throw Error(ErrorCode::InvalidArgument,
                    fmt::format("{}: {} (such as 0.15/0.60 USD, for a million tokens in and out)",
                                variable, error.what()));
    }
}

Duration model_patience(const Environment& environment) {
    const std::string text = value(environment, "BELAY_MODEL_RETRY");
    if (text.empty()) return ai::kModelPatience;
    const auto patience = base::parse_duration(text);
    if (!patience || *patience < Duration{0} || *patience > std::chrono::hours{24})
        throw Error(ErrorCode::InvalidArgument,
                    fmt::format("BELAY_MODEL_RETRY: `{}` is no time up to 24h, such as 2m", text));
    return *patience;
}

std::vector<ai::embed::Vector> LocalWords::embed(std::span<const std::string> texts,
                                                 std::stop_token stop) {
    return loaded().embed(texts, std::move(stop));
}

std::string LocalWords::model() const { return loaded().model(); }
std::size_t LocalWords::dimension() const { return loaded().dimension(); }

ai::embed::Embedder& LocalWords::loaded() const {
    const std::lock_guard lock{mutex_};
    if (!embedder_) {
        std::error_code error;
        const auto file =
            ai::embed::find_word_vectors(std::filesystem::read_symlink("/proc/self/exe", error));
        if (file.empty()) {
            throw NonRetryable(
                "the local embedding model is not installed (lib/belay/embedder/words.vec): "
                "`tools/setup-models` makes it, BELAY_EMBEDDER names another place");
        }
        embedder_ = std::make_unique<ai::embed::LocalEmbedder>(file);
    }
    return *embedder_;
}

std::unique_ptr<ai::embed::Embedder> make_embedder(const Environment& environment,
                                                   http::Client& client, const env::Clock& clock) {
    auto from = remote(environment, "BELAY_EMBED");
    if (!from) return std::make_unique<LocalWords>();
    ai::remote::OpenAiEmbedderOptions options{.endpoint = from->endpoint, .model = from->model};
    options.prices = from->prices;
    options.on_cost = ai::Spending::add;
    return std::make_unique<ai::remote::OpenAiEmbedder>(std::move(options), client, clock);
}

std::unique_ptr<ai::Extractor> make_extractor(const Environment& environment, http::Client& client,
                                              const env::Clock& clock) {
    if (!remote(environment, "BELAY_EXTRACT")) return nullptr;
    return make_chain(named_models(environment, "BELAY_EXTRACT", "BELAY_EXTRACT_MODEL"), client,
                      clock);
}

std::vector<NamedModel> named_models(const Environment& environment, const std::string& prefix,
                                     const std::string& variable) {
    std::vector<NamedModel> models;
    const std::string names = value(environment, variable);
    for (const std::string_view name : api::list_items(names)) {
        // A name may begin with one (@cf/…), and have others inside.
        const auto at = name.rfind('@');
        const std::string_view server =
            at == std::string_view::npos ? std::string_view() : name.substr(at + 1);
        const bool is_other = server == "2" || server == "3";
        const std::string suffix = is_other ? fmt::format("_{}", server) : "";
        NamedModel model;
        model.model = is_other ? name.substr(0, at) : name;
        model.url = value(environment, prefix + "_URL" + suffix);
        if (model.model.empty() || model.url.empty()) {
            throw Error(
                ErrorCode::InvalidArgument,
                fmt::format("{} names a model, but {}_URL{} no server", variable, prefix, suffix));
        }
        model.key = value(environment, prefix + "_KEY" + suffix);
        const std::string priced = prefix + "_PRICE" + suffix;
        if (const auto price = value(environment, priced); !price.empty())
            model.prices[model.model] = price_of(priced, price);
        const auto currency = [](const NamedModel& one) {
            return one.prices.empty() ? std::string() : one.prices.begin()->second.in.currency();
        };
        // What a step may cost at most is in one currency.
        if (!models.empty() && !currency(model).empty() && !currency(models.front()).empty() &&
            currency(model) != currency(models.front())) {
            throw Error(ErrorCode::InvalidArgument,
                        fmt::format("{}: the models of one list are paid in one currency, not in "
                                    "{} and {}",
                                    variable, currency(models.front()), currency(model)));
        }
        models.push_back(std::move(model));
    }
    return models;
}

std::unique_ptr<ai::ExtractorChain> make_chain(const std::vector<NamedModel>& models,
                                               http::Client& client, const env::Clock& clock) {
    std::vector<ai::ExtractorChain::Link> links;
    for (const NamedModel& one : models) {
        ai::remote::OpenAiExtractorOptions options;
        options.endpoint.base_url = one.url;
        options.endpoint.api_key = one.key;
        options.model = one.model;
        options.prices = one.prices;
        links.push_back({one.url, std::make_unique<ai::remote::OpenAiExtractor>(std::move(options),
                                                                                client, clock)});
    }
    return std::make_unique<ai::ExtractorChain>(std::move(links));
}

}  // namespace belay::cli
