// fetch_document_test.cpp — a page becomes a document; what is recorded is never asked for again.
#include "ingestion/workflows/web_document/fetch_document.hpp"

#include <thread>

#include <gtest/gtest.h>

#include <belay/belay.hpp>

#include "core/library/host.hpp"
#include "ingestion/documents/content.hpp"
#include "ingestion/documents/document.hpp"
#include "ingestion/documents/links.hpp"
#include "ingestion/workflows/web_document/sweep_content.hpp"
#include "ingestion/workflows/web_document/web_bench.hpp"

namespace belay::workflows {
namespace {

using documents::FetchRequest;
using documents::Requested;

EngineOptions quiet() {
    EngineOptions options;
    options.log_to_stderr = false;
    return options;
}

struct Bench : WebBench {
    Bench() : core(library::make_core(memory(), quiet(), &clock)), engine(core) {
        define(engine);
        define_content_sweep(engine, objects);
        engine.start();
    }
    Requested request(const std::string& path, bool index = false, bool refetch = false) {
        FetchRequest one;
        one.url = url(path);
        one.index = index;
        one.refetch = refetch;
        return documents::request_documents(engine, "default", {one}).front();
    }
    FetchResult fetch(const std::string& path, bool refetch = false) {
        return engine.find<FetchResult>(request(path, false, refetch).workflow_run_id).result();
    }
    documents::Document row(const std::string& id) {
        return documents::find_document(documents::Read(engine), "default", id).value();
    }
    std::string failure(const std::string& run) {
        try {
            engine.find(run).result();
        } catch (const Error& error) {
            return error.what();
        }
        return "";
    }
    int count(const std::string& path) {
        const std::lock_guard lock{mutex};
        return asked[path];
    }

    // Of the only run of that workflow, in order.
    std::vector<std::string> stages(const std::string& workflow_key) {
        store::RunFilter filter;
        filter.workflow_key = workflow_key;
        const auto page = core->store().list_runs(filter);
        std::vector<std::string> names;
        for (const auto& stage : core->store().stages(page.runs.at(0).no))
            names.push_back(fmt::format("{} {}", stage.stage_key, to_string(stage.status)));
        return names;
    }

    // "fetch_content retrying, …" of that run.
    std::string stages_of(const std::string& run_id) {
        std::string story;
        for (const auto& run : core->store().list_runs({}).runs) {
            if (run.id != run_id) continue;
            for (const auto& stage : core->store().stages(run.no))
                story += fmt::format("{} {}, ", stage.stage_key, to_string(stage.status));
        }
        return story;
    }
    std::int64_t sweep() { return engine.submit<SweepResult>(kSweepContent).result().removed; }

