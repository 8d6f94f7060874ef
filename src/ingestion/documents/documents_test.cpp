// documents_test.cpp — rows of documents: found, listed, searched by words and by meaning.
#include <map>

#include <gtest/gtest.h>

#include <belay/belay.hpp>

#include "core/env/clock.hpp"
#include "core/library/host.hpp"
#include "ingestion/documents/document.hpp"
#include "ingestion/documents/door.hpp"
#include "ingestion/documents/links.hpp"
#include "ingestion/documents/search.hpp"
#include "ingestion/documents/tables.hpp"
#include "ingestion/documents/text_search.hpp"
#include "ingestion/documents/writes.hpp"

namespace belay::documents {
namespace {

// Knows a few words, each a direction.
class FakeEmbedder final : public ai::embed::Embedder {
public:
    std::vector<ai::embed::Vector> embed(std::span<const std::string> texts,
                                         std::stop_token) override {
        if (fails) throw std::runtime_error("the model is away");
        std::vector<ai::embed::Vector> out;
        for (const std::string& text : texts) out.push_back(vector_for(text));
        return out;
    }
    static ai::embed::Vector vector_for(const std::string& text) {
        const std::map<std::string, std::size_t> words{{"cat", 0},    {"kitten", 0}, {"car", 1},
                                                       {"engine", 1}, {"soup", 2},   {"recipe", 2}};
        ai::embed::Vector vector(4, 0.0F);
        for (const auto& [word, axis] : words)
            if (text.find(word) != std::string::npos) vector[axis] = 1;
        if (vector == ai::embed::Vector(4, 0.0F)) vector[3] = 1;
        return vector;
    }
    std::string model() const override { return name; }
    std::size_t dimension() const override { return 4; }

    bool fails = false;
    std::string name = "fake";
};

struct Bench {
    Bench() : engine(library::make_core(memory(), quiet(), &clock)) {
        engine.migrate(kOwner, migrations());
        engine.start();
    }
    static EngineOptions quiet() {
        EngineOptions options;
        options.log_to_stderr = false;
        return options;
    }
    std::string add(const std::string& url, const std::string& title, const std::string& text,
                    const std::string& organization = "acme", const std::string& model = "fake") {
        std::string id;
        engine.transact([&](Tx& tx) {
            const Resolved document = resolve(tx, organization, "", url);
            id = document.document_id;
            Description description;
            description.title = title;
            description.excerpt = text;
            const std::string hash = "hash of " + text;
            const ContentRef content{hash, content_path(organization, hash), 10};
            const auto vector = FakeEmbedder::vector_for(text);
            const Embedding embedding{model, 4, vector_bytes(vector)};
            save_content(tx, organization, id, content, {url, "html", "", ""}, description,
                         embedding, text);
        });
        return id;
    }
    std::vector<std::string> titles(const std::string& query,
                                    const std::string& organization = "acme") {
        std::vector<std::string> out;
        for (const SearchHit& hit : index.search(organization, query, {}).results)
            out.push_back(hit.title);
        return out;
    }
    Read read() { return Read(engine); }

