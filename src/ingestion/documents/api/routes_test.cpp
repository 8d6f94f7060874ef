// routes_test.cpp — documents and search as requests and answers, without a socket.
#include "ingestion/documents/api/routes.hpp"

#include <gtest/gtest.h>
#include <boost/json.hpp>

#include <belay/belay.hpp>

#include "core/env/clock.hpp"
#include "core/env/memory_files.hpp"
#include "core/library/host.hpp"
#include "ingestion/documents/api/views.hpp"
#include "ingestion/documents/content.hpp"
#include "ingestion/documents/door.hpp"
#include "ingestion/documents/tables.hpp"
#include "ingestion/documents/writes.hpp"
#include "ingestion/objects/filesystem_store.hpp"
#include "service/api/api.hpp"

namespace belay::documents {
namespace {

using api::Method;
using api::Request;
using api::Response;

class NoModel final : public ai::embed::Embedder {
public:
    std::vector<ai::embed::Vector> embed(std::span<const std::string> texts,
                                         std::stop_token) override {
        return std::vector<ai::embed::Vector>(texts.size(), ai::embed::Vector{1, 0});
    }
    std::string model() const override { return "one"; }
    std::size_t dimension() const override { return 2; }
};

struct RoutesBench {
    RoutesBench() : engine(library::make_core(memory(), quiet(), &clock)) {
        engine.migrate(kOwner, migrations());
        for (const auto key : {kFetchDocument, kFetchAndIndex})
            engine.define(std::string(key), [](Context&, FetchInput) -> Task<int> { co_return 1; });
        engine.queue(kFetchQueue);
        engine.start();
        add_document_routes(routes, {engine, objects, search});
    }
    static EngineOptions quiet() {
        EngineOptions options;
        options.log_to_stderr = false;
        return options;
    }
    Response send(Method method, const std::string& target,
                  const std::string& organization = "acme", std::string body = {}) {
        Request request;
        request.method = method;
        request.caller.organization_id = organization;
        request.body = std::move(body);
        api::set_target(request, target);
        const auto match = routes.match(method, request.path);
        const auto& found = std::get<api::Found>(match);
        request.parameters = found.parameters;
        return found.route->call(request, {}).response();
    }
    boost::json::value get(const std::string& target, const std::string& organization = "acme") {
        return body(send(Method::Get, target, organization));
    }
    static boost::json::value body(const Response& response) {
        return boost::json::parse(std::get<std::string>(response.body));
    }
    const api::Route& route(Method method, const std::string& path) {
        return *std::get<api::Found>(routes.match(method, path)).route;
    }
    std::string add(const std::string& url, const std::string& title, const std::string& text) {
        media::Article article;
        article.title = title;
        article.text = article.markdown = text;
        article.links = {"https://a.example/next"};
        const auto content = put_content(objects, "acme", article);
        std::string id;
        engine.transact([&](Tx& tx) {
            id = resolve(tx, "acme", "", url).document_id;
            Description description;
            description.title = title;
            const std::vector<float> vector{1, 0};
            save_content(tx, "acme", id, content, {url, "html", "", ""}, description,
                         {"one", 2, vector_bytes(vector)}, text);
        });
        return id;
    }