    std::shared_ptr<engine::Core> core;
    Engine engine;
};

TEST(FetchDocument, a_page_becomes_a_row_a_text_a_vector_and_links) {
    Bench b;

    const FetchResult result = b.fetch("/page/one?utm_source=x#top");

    EXPECT_EQ(result.url, b.url("/page/one"));
    EXPECT_EQ(result.metadata.title, "Article one");
    EXPECT_EQ(result.embedding_dims, 8);
    EXPECT_EQ(result.links_extracted, 1);
    const auto row = b.row(result.document_id);
    EXPECT_EQ(row.ingestion_status, "FETCHED");
    EXPECT_EQ(row.author, "A. Author");
    EXPECT_EQ(row.content_hash, result.metadata.fingerprint);
    EXPECT_FALSE(row.active_run_id);
    const auto content = documents::get_content(b.objects, "default", result.content_path);
    EXPECT_NE(content.markdown.find("the last protected point"), std::string::npos);
    EXPECT_EQ(static_cast<std::int64_t>(content.markdown.size()), result.content_length);
    const auto links = documents::links_of_document(documents::Read(b.engine), row,
                                                    documents::Direction::Outbound, 10);
    ASSERT_EQ(links.size(), 1u);
    EXPECT_EQ(links[0].url, b.url("/page/next"));
    EXPECT_FALSE(links[0].document_id);
    EXPECT_EQ(b.counts, (WebBench::Counts{1, 1, 0}));
}

TEST(FetchDocument, the_stages_have_the_names_of_the_specification) {
    Bench b;
    const auto request = b.request("/page/one", true);
    b.engine.find(request.workflow_run_id).result();

    EXPECT_EQ(b.stages("FETCH_AND_INDEX"),
              (std::vector<std::string>{"FETCH_DOCUMENT succeeded", "extract_metadata succeeded"}));
    EXPECT_EQ(b.stages("FETCH_DOCUMENT"),
              (std::vector<std::string>{"resolve_document succeeded", "fetch_content succeeded",
                                        "generate_embedding succeeded", "save_document succeeded",
                                        "extract_links succeeded"}));
    EXPECT_EQ(request.workflow_key, "FETCH_AND_INDEX");
    const auto row = b.row(request.document_id);
    EXPECT_EQ(row.content_type, "guide");
    EXPECT_EQ(row.indexed_with_hash, row.content_hash);
    EXPECT_EQ(b.counts, (WebBench::Counts{1, 1, 1}));
}

TEST(FetchDocument, a_page_that_has_not_changed_costs_no_model) {
    Bench b;
    b.fetch("/page/one");

    const FetchResult again = b.fetch("/page/one", true);

    EXPECT_TRUE(again.unchanged);
    EXPECT_EQ(again.metadata.title, "Article one");
    EXPECT_EQ(b.counts, (WebBench::Counts{2, 1, 0}));
}

TEST(FetchDocument, a_page_that_has_changed_replaces_its_text_vector_and_links) {
    Bench b;
    b.pages["/doc"] = WebBench::article("old");
    const auto first = b.fetch("/doc");
    b.pages["/doc"] = WebBench::article("new");

    const auto second = b.fetch("/doc", true);

    EXPECT_EQ(second.document_id, first.document_id);
    EXPECT_FALSE(second.unchanged);
    EXPECT_EQ(b.row(first.document_id).title, "Article new");
    EXPECT_EQ(b.engine.query("SELECT count(*) FROM embeddings")[0].get<int>(0), 1);
    EXPECT_EQ(
        b.engine.query("SELECT count(*) FROM document_texts WHERE document_texts MATCH 'old'")[0]
            .get<int>(0),
        0);
    EXPECT_EQ(
        b.engine.query("SELECT count(*) FROM document_texts WHERE document_texts MATCH 'new'")[0]
            .get<int>(0),
        1);
    EXPECT_EQ(b.counts.embeddings, 2);
}

TEST(SweepContent, a_text_that_no_document_has_any_more_is_removed_after_a_day_and_no_other) {
    Bench b;
    b.pages["/doc"] = b.pages["/copy"] = WebBench::article("old");
    b.pages["/other"] = WebBench::article("lonely");
    const std::string shared = b.fetch("/doc").content_path;
    ASSERT_EQ(b.fetch("/copy").content_path, shared);
    const std::string lonely = b.fetch("/other").content_path;
    b.pages["/doc"] = b.pages["/other"] = WebBench::article("new");
    const std::string fresh = b.fetch("/doc", true).content_path;
    b.fetch("/other", true);

    EXPECT_EQ(b.sweep(), 0) << "somebody may be reading it";
    b.clock.advance(std::chrono::hours{25});
    EXPECT_EQ(b.sweep(), 1);

    EXPECT_FALSE(b.objects.head(objects::Key{lonely}));
    EXPECT_TRUE(b.objects.head(objects::Key{shared})) << "/copy has it";
    EXPECT_TRUE(b.objects.head(objects::Key{fresh}));
    EXPECT_EQ(b.engine.query("SELECT count(*) FROM replaced_contents")[0].get<int>(0), 0);
}

TEST(SweepContent, a_text_that_comes_back_while_it_is_removed_is_written_again) {
    Bench b;
    b.pages["/doc"] = WebBench::article("old");
    const std::string old = b.fetch("/doc").content_path;
    b.pages["/doc"] = WebBench::article("new");
    b.fetch("/doc", true);
    // A sweep that has marked it and not removed it yet.
    b.engine.transact([&](Tx& tx) { tx.exec("UPDATE replaced_contents SET removing = 1"); });
    b.pages["/doc"] = WebBench::article("old");
    const std::string run = b.request("/doc", false, true).workflow_run_id;
    while (b.stages_of(run).find("fetch_content retrying") == std::string::npos)
        std::this_thread::yield();

    b.objects.remove(objects::Key{old});
    b.engine.transact([&](Tx& tx) { tx.exec("DELETE FROM replaced_contents"); });
    b.clock.advance(std::chrono::minutes{5});

    EXPECT_EQ(b.engine.find<FetchResult>(run).result().content_path, old);
    EXPECT_TRUE(b.objects.head(objects::Key{old}));
}

TEST(FetchDocument, an_address_that_is_here_is_not_fetched_again_and_one_under_way_is_joined) {
    Bench b;
    const auto first = b.request("/page/one");
    b.engine.find(first.workflow_run_id).result();

    const auto again = b.request("/page/one");

    EXPECT_FALSE(first.duplicate);
    EXPECT_TRUE(again.duplicate);
    EXPECT_EQ(again.workflow_run_id, first.workflow_run_id);
    EXPECT_EQ(b.counts.pages, 1);
}

TEST(FetchDocument, what_the_site_does_not_want_read_is_an_error_on_the_document) {
    Bench b;
    b.robots = "User-agent: *\nDisallow: /page/\n";
    const auto request = b.request("/page/one");

    const std::string why = b.failure(request.workflow_run_id);

    EXPECT_NE(why.find("robots.txt"), std::string::npos) << why;
    const auto row = b.row(request.document_id);
    EXPECT_EQ(row.ingestion_status, "ERROR");
    EXPECT_NE(row.error.value_or("").find("robots.txt"), std::string::npos);
    EXPECT_FALSE(row.active_run_id);
    EXPECT_EQ(b.counts.pages, 0);
}

TEST(FetchDocument, a_page_without_text_is_a_failure_that_says_so) {
    Bench b;
    b.pages["/empty"] = "<html><body><script>app()</script></body></html>";

    const std::string why = b.failure(b.request("/empty").workflow_run_id);

    EXPECT_NE(why.find("no text was found"), std::string::npos) << why;
}

TEST(FetchDocument, markdown_and_text_are_read_too) {
    Bench b;
    b.before = [&](const auto& request) -> std::optional<WebBench::Reply> {
        if (request.path == "/readme.md")
            return WebBench::Reply{200,
                                   {{"Content-Type", "text/markdown"}},
                                   "# Read me\n\nSome *words* and [a link](/page/next).\n"};
        if (request.path == "/notes.txt")
            return WebBench::Reply{
                200, {{"Content-Type", "text/plain; charset=iso-8859-1"}}, "Gr\xf6na \xe4pplen"};
        return std::nullopt;
    };

    const auto markdown = b.fetch("/readme.md");
    const auto text = b.fetch("/notes.txt");

    EXPECT_EQ(markdown.metadata.title, "Read me");
    EXPECT_EQ(markdown.links_extracted, 1);
    EXPECT_EQ(documents::get_content(b.objects, "default", markdown.content_path).text,
              "Read me\n\nSome words and a link.");
    EXPECT_EQ(documents::get_content(b.objects, "default", text.content_path).text, "Gröna äpplen");
}

TEST(FetchDocument, a_document_of_a_content_system_goes_the_same_way) {
    Bench b;
    b.before = [&](const auto& request) -> std::optional<WebBench::Reply> {
        if (request.path != "/sanity/p1/data/query/prod") return std::nullopt;
        return WebBench::Reply{
            200, {}, R"({"result":{"_id":"d-1","_rev":"r1","title":"Knots","author":{"name":"Ada"},
            "body":[{"_type":"block","children":[{"text":"How to tie a knot that holds."}]}]}})"};
    };
    FetchRequest one;
    one.url = "sanity://p1/prod/d-1";