    env::ManualClock clock;
    Engine engine;
    FakeEmbedder embedder;
    SearchIndex index{Read(engine), embedder};
};

using Titles = std::vector<std::string>;

TEST(Address, a_project_of_a_content_system_is_one_part_of_a_hosts_name) {
    EXPECT_TRUE(read_address("sanity://p1/production/drafts.d-1"));
    for (const char* text : {"sanity://user@127.0.0.1:9?/production/d", "sanity://a.evil/prod/d",
                             "sanity://p1:9/prod/d", "sanity://p1/pro.d/d", "sanity:///prod/d"})
        EXPECT_FALSE(read_address(text)) << text;
}

TEST(Search, finds_a_document_by_its_words_and_by_its_meaning_in_one_list) {
    Bench b;
    b.add("https://a.example/1", "Pets", "A kitten sleeps all day.");
    b.add("https://a.example/2", "Motors", "The engine of a car.");
    b.add("https://a.example/3", "Food", "A recipe for soup.");

    EXPECT_EQ(b.titles("sleeps"), (Titles{"Pets"}));
    EXPECT_EQ(b.titles("cat"), (Titles{"Pets"}));  // the word stands nowhere
    const auto answer = b.index.search("acme", "kitten", {});
    ASSERT_FALSE(answer.results.empty());
    EXPECT_TRUE(answer.results[0].has_words);
    EXPECT_NEAR(answer.results[0].similarity.value_or(0), 1.0, 1e-5);
    EXPECT_NE(answer.results[0].snippet.find("**kitten**"), std::string::npos);
}

TEST(Search, an_organization_finds_only_its_own) {
    Bench b;
    b.add("https://a.example/1", "Ours", "A kitten sleeps.", "acme");
    b.add("https://a.example/1", "Theirs", "A kitten sleeps.", "other");

    EXPECT_EQ(b.titles("kitten", "acme"), (Titles{"Ours"}));
    EXPECT_EQ(b.titles("kitten", "other"), (Titles{"Theirs"}));
    EXPECT_TRUE(b.titles("kitten", "nobody").empty());
}

TEST(Search, vectors_of_another_model_are_never_compared) {
    Bench b;
    b.add("https://a.example/1", "Old", "A kitten sleeps.", "acme", "older model");

    EXPECT_TRUE(b.titles("cat").empty());
    EXPECT_EQ(b.titles("sleeps"), (Titles{"Old"}));  // words have no model
    b.embedder.name = "older model";
    EXPECT_EQ(b.titles("cat"), (Titles{"Old"}));
}

TEST(Search, sees_what_was_saved_after_the_last_search) {
    Bench b;
    b.add("https://a.example/1", "First", "A kitten sleeps.");
    EXPECT_EQ(b.titles("car").size(), 0u);

    b.add("https://a.example/1", "Second", "A car stands.");

    EXPECT_EQ(b.titles("engine"), (Titles{"Second"}));
    EXPECT_TRUE(b.titles("cat").empty());
    EXPECT_EQ(b.index.size(), 1u);
}

TEST(Search, without_its_model_it_looks_for_words_and_says_so) {
    Bench b;
    b.add("https://a.example/1", "Pets", "A kitten sleeps.");
    b.embedder.fails = true;

    const auto answer = b.index.search("acme", "kitten", {});

    ASSERT_EQ(answer.results.size(), 1u);
    EXPECT_NE(answer.warning.value_or("").find("the model is away"), std::string::npos);
}

TEST(Search, what_an_index_would_take_as_operators_are_words) {
    EXPECT_EQ(text_query("the \"rope\" AND (knot*").all(), "\"rope\" AND \"knot\"");
    EXPECT_EQ(text_query("and").any(), "\"and\"");
    EXPECT_TRUE(text_query("?!").words.empty());
    Bench b;
    EXPECT_THROW(b.index.search("acme", " ?! ", {}), Error);
    EXPECT_THROW(b.index.search("acme", std::string(3000, 'x'), {}), Error);
}

TEST(Documents, are_found_by_id_prefix_and_address) {
    Bench b;
    const std::string id = b.add("https://a.example/page", "Pets", "A kitten.");

    EXPECT_EQ(identify(b.read(), "acme", id).title, "Pets");
    EXPECT_EQ(identify(b.read(), "acme", id.substr(0, 8)).title, "Pets");
    EXPECT_EQ(identify(b.read(), "acme", "https://A.example:443/page#x").title, "Pets");
    EXPECT_THROW(identify(b.read(), "other", id), Error);
    EXPECT_THROW(identify(b.read(), "acme", id.substr(0, 7)), Error);
    EXPECT_THROW(identify(b.read(), "acme", "https://a.example/none"), Error);
}

TEST(Documents, are_listed_newest_first_page_by_page_and_by_glob) {
    Bench b;
    for (int i = 1; i <= 5; ++i)
        b.add(fmt::format("https://a.example/{}/{}", i % 2 == 0 ? "blog" : "docs", i),
              fmt::format("T{}", i), "text");
    DocumentFilter filter;
    filter.limit = 2;

    const auto first = list_documents(b.read(), "acme", filter);
    filter.before = first.next.value();
    const auto second = list_documents(b.read(), "acme", filter);

    EXPECT_EQ(first.documents[0].title, "T5");
    EXPECT_EQ(second.documents[0].title, "T3");
    DocumentFilter blog;
    blog.include = "*/blog/*";
    EXPECT_EQ(list_documents(b.read(), "acme", blog).documents.size(), 2u);
    blog.include = "*_blog%";
    EXPECT_EQ(list_documents(b.read(), "acme", blog).documents.size(), 0u);
    EXPECT_EQ(document_stats(b.read(), "acme", "fake").embedded, 5);
    EXPECT_EQ(document_stats(b.read(), "acme", "fake").fetched, 5);
}

TEST(Documents, links_are_replaced_and_know_which_targets_are_documents) {
    Bench b;
    const std::string from = b.add("https://a.example/from", "From", "x");
    const std::string to = b.add("https://a.example/to", "To", "y");
    const auto save = [&](std::vector<web::PageLink> links) {
        b.engine.transact([&](Tx& tx) { save_links(tx, "acme", from, links); });
    };
    save({{"https://a.example/gone", "gone"}});
    save({{"https://a.example/to", "there"}, {"https://a.example/unknown", "who"}});

    const auto outbound =
        links_of_document(b.read(), identify(b.read(), "acme", from), Direction::Outbound, 10);
    const auto inbound =
        links_of_document(b.read(), identify(b.read(), "acme", to), Direction::Inbound, 10);

    ASSERT_EQ(outbound.size(), 2u);
    EXPECT_EQ(outbound[0].document_id, to);
    EXPECT_FALSE(outbound[1].document_id);
    ASSERT_EQ(inbound.size(), 1u);
    EXPECT_EQ(inbound[0].document_id, from);
    EXPECT_EQ(inbound[0].anchor_text, "there");
}

TEST(Documents, facts_replace_those_before_and_share_their_names) {
    Bench b;
    const std::string id = b.add("https://a.example/1", "One", "x");
    ai::metadata::Facts facts;
    facts.content_type = "tutorial";
    facts.topics = {"ropes"};
    facts.entities = {{"SQLite", "Technology", 0.9, 3, "about SQLite"},
                      {"sqlite", "Technology", 0.5, 1, ""}};
    b.engine.transact([&](Tx& tx) { save_facts(tx, "acme", id, "h", "rules", facts); });
    facts.entities.resize(1);
    b.engine.transact([&](Tx& tx) { save_facts(tx, "acme", id, "h", "rules", facts); });

    const auto entities = entities_of(b.read(), id);
    ASSERT_EQ(entities.size(), 1u);
    EXPECT_EQ(entities[0].name, "SQLite");
    DocumentFilter filter;
    filter.entity = "sqlite";
    EXPECT_EQ(list_documents(b.read(), "acme", filter).documents.size(), 1u);
    EXPECT_EQ(identify(b.read(), "acme", id).content_type, "tutorial");
}

TEST(Documents, addresses_that_are_remembered_wait_to_be_fetched) {
    Bench b;
    FetchRequest one;
    one.url = "https://a.example/1";
    one.discovery_method = "sitemap";

    EXPECT_EQ(remember_documents(b.engine, "acme", {one, one}), 1);
    EXPECT_EQ(remember_documents(b.engine, "acme", {one}), 0);
    EXPECT_EQ(identify(b.read(), "acme", one.url).ingestion_status, "NOT_FETCHED");
    one.url = "ftp://x";
    EXPECT_THROW(remember_documents(b.engine, "acme", {one}), Error);
}

TEST(Documents, another_process_may_ask_for_addresses_to_be_remembered) {
    Bench b;
    RememberRequest request;
    request.organization_id = "acme";
    request.urls = {"https://a.example/1", "https://a.example/2", "https://a.example/1"};
    const auto asked = [&] {
        return b.engine.transact([&](Tx& tx) { return remember_request(tx, to_json(request)); });
    };

    EXPECT_EQ(asked(), "2");
    EXPECT_EQ(asked(), "0");
    EXPECT_EQ(identify(b.read(), "acme", request.urls[1]).ingestion_status, "NOT_FETCHED");
}

TEST(Documents, a_vector_keeps_every_bit_through_its_bytes) {
    const std::vector<float> vector{0.1F, -2.5F, 1e-30F};
    EXPECT_EQ(vector_of(vector_bytes(vector), 3), vector);
    EXPECT_THROW(vector_of(vector_bytes(vector), 4), Error);
}

}  // namespace
}  // namespace belay::documents
