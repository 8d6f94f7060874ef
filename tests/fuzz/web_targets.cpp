// web_targets.cpp — addresses, what they lead to, and what people search for.
#include <algorithm>
#include <string>
#include <vector>

#include <sqlite3.h>

#include "core/base/utf8.hpp"
#include "fuzz/targets.hpp"
#include "ingestion/ai/metadata/facts.hpp"
#include "ingestion/documents/address.hpp"
#include "ingestion/documents/text_query.hpp"
#include "ingestion/media/html/charset.hpp"
#include "ingestion/media/html/extract.hpp"
#include "ingestion/web/fetch/content_type.hpp"
#include "ingestion/web/links.hpp"
#include "ingestion/web/robots.hpp"
#include "ingestion/web/sitemap.hpp"
#include "ingestion/web/url.hpp"
#include "service/http/address.hpp"
#include "service/http/url.hpp"

namespace belay::fuzz {
namespace {

void url(std::string_view bytes) {
    const auto parsed = web::parse_url(bytes);
    if (parsed && parsed->is_web()) FUZZ_CHECK(!parsed->host.empty());
    // One spelling of an address: what came out is its own.
    if (const auto once = web::normalize(bytes)) {
        FUZZ_CHECK(web::normalize(*once) == once);
        // What is stored and what is connected to is the same host: none can be checked and another reached.
        const auto stored = web::parse_url(*once);
        const auto connected = http::parse_url(*once);
        FUZZ_CHECK(stored.has_value());
        // (curl writes 0x7f.1 as the address that it is; that is judged as an address.)
        if (connected && !http::Address::parse(connected->host)) {
            FUZZ_CHECK(connected->host == stored->host);
            FUZZ_CHECK(connected->port == stored->port_or_default());
        }
    }
    web::resolve("https://example.org/a/b?c", bytes);
    web::site_of(bytes);
    http::resolve_url("https://example.org/a/b?c", bytes);
    FUZZ_CHECK(http::percent_decode(http::percent_encode(bytes)) == bytes);
    if (const auto address = documents::read_address(bytes)) {
        const auto again = documents::read_address(address->url);
        FUZZ_CHECK(again && again->url == address->url);
    }
}

void robots(std::string_view bytes) {
    const web::Robots robots{bytes, "belay"};
    robots.allows("/a/b?c=d");
    robots.allows("");
    web::parse_sitemap(bytes);
}

void content_type(std::string_view bytes) {
    const auto end = std::min(bytes.find('\n'), bytes.size());
    const auto header = bytes.substr(0, end);
    const auto body = bytes.substr(std::min(end + 1, bytes.size()));
    const auto type = web::fetch::parse_content_type(header);
    if (web::fetch::kind_of_page(type, "https://example.org/a.md", body))
        FUZZ_CHECK(web::fetch::may_be_page(type));

    const auto page = media::html::decode_page(body, header);
    FUZZ_CHECK(base::is_utf8(page.utf8) && page.utf8.find('\0') == std::string::npos);
    const auto label = media::html::encoding_of_label(header);
    if (!label.empty()) FUZZ_CHECK(media::html::encoding_of_label(label) == label);
}

void html(std::string_view bytes) {
    try {
        media::html::ExtractOptions options;
        options.url = "https://example.org/a/b";
        const auto article = media::html::extract(bytes, options);
        for (const auto* text : {&article.title, &article.author, &article.description,
                                 &article.text, &article.markdown})
            FUZZ_CHECK(base::is_utf8(*text));
    } catch (const media::html::PageRefused&) {
    }
}

void markdown(std::string_view bytes) {
    const std::string text = base::to_valid_utf8(bytes);
    web::markdown_links(text);
    for (const auto& link : web::page_links(text, "https://example.org/a/b")) {
        FUZZ_CHECK(web::normalize(link.url) == link.url);
        FUZZ_CHECK(base::is_utf8(link.anchor_text));
    }
    const auto facts = ai::metadata::read_facts(
        {.url = "https://example.org/a/b", .title = "A page", .markdown = text});
    FUZZ_CHECK(facts.topics.size() <= 10 && facts.entities.size() <= 30);
    for (const auto& entity : facts.entities)
        FUZZ_CHECK(base::is_utf8(entity.name) && base::is_utf8(entity.quote));
}

// The index that documents/tables.cpp makes, without documents.
class Index {
public:
    Index() {
        FUZZ_CHECK(sqlite3_open(":memory:", &database_) == SQLITE_OK);
        FUZZ_CHECK(sqlite3_exec(database_,
                                "CREATE VIRTUAL TABLE t USING fts5(title, description, body, "
                                "tokenize = 'porter unicode61 remove_diacritics 2')",
                                nullptr, nullptr, nullptr) == SQLITE_OK);
        FUZZ_CHECK(sqlite3_prepare_v2(
                       database_, "SELECT rowid FROM t WHERE t MATCH '{title} : (' || ?1 || ')'",
                       -1, &match_, nullptr) == SQLITE_OK);
    }
    Index(const Index&) = delete;

    bool takes(const std::string& words) {
        sqlite3_bind_text(match_, 1, words.data(), static_cast<int>(words.size()), SQLITE_STATIC);
        const int code = sqlite3_step(match_);
        sqlite3_reset(match_);
        return code == SQLITE_DONE || code == SQLITE_ROW;
    }

private:
    sqlite3* database_ = nullptr;
    sqlite3_stmt* match_ = nullptr;
};

// Whatever somebody looks for, the index understands the question.
void search_words(std::string_view bytes) {
    static Index& index = *new Index;  // until the process ends
    const auto words = documents::text_query(std::string(bytes));
    if (words.words.empty()) return;
    FUZZ_CHECK(index.takes(words.all()));
    FUZZ_CHECK(index.takes(words.any()));
}

}  // namespace

std::vector<Target> web_targets() {
    return {{"url", url},   {"robots", robots},     {"content_type", content_type},
            {"html", html}, {"markdown", markdown}, {"search_words", search_words}};
}

}  // namespace belay::fuzz