    const auto requested = documents::request_documents(b.engine, "default", {one}).front();
    const auto result = b.engine.find<FetchResult>(requested.workflow_run_id).result();

    EXPECT_EQ(result.metadata.title, "Knots");
    EXPECT_EQ(result.metadata.author, "Ada");
    EXPECT_EQ(b.row(result.document_id).etag, "r1");
    one.refetch = true;
    const auto again = documents::request_documents(b.engine, "default", {one}).front();
    EXPECT_TRUE(b.engine.find<FetchResult>(again.workflow_run_id).result().unchanged);
    EXPECT_EQ(b.counts.embeddings, 1);
}

// ---- the three scenarios of specification 001

TEST(CheckpointScenarios, a_database_that_fails_costs_neither_a_fetch_nor_an_embedding) {
    Bench b;
    b.engine.transact([](Tx& tx) {
        tx.exec(
            "CREATE TRIGGER broken BEFORE UPDATE OF content_hash ON documents BEGIN "
            "SELECT RAISE(ABORT, 'the network is partitioned'); END");
    });
    const auto request = b.request("/page/one");
    EXPECT_NE(b.failure(request.workflow_run_id).find("partitioned"), std::string::npos);
    b.engine.transact([](Tx& tx) { tx.exec("DROP TRIGGER broken"); });

    b.engine.retry(request.workflow_run_id);

    EXPECT_EQ(b.engine.find<FetchResult>(request.workflow_run_id).result().status, "FETCHED");
    EXPECT_EQ(b.counts, (WebBench::Counts{1, 1, 0}));
    EXPECT_EQ(b.row(request.document_id).ingestion_status, "FETCHED");
}

