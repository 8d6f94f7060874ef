#include "ingestion/cli/web_documents.hpp"

#include <fmt/format.h>

#include <belay/error.hpp>

#include "core/base/duration_text.hpp"
#include "ingestion/documents/tables.hpp"
#include "ingestion/workflows/web_document/sweep_content.hpp"
#include "service/cli/version.hpp"
#include "service/http/address.hpp"

namespace belay::cli {

namespace {

std::vector<std::string> split_commas(const std::string& text) {
    std::vector<std::string> parts;
    std::size_t from = 0;
    while (from <= text.size()) {
        const auto end = std::min(text.find(',', from), text.size());
        const auto first = text.find_first_not_of(' ', from);
        if (first < end) {
            const auto last = text.find_last_not_of(' ', end - 1);
            parts.push_back(text.substr(first, last - first + 1));
        }
        from = end + 1;
    }
    return parts;
}

http::CurlOptions web_client(const WebOptions& options) {
    http::CurlOptions curl;
    for (const std::string& network : options.allow) curl.addresses.allow(network);
    curl.user_agent = fmt::format("belay/{}", version());
    return curl;
}

http::CurlOptions model_client() {
    http::CurlOptions curl;
    curl.addresses = http::AddressPolicy::any();
    return curl;
}

// A host is ours if it is written as an address that was allowed by hand, or is this machine under its name.
web::source::HttpSourceOptions source_options(const WebOptions& options) {
    web::source::HttpSourceOptions source;
    source.obey_robots = options.obey_robots;
    source.interval = options.interval;
    std::vector<http::Network> own;
    for (const std::string& network : options.allow) own.push_back(http::Network::parse(network));
    source.is_own = [own](const std::string& host) {
        std::string name = host == "localhost" ? "127.0.0.1" : host;
        if (name.starts_with('[') && name.ends_with(']')) name = name.substr(1, name.size() - 2);
        const auto address = http::Address::parse(name);
        if (!address) return false;
        for (const http::Network& network : own) {
            if (network.contains(*address)) return true;
        }
        return false;
    };
    return source;
}

}  // namespace

WebOptions web_options(const Environment& environment) {
    WebOptions options;
    options.allow = split_commas(environment("BELAY_FETCH_ALLOW").value_or(""));
    for (const std::string& network : options.allow) http::Network::parse(network);
    if (const auto text = environment("BELAY_FETCH_INTERVAL")) {
        const auto interval = base::parse_duration(*text);
        if (!interval)
            throw Error(
                ErrorCode::InvalidArgument,
                fmt::format("BELAY_FETCH_INTERVAL: `{}` is no duration such as 500ms", *text));
        options.interval = *interval;
    }
    options.obey_robots = environment("BELAY_FETCH_ROBOTS").value_or("") != "off";
    options.model_patience = model_patience(environment);
    return options;
}

WebDocuments::WebDocuments(objects::Store& objects, isolate::Pool& papers, const env::Clock& clock,
                           const Environment& environment, WebOptions options)
    : objects_(objects), options_(std::move(options)), texts_(web::source::for_texts()),
      client_(web_client(options_)), models_(model_client()),
      source_(client_, {texts_, papers}, clock, pause_, source_options(options_)),
      sanity_(client_, clock, {.token = environment("BELAY_SANITY_TOKEN").value_or("")}),
      embedder_(make_embedder(environment, models_, clock)),
      extractor_(make_extractor(environment, models_, clock)) {
    if (extractor_) {
        facts_ = std::make_unique<workflows::ModelFacts>(*extractor_);
    } else {
        facts_ = std::make_unique<workflows::RulesFacts>();
    }
}

void WebDocuments::define(Engine& engine) {
    engine.migrate(documents::kOwner, documents::migrations());
    workflows::define_web_documents({engine,
                                     objects_,
                                     source_,
                                     *embedder_,
                                     *facts_,
                                     {{"sanity", &sanity_}},
                                     options_.on_phase,
                                     options_.fetches_at_once,
                                     options_.model_patience});
    workflows::define_content_sweep(engine, objects_);
    search_ = std::make_unique<documents::SearchIndex>(documents::Read(engine), *embedder_);
}

}  // namespace belay::cli
