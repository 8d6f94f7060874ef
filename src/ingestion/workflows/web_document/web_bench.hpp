// web_bench.hpp — a small web with a model server in it, on real sockets, that counts what it is asked.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <string>

#include <fmt/format.h>
#include <boost/json.hpp>

#include "core/env/clock.hpp"
#include "core/env/memory_files.hpp"
#include "ingestion/ai/remote/openai_embedder.hpp"
#include "ingestion/ai/remote/openai_extractor.hpp"
#include "ingestion/ai/spending.hpp"
#include "ingestion/documents/tables.hpp"
#include "ingestion/isolate/pool.hpp"
#include "ingestion/objects/filesystem_store.hpp"
#include "ingestion/web/source/http_source.hpp"
#include "ingestion/web/source/sanity_source.hpp"
#include "ingestion/workflows/web_document/fetch_document.hpp"
#include "service/http/curl_client.hpp"
#include "service/http/testkit/test_server.hpp"

namespace belay::workflows {

struct WebBench {
    using Received = http::testkit::Received;
    using Reply = http::testkit::Reply;

    // What was asked for and answered well, by kind; and in all, by path.
    struct Counts {
        int pages = 0;
        int embeddings = 0;
        int metadata = 0;
        friend bool operator==(const Counts&, const Counts&) = default;
    };

    WebBench() = default;

    Reply answer(const Received& request) {
        const std::lock_guard lock{mutex};
        ++asked[request.path];
        if (before) {
            if (auto reply = before(request)) return *std::move(reply);
        }
        if (request.path == "/robots.txt") return {robots.empty() ? 404 : 200, {}, robots};
        if (request.path == "/v1/embeddings") return embedding(request);
        if (request.path == "/v1/chat/completions") return facts(request);
        return page(request);
    }

    Reply page(const Received& request) {
        ++counts.pages;
        const auto found = pages.find(request.path);
        if (found == pages.end() && !request.path.starts_with("/page/")) return {404, {}, "no"};
        const std::string html =
            found != pages.end() ? found->second : article(request.path.substr(6));
        const std::string etag = fmt::format("\"{}\"", std::hash<std::string>{}(html));
        if (request.header("if-none-match") == etag) return {304, {{"ETag", etag}}, ""};
        return {200, {{"Content-Type", "text/html; charset=utf-8"}, {"ETag", etag}}, html};
    }

    // A vector of eight numbers that depends on the text.
    Reply embedding(const Received& request) {
        ++counts.embeddings;
        const auto body = boost::json::parse(request.body);
        boost::json::array data;
        for (const auto& text : body.at("input").as_array()) {
            boost::json::array numbers;
            const std::size_t seed = std::hash<std::string_view>{}(text.as_string());
            for (int i = 0; i < 8; ++i)
                numbers.emplace_back(1.0 + static_cast<double>((seed >> (i * 8)) & 255));
            data.push_back({{"index", data.size()}, {"embedding", std::move(numbers)}});
        }
        return {200,
                {},
                boost::json::serialize(boost::json::object{{"data", std::move(data)},
                                                           {"usage", {{"prompt_tokens", 100}}}})};
    }

    Reply facts(const Received&) {
        ++counts.metadata;
        const std::string content =
            R"({"content_type":"guide","confidence":0.9,"extracted_title":"A guide","has_code_examples":false,)"
            R"("has_step_by_step_procedures":true,"has_narrative_structure":false,"topics":["ropes"],)"
            R"("entities":[{"name":"Belay","type":"Product","confidence":0.8,"mentions":2,"quote":"Belay holds"}]})";
        return {200,
                {},
                boost::json::serialize(boost::json::object{
                    {"choices",
                     {boost::json::object{{"message", {{"content", content}}},
                                          {"finish_reason", "stop"}}}},
                    {"usage", {{"prompt_tokens", 900}, {"completion_tokens", 80}}}})};
    }

    static std::string article(const std::string& name) {
        std::string body;
        for (int i = 1; i <= 6; ++i) {
            body += fmt::format(
                "<p>Paragraph {} of the article {} tells how a rope is held when a climber slips, "
                "why "
                "the last protected point matters, and what the partner below has to do "
                "then.</p>\n",
                i, name);
        }
        return fmt::format(
            "<html lang=en><head><title>Article {0}</title><meta name=author content='A. "
            "Author'></head>"
            "<body><nav><a href=/>Home</a></nav><article><h1>Article {0}</h1>{1}"
            "<p>See <a href='/page/next'>the next one</a> and <a "
            "href='https://other.example/'>another "
            "site</a>, which say the same at greater length for those who want to read on.</p>"
            "</article></body></html>",
            name, body);
    }

    // The next answer to this path is a refusal that no retry helps against, so many times.
    void refuse(const std::string& path, int times = 1) {
        const std::lock_guard lock{mutex};
        refusals[path] = times;
        before = [this](const Received& request) -> std::optional<Reply> {
            auto& left = refusals[request.path];
            if (left == 0) return std::nullopt;
            --left;
            return Reply{400, {}, R"({"error":{"message":"refused by the test"}})"};
        };
    }

    void define(Engine& engine) {
        engine.migrate(documents::kOwner, documents::migrations());
        define_web_documents(
            {engine, objects, source, embedder, model_facts, {{"sanity", &sanity}}, {}});
    }

    std::string url(const std::string& path) const { return server.url(path); }

    std::mutex mutex;
    std::map<std::string, std::string> pages;  // by path; /page/… are made up
    std::string robots;
    std::function<std::optional<Reply>(const Received&)> before;
    std::map<std::string, int> refusals;
    Counts counts;
    std::map<std::string, int> asked;
    http::testkit::TestServer server{[this](const Received& request) { return answer(request); }};

    env::ManualClock clock;
    env::SystemPause pause;
    env::MemoryFiles files;
    objects::FilesystemStore objects{"/objects", files, clock};
    http::CurlClient http{{.addresses = http::AddressPolicy::any()}};
    isolate::Pool pool{{.program = BELAY_MEDIA_PROGRAM}};
    web::source::HttpSource source{
        http, {pool, pool}, clock, pause, {.is_own = [](const std::string&) { return true; }}};
    web::source::SanitySource sanity{http, clock, {.base_url = server.url("/sanity/{project}")}};
    ai::remote::OpenAiEmbedder embedder{
        {.endpoint = {.base_url = server.url("/v1/"), .api_key = ""},
         .model = "test-embedding",
         .prices = {{"test-embedding", ai::Price::per_million("1", "0")}},
         .on_cost = ai::Spending::add},
        http,
        clock};
    ai::remote::OpenAiExtractor extractor{
        {.endpoint = {.base_url = server.url("/v1/"), .api_key = ""}, .model = "test-chat"},
        http,
        clock};
    ModelFacts model_facts{extractor};
};

}  // namespace belay::workflows