    env::ManualClock clock;
    env::MemoryFiles files;
    objects::FilesystemStore objects{"/objects", files, clock};
    Engine engine;
    NoModel model;
    SearchIndex search{Read(engine), model};
    api::Routes routes;
};

TEST(DocumentRoutes, an_address_becomes_a_document_and_a_run) {
    RoutesBench b;

    const Response first = b.send(Method::Post, "/api/documents", "acme",
                                  R"({"url": "https://a.example/x#y", "index": true})");

    EXPECT_EQ(first.status, 202);
    const auto answer = b.body(first);
    EXPECT_TRUE(api::schema_violations(answer, api::schema_of<Requested>()).empty());
    EXPECT_EQ(answer.at("url").as_string(), "https://a.example/x");
    EXPECT_EQ(answer.at("workflow_key").as_string(), "FETCH_AND_INDEX");
    EXPECT_FALSE(answer.at("duplicate").as_bool());
    EXPECT_EQ(b.get("/api/documents").at("documents").as_array().size(), 1u);
    EXPECT_EQ(b.get("/api/documents", "other").at("documents").as_array().size(), 0u);
}

TEST(DocumentRoutes, what_is_no_address_is_refused) {
    RoutesBench b;
    EXPECT_THROW(b.send(Method::Post, "/api/documents", "acme", R"({"url": "ftp://x"})"), Error);
    EXPECT_THROW(b.send(Method::Post, "/api/documents", "acme", R"({"address": "x"})"),
                 api::ApiError);
}

TEST(DocumentRoutes, a_body_that_is_not_json_is_called_the_body) {
    RoutesBench b;
    try {
        b.send(Method::Post, "/api/documents", "acme", "{");
        FAIL() << "it was taken";
    } catch (const api::ApiError& error) {
        EXPECT_TRUE(std::string_view(error.what()).starts_with("the body: not JSON"))
            << error.what();
    }
}

TEST(DocumentRoutes, a_document_is_shown_with_its_text_to_its_own_organization) {
    RoutesBench b;
    const std::string id = b.add("https://a.example/1", "Ropes", "How to hold a rope.");

    const auto document = b.get("/api/documents/" + id);

    EXPECT_TRUE(api::schema_violations(document, api::schema_of<TaggedDocument>()).empty());
    for (const char* name : {"url", "title", "author", "date", "site", "description", "language",
                             "text", "markdown", "links"})
        EXPECT_TRUE(document.as_object().contains(name)) << name;
    EXPECT_EQ(document.at("markdown").as_string(), "How to hold a rope.");
    EXPECT_THROW(b.get("/api/documents/" + id, "other"), api::ApiError);
    EXPECT_EQ(b.get("/api/documents/" + id + "/links").at("links").as_array().size(), 0u);
    EXPECT_THROW(b.get("/api/documents/" + id + "/links?direction=up"), api::ApiError);
}

TEST(DocumentRoutes, search_answers_best_first_and_refuses_nonsense) {
    RoutesBench b;
    b.add("https://a.example/1", "Ropes", "How to hold a rope.");

    const auto answer = b.get("/api/search?q=rope");

    const auto& route = b.route(Method::Get, "/api/search");
    EXPECT_TRUE(api::schema_violations(answer, route.response_schema).empty());
    EXPECT_EQ(answer.at("results").at(0).at("title").as_string(), "Ropes");
    EXPECT_THROW(b.get("/api/search"), api::ApiError);
    EXPECT_THROW(b.get("/api/search?q=%3F"), api::ApiError);
    EXPECT_THROW(b.get("/api/documents?status=done"), api::ApiError);
}

TEST(DocumentRoutes, are_filtered_counted_and_tagged_by_their_own_organization) {
    RoutesBench b;
    const std::string rope = b.add("https://a.example/1", "Ropes", "How to hold a rope.");
    b.add("https://a.example/2", "Boots 100%", "How to lace a boot.");

    const Response tagged = b.send(Method::Patch, "/api/documents/" + rope, "acme",
                                   R"({"tags": ["wet", "dry", "wet"]})");

    EXPECT_EQ(b.body(tagged).at("tags"), (boost::json::array{"dry", "wet"}));
    EXPECT_EQ(b.get("/api/documents").at("total").as_int64(), 2);
    EXPECT_EQ(b.get("/api/documents?tag=wet").at("documents").at(0).at("id").as_string(), rope);
    EXPECT_EQ(b.get("/api/documents?q=100%25").at("total").as_int64(), 1);
    EXPECT_EQ(b.get("/api/documents?q=ROPES").at("total").as_int64(), 1);
    EXPECT_EQ(b.get("/api/documents?limit=1").at("total").as_int64(), 2);
    EXPECT_EQ(b.get("/api/document-tags").at("tags").as_array().size(), 2u);
    EXPECT_EQ(b.get("/api/document-tags", "other").at("tags").as_array().size(), 0u);
    EXPECT_THROW(b.send(Method::Patch, "/api/documents/" + rope, "other", R"({"tags": []})"),
                 api::ApiError);
    EXPECT_THROW(b.send(Method::Patch, "/api/documents/" + rope, "acme", R"({"tags": [""]})"),
                 api::ApiError);
}

TEST(DocumentRoutes, what_is_deleted_is_nowhere_and_its_address_is_fetched_by_a_new_run) {
    RoutesBench b;
    const auto fetch = [&] {
        return b.body(b.send(Method::Post, "/api/documents", "acme",
                             R"({"url": "https://a.example/1", "index": true})"));
    };
    const auto first = fetch();
    const std::string id = b.add("https://a.example/1", "Ropes", "How to hold a rope.");
    EXPECT_EQ(first.at("document_id").as_string(), id);
    EXPECT_THROW(b.send(Method::Delete, "/api/documents/" + id, "other"), api::ApiError);

    EXPECT_EQ(b.send(Method::Delete, "/api/documents/" + id).status, 204);

    EXPECT_EQ(b.get("/api/documents").at("total").as_int64(), 0);
    EXPECT_THROW(b.get("/api/documents/" + id), api::ApiError);
    EXPECT_EQ(b.get("/api/search?q=rope").at("results").as_array().size(), 0u);
    const auto again = fetch();
    EXPECT_NE(again.at("workflow_run_id"), first.at("workflow_run_id"));
    EXPECT_FALSE(again.at("duplicate").as_bool());
}

}  // namespace
}  // namespace belay::documents
