// words_test.cpp — the words of a query are found alike on SQLite (FTS5) and on PostgreSQL (tsvector).
#include <functional>
#include <ostream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <belay/belay.hpp>

#include "core/base/hash.hpp"
#include "ingestion/documents/content.hpp"
#include "ingestion/documents/tables.hpp"
#include "ingestion/documents/text_search.hpp"
#include "ingestion/documents/writes.hpp"
#include "support/postgres_server.hpp"

namespace belay::documents {
namespace {

struct Kind {
    const char* name;
    std::function<StoreConfig()> make;

    friend void PrintTo(const Kind& kind, std::ostream* out) { *out << kind.name; }
};

using Titles = std::vector<std::string>;

EngineOptions quiet() {
    EngineOptions options;
    options.log_to_stderr = false;
    return options;
}

Embedding embedding() { return {"none", 1, vector_bytes(std::vector<float>{1})}; }

// Where its bytes would be; nobody reads them here.
ContentRef stored(const std::string& organization, const std::string& text) {
    const std::string hash = base::sha256_hex(text);
    return {hash, content_path(organization, hash), 1};
}

class Words : public testing::TestWithParam<Kind> {
protected:
    Words() : engine(GetParam().make(), quiet()) {}

    void start(const std::vector<std::string>& tables = migrations()) {
        engine.migrate(kOwner, tables);
        engine.start();
    }
    void add(const std::string& title, const std::string& text, const std::string& description = "",
             const std::string& organization = "acme") {
        engine.transact([&](Tx& tx) {
            const std::string url = "https://a.example/" + std::to_string(++added_);
            const std::string id = resolve(tx, organization, "", url).document_id;
            Description d;
            d.title = title;
            d.description = description;
            save_content(tx, organization, id, stored(organization, text), {url, "html", "", ""},
                         d, embedding(), text);
        });
    }
    std::vector<std::uint64_t> find(const std::string& query,
                                    const std::string& organization = "acme") {
        return find_words(read, organization, text_query(query), 100);
    }
    Titles titles(const std::string& query, const std::string& organization = "acme") {
        Titles found;
        for (const std::uint64_t id : find(query, organization))
            found.push_back(
                read("SELECT title FROM documents WHERE seq = ?", id)[0].get<std::string>(0));
        return found;
    }
    std::string snippet(const std::string& query) {
        const auto snippets = snippets_of(read, text_query(query), find(query));
        return snippets.empty() ? "" : snippets.begin()->second;
    }