TEST(CheckpointScenarios, an_embedding_that_fails_costs_no_fetch) {
    Bench b;
    b.refuse("/v1/embeddings");
    const auto request = b.request("/page/one");
    EXPECT_NE(b.failure(request.workflow_run_id).find("refused by the test"), std::string::npos);
    EXPECT_EQ(b.row(request.document_id).ingestion_status, "ERROR");

    b.engine.retry(request.workflow_run_id);

    EXPECT_EQ(b.engine.find<FetchResult>(request.workflow_run_id).result().status, "FETCHED");
    EXPECT_EQ(b.counts, (WebBench::Counts{1, 1, 0}));
}

TEST(CheckpointScenarios, metadata_that_fails_costs_neither_a_fetch_nor_an_embedding) {
    Bench b;
    b.refuse("/v1/chat/completions");
    const auto request = b.request("/page/one", true);
    EXPECT_NE(b.failure(request.workflow_run_id).find("refused by the test"), std::string::npos);
    EXPECT_EQ(b.row(request.document_id).ingestion_status, "FETCHED");

    b.engine.retry(request.workflow_run_id);

    EXPECT_EQ(b.engine.find<IndexResult>(request.workflow_run_id).result().facts.content_type,
              "guide");
    EXPECT_EQ(b.counts, (WebBench::Counts{1, 1, 1}));
}

TEST(FetchDocument, metadata_that_succeeds_clears_the_failure_before_it) {
    Bench b;
    b.refuse("/v1/chat/completions");
    const Requested one = b.request("/page/one", true);
    b.failure(one.workflow_run_id);
    ASSERT_FALSE(b.row(one.document_id).error.value_or("").empty());

    b.engine.retry(one.workflow_run_id);
    b.engine.find(one.workflow_run_id).result();

    EXPECT_EQ(b.row(one.document_id).error, std::nullopt);
    EXPECT_EQ(b.row(one.document_id).ingestion_status, "FETCHED");
    // And the fetch ended with all of it.
    store::RunFilter fetches;
    fetches.workflow_key = documents::kFetchDocument;
    const auto progress = b.core->store().list_runs(fetches).runs.at(0).progress;
    ASSERT_TRUE(progress);
    EXPECT_EQ(progress->done, 2);
    EXPECT_EQ(progress->total, 2);
}

TEST(FetchDocument, what_a_rejected_answer_about_a_document_cost_is_recorded) {
    Bench b;
    b.before = [](const WebBench::Received& request) -> std::optional<WebBench::Reply> {
        if (request.path != "/v1/chat/completions") return std::nullopt;
        return WebBench::Reply{
            400,
            {},
            R"({"error": {"message": "content filter"}, "usage": {"prompt_tokens": 900}})"};
    };
    const Requested one = b.request("/page/one", true);
    b.failure(one.workflow_run_id);

    store::RunFilter filter;
    filter.workflow_key = documents::kFetchAndIndex;
    const auto run = b.core->store().list_runs(filter).runs.at(0);
    Cost cost;
    for (const auto& stage : b.core->store().stages(run.no)) {
        if (stage.cost) cost += from_json<Cost>(*stage.cost);
    }
    EXPECT_EQ(cost.tokens_in, 900);
    EXPECT_EQ(cost.counters.at("extractions"), 1);
}

TEST(CheckpointScenarios, links_that_fail_are_recorded_and_fail_nothing) {
    Bench b;
    b.engine.transact([](Tx& tx) {
        tx.exec(
            "CREATE TRIGGER broken BEFORE INSERT ON document_links BEGIN "
            "SELECT RAISE(ABORT, 'no links today'); END");
    });

    const FetchResult result = b.fetch("/page/one");

    EXPECT_FALSE(result.links_extracted);
    EXPECT_EQ(result.status, "FETCHED");
}

}  // namespace
}  // namespace belay::workflows