    Engine engine;
    Read read{engine};

private:
    int added_ = 0;
};

TEST_P(Words, those_with_all_the_words_come_before_those_with_some) {
    start();
    add("some", "A rope, a rope, a rope and nothing but rope.");
    add("all", "How a knot holds when somebody pulls at the other end of a long rope.");
    add("none", "Soup.");

    EXPECT_EQ(titles("rope knot"), (Titles{"all", "some"}));
}

TEST_P(Words, a_word_in_the_title_is_worth_more_than_one_in_the_text) {
    start();
    add("Other things", "Here a rope is named among other things.");
    add("Rope", "What it is made of, and how long it holds.");
    add("Nothing of it", "What somebody made of other things.");

    EXPECT_EQ(titles("rope"), (Titles{"Rope", "Other things"}));
}

TEST_P(Words, a_rare_word_is_worth_more_than_a_usual_one) {
    start();
    for (int i = 0; i < 30; ++i) add("usual", "Every text has this word: climbing.");
    add("rare", "Here somebody speaks of carabiners alone, and of nothing else.");

    EXPECT_EQ(titles("climbing carabiners").front(), "rare");
}

TEST_P(Words, are_compared_by_their_stem_and_without_accents) {
    start();
    add("cafe", "Två caféer vid torget, always brewing.");

    EXPECT_EQ(titles("cafeer"), (Titles{"cafe"}));
    EXPECT_EQ(titles("caféer brewed"), (Titles{"cafe"}));
    EXPECT_TRUE(titles("tea").empty());
}

TEST_P(Words, an_organization_finds_only_its_own) {
    start();
    add("ours", "A rope.");
    add("theirs", "A rope.", "", "other");

    EXPECT_EQ(titles("rope"), (Titles{"ours"}));
    EXPECT_EQ(titles("rope", "other"), (Titles{"theirs"}));
}

TEST_P(Words, what_replaced_a_text_is_what_is_found) {
    start();
    engine.transact([&](Tx& tx) {
        const std::string id = resolve(tx, "acme", "", "https://a.example/").document_id;
        for (const char* text : {"A rope.", "A ladder."}) {
            save_content(tx, "acme", id, stored("acme", text), {"https://a.example/", "html", "", ""}, {},
                         embedding(), text);
        }
    });

    EXPECT_TRUE(find("rope").empty());
    EXPECT_EQ(find("ladder").size(), 1u);
}

TEST_P(Words, a_snippet_shows_a_word_that_stands_deep_in_a_long_text) {
    start();
    std::string text;
    for (int i = 0; i < 20'000; ++i) text += "nothing ";
    add("long", text + "until a carabiner is clipped " + text);

    const std::string shown = snippet("carabiner");

    EXPECT_NE(shown.find("**carabiner**"), std::string::npos) << shown;
    EXPECT_LT(shown.size(), 500u);
}

TEST(WordsOnPostgres, texts_from_before_the_index_of_titles_are_found) {
    const StoreConfig store = postgres(test::PostgresServer::shared().new_schema());
    const std::vector<std::string> all = migrations();
    {
        Engine before{store, quiet()};
        before.migrate(kOwner, {all[0], all[1]});
        before.start();
        before.transact([&](Tx& tx) {
            tx.exec(
                "INSERT INTO documents (id, organization_id, source_type, source_url, "
                "cms_platform, cms_instance, cms_document_id, discovery_method, discovery_url, "
                "created_at, updated_at) VALUES (?, ?, 'URL', ?, '', '', '', '', '', ?, ?)",
                "an old one", "acme", "https://a.example/", tx.now(), tx.now());
            tx.exec(
                "INSERT INTO document_texts (rowid, title, description, body) "
                "SELECT seq, ?, ?, ? FROM documents",
                "Rope", "", "A carabiner.");
        });
    }

    Engine engine{store, quiet()};
    engine.migrate(kOwner, all);
    engine.start();

    const auto found = [&](const char* query, const char* organization) {
        return find_words(Read(engine), organization, text_query(query), 10).size();
    };
    EXPECT_EQ(found("rope", "acme"), 1u);
    EXPECT_EQ(found("carabiner", "acme"), 1u);
    EXPECT_EQ(found("rope", "other"), 0u);
}

TEST(WordsOnPostgres, a_word_that_the_index_leaves_out_is_not_missed_in_any_document) {
    Engine engine{postgres(test::PostgresServer::shared().new_schema()), quiet()};
    engine.migrate(kOwner, migrations());
    engine.start();
    const auto add = [&](const char* url, const char* title, const char* text) {
        engine.transact([&](Tx& tx) {
            Description d;
            d.title = title;
            save_content(tx, "acme", resolve(tx, "acme", "", url).document_id,
                         stored("acme", text), {url, "html", "", ""}, d, embedding(), text);
        });
    };
    add("https://a.example/some", "Rope", "Rope, and nothing but rope.");
    add("https://a.example/all", "Other things", "A knot at the end of a rope.");

    const auto found = find_words(Read(engine), "acme", text_query("very rope knot"), 10);

    ASSERT_EQ(found.size(), 2u);
    EXPECT_EQ(
        engine.query("SELECT title FROM documents WHERE seq = ?", found[0])[0].get<std::string>(0),
        "Other things");
}

INSTANTIATE_TEST_SUITE_P(
    , Words,
    testing::Values(Kind{"sqlite", [] { return memory(); }},
                    Kind{"postgres",
                         [] { return postgres(test::PostgresServer::shared().new_schema()); }}),
    [](const auto& kind) { return kind.param.name; });

}  // namespace
}  // namespace belay::documents
