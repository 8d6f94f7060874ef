#include "ingestion/cli/content_look.hpp"

#include <functional>
#include <memory>
#include <ostream>

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <boost/json.hpp>

#include <belay/codec.hpp>
#include <belay/error.hpp>

#include "core/base/text.hpp"
#include "core/env/files.hpp"
#include "ingestion/cli/commands.hpp"
#include "ingestion/cli/content_over_http.hpp"
#include "ingestion/cli/models.hpp"
#include "ingestion/cli/own_organization.hpp"
#include "ingestion/documents/api/views.hpp"
#include "ingestion/documents/content.hpp"
#include "ingestion/objects/filesystem_store.hpp"
#include "service/cli/table.hpp"
#include "service/cli/words.hpp"
#include "service/http/curl_client.hpp"

namespace belay::cli {

namespace {

namespace json = boost::json;

Style style_of_status(const std::string& status) {
    if (status == "FETCHED") return Style::Good;
    return status == "ERROR" ? Style::Bad : Style::Dim;
}

void line(const Screen& screen, std::string_view name, const std::string& value) {
    if (!value.empty()) screen.out << fmt::format("{:<12} {}\n", name, plain(value));
}

// A store opened to read, and the folder of objects beside it.
struct Opened {
    explicit Opened(const Session& session)
        : place(session.place()), store(open_to_read(place)),
          objects(objects::FilesystemStore::ToRead{}, place.data_folder / "objects", files,
                  session.world.clock),
          library{documents::Read([this](std::string_view sql, std::span<const SqlValue> values) {
                      return SqlRows{store->query(sql, values)};
                  }),
                  objects, own_organization(session.world)} {
        if (!place.address.empty())
            throw Error(ErrorCode::InvalidArgument,
                        fmt::format("the texts of documents in {} are kept where its workers are: "
                                    "ask one, with --server "
                                    "URL",
                                    shown(place)));
        if (place.data_folder.empty())
            throw Error(ErrorCode::InvalidArgument,
                        "documents need a data directory: say --data DIR");
    }
    // Before the first fetch there are no tables.
    bool has_documents() const {
        return !library
                    .read(
                        "SELECT name FROM /*sqlite*/ sqlite_master /*end*/ /*postgres (SELECT "
                        "relname AS name FROM "
                        "pg_class WHERE relnamespace = current_schema()::regnamespace) AS made */ "
                        "WHERE name = 'documents'")
                    .empty();
    }

    Place place;
    std::unique_ptr<store::Store> store;
    env::SystemFiles files;
    objects::FilesystemStore objects;
    Library library;
};

ExitCode with_documents(const Session& session, const std::function<ExitCode(Opened&)>& action) {
    Opened opened{session};
    if (!opened.has_documents()) {
        throw Error(
            ErrorCode::NotFound,
            fmt::format("there are no documents in {} yet: `belay content fetch URL` makes one",
                        opened.place.file.string()));
    }
    return action(opened);
}

}  // namespace

ExitCode list_content(const Library& library, const documents::DocumentFilter& filter, bool as_json,
                      const Screen& screen) {
    const auto page = documents::list_documents(library.read, library.organization, filter);
    if (as_json) {
        json::array rows;
        for (const auto& document : page.documents)
            rows.push_back(documents::summary_json(document));
        json::object out{{"documents", std::move(rows)}, {"next", nullptr}};
        if (page.next) out["next"] = *page.next;
        screen.out << json::serialize(out) << '\n';
        return ExitCode::Ok;
    }
    if (page.documents.empty()) {
        screen.out << "No document is like that.\n";
        return ExitCode::Ok;
    }
    Table table{{{"ID"}, {"STATUS"}, {"TYPE"}, {"TITLE", 16}, {"ADDRESS", 20}}};
    for (const auto& document : page.documents) {
        table.row({{document.id.substr(0, 8)},
                   {document.ingestion_status, style_of_status(document.ingestion_status)},
                   {document.content_type.value_or("-")},
                   {document.title.empty() ? "-" : document.title},
                   {document.source_url}});
        if (document.error) table.note(3, {*document.error, Style::Bad});
    }
    table.print(screen);
    if (page.next) screen.out << fmt::format("  more: --before {}\n", *page.next);
    return ExitCode::Ok;
}

ExitCode get_content(const Library& library, const std::string& identifier, bool markdown,
                     bool as_json, const Screen& screen) {
    const auto document = documents::identify(library.read, library.organization, identifier);
    if (!document.content_path && !as_json) {
        screen.out << fmt::format("{} is {}: {}\n", plain(document.source_url),
                                  document.ingestion_status,
                                  plain(document.error.value_or("it was never fetched")));
        return ExitCode::Failed;
    }
    media::Article article;
    if (document.content_path)
        article = documents::get_content(library.objects, document.organization_id,
                                         *document.content_path);
    if (as_json) {
        const auto entities = documents::entities_of(library.read, document.id);
        screen.out << json::serialize(documents::document_json(document, article, entities))
                   << '\n';
        return ExitCode::Ok;
    }
    if (markdown) {
        screen.out << plain_lines(article.markdown) << '\n';
        return ExitCode::Ok;
    }
    screen.out << styled(screen, Style::Bold,
                         plain(document.title.empty() ? "(no title)" : document.title))
               << '\n';
    line(screen, "id", document.id);
    line(screen, "address", document.source_url);
    line(screen, "author", document.author);
    line(screen, "date", document.published_date);
    line(screen, "site", document.site);
    line(screen, "language", document.language);
    line(screen, "type", document.content_type.value_or(""));
    line(screen, "topics", document.topics.value_or(""));
    line(screen, "description", document.description);
    line(screen, "run", document.workflow_run_id);
    if (document.fetched_at) line(screen, "fetched", base::format_time(*document.fetched_at));
    line(screen, "error", document.error.value_or(""));
    screen.out << '\n' << plain_lines(article.markdown) << '\n';
    return ExitCode::Ok;
}

ExitCode show_links(const Library& library, const std::string& identifier,
                    documents::Direction direction, int limit, bool as_json, const Screen& screen) {
    const auto document = documents::identify(library.read, library.organization, identifier);
    const auto links = documents::links_of_document(library.read, document, direction, limit);
    if (as_json) {
        screen.out << json::serialize(json::object{{"document_id", document.id},
                                                   {"url", document.source_url},
                                                   {"links", json::parse(to_json(links))}})
                   << '\n';
        return ExitCode::Ok;
    }
    if (links.empty()) {
        screen.out << "No links.\n";
        return ExitCode::Ok;
    }
    Table table{{{"DOCUMENT"}, {"ADDRESS", 24}, {"TEXT", 12}}};
    for (const auto& link : links)
        table.row({{link.document_id ? link.document_id->substr(0, 8) : "-"},
                   {link.url},
                   {link.anchor_text}});
    table.print(screen);
    return ExitCode::Ok;
}

ExitCode show_stats(const Library& library, const std::string& model, bool as_json,
                    const Screen& screen) {
    const auto stats = documents::document_stats(library.read, library.organization, model);
    if (as_json) {
        screen.out << to_json(stats) << '\n';
        return ExitCode::Ok;
    }
    const auto row = [&](std::string_view name, const std::string& value) {
        screen.out << fmt::format("{:<14} {}\n", name, value);
    };
    row("documents", fmt::format("{}", stats.documents));
    row("fetched", fmt::format("{}", stats.fetched));
    row("not fetched", fmt::format("{}", stats.not_fetched));
    row("failed", fmt::format("{}", stats.failed));
    row("indexed", fmt::format("{}", stats.indexed));
    row("embedded", fmt::format("{} with {}", stats.embedded, plain(model)));
    row("links", fmt::format("{}", stats.links));
    row("entities", fmt::format("{}", stats.entities));
    row("Markdown", bytes_text(static_cast<std::uint64_t>(stats.content_bytes)));
    return ExitCode::Ok;
}

ExitCode search_content(documents::SearchIndex& index, const Library& library,
                        const std::string& query, const documents::SearchOptions& options,
                        bool as_json, const Screen& screen, std::ostream& errors) {
    const auto answer = index.search(library.organization, query, options);
    if (answer.warning) errors << "belay: warning: " << plain(*answer.warning) << '\n';
    if (as_json) {
        screen.out << json::serialize(
                          json::object{{"results", json::parse(to_json(answer.results))},
                                       {"model", answer.model}})
                   << '\n';
        return ExitCode::Ok;
    }
    if (answer.results.empty()) {
        screen.out << "Nothing like that was found.\n";
        return ExitCode::Ok;
    }
    for (const auto& hit : answer.results) {
        screen.out << fmt::format(
            "{}  {}{}\n          {}\n", hit.document_id.substr(0, 8),
            styled(screen, Style::Bold, plain(hit.title.empty() ? "(no title)" : hit.title)),
            hit.similarity ? fmt::format("  {:.2f}", *hit.similarity) : "", plain(hit.url));
        if (!hit.snippet.empty()) screen.out << "          " << plain(hit.snippet) << '\n';
    }
    return ExitCode::Ok;
}

void add_content_look(CLI::App& content, Session& session) {
    const auto filter = std::make_shared<documents::DocumentFilter>();
    CLI::App* list = add_command(content, "list", "The documents, newest first",
                                 "belay content list --status ERROR");
    list->add_option("--status", filter->status, "NOT_FETCHED, FETCHED or ERROR")
        ->check(CLI::IsMember({"NOT_FETCHED", "FETCHED", "ERROR"}));
    list->add_option("--type", filter->content_type, "a content type, such as tutorial");
    list->add_option("--include", filter->include, "addresses like this (*, ?)");
    list->add_option("--entity", filter->entity, "documents that name this");
    list->add_option("--limit", filter->limit, "at most so many (default 50)")
        ->check(CLI::Range(1, 10'000));
    list->add_option("--before", filter->before, "where the list before ended");
    add_json(*list, session);
    choose(*list, session, [filter, &session] {
        if (const auto remote = session.remote())
            return remote_list(*remote, *filter, session.json, session.world.screen);
        return with_documents(session, [&](Opened& opened) {
            return list_content(opened.library, *filter, session.json, session.world.screen);
        });
    });

    struct One {
        std::string document{};
        bool markdown = false;
        std::string direction = "outbound";
        int limit = 500;
    };
    const auto one = std::make_shared<One>();
    CLI::App* get =
        add_command(content, "get", "One document: what it says, and what is known of it",
                    "belay content get https://example.org/ --json");
    get->add_option("DOCUMENT", one->document, "an id, its first 8 digits, or an address")
        ->required();
    get->add_flag("--markdown", one->markdown, "only its text, as Markdown");
    add_json(*get, session);
    choose(*get, session, [one, &session] {
        if (const auto remote = session.remote())
            return remote_get(*remote, one->document, one->markdown, session.json,
                              session.world.screen);
        return with_documents(session, [&](Opened& opened) {
            return get_content(opened.library, one->document, one->markdown, session.json,
                               session.world.screen);
        });
    });

    CLI::App* links = add_command(content, "links", "Where a document leads, or what leads to it",
                                  "belay content links 3f2a91bc --direction inbound");
    links->add_option("DOCUMENT", one->document, "an id, its first 8 digits, or an address")
        ->required();
    links->add_option("--direction", one->direction, "outbound or inbound")
        ->check(CLI::IsMember({"outbound", "inbound"}));
    links->add_option("--limit", one->limit, "at most so many (default 500)")
        ->check(CLI::Range(1, 10'000));
    add_json(*links, session);
    choose(*links, session, [one, &session] {
        if (const auto remote = session.remote())
            return remote_links(*remote, one->document, one->direction, one->limit, session.json,
                                session.world.screen);
        return with_documents(session, [&](Opened& opened) {
            const auto direction = one->direction == "inbound" ? documents::Direction::Inbound
                                                               : documents::Direction::Outbound;
            return show_links(opened.library, one->document, direction, one->limit, session.json,
                              session.world.screen);
        });
    });

    CLI::App* stats = add_command(content, "stats", "How many documents, and how far they are",
                                  "belay content stats --json");
    add_json(*stats, session);
    choose(*stats, session, [&session] {
        return with_documents(session, [&](Opened& opened) {
            http::CurlClient client;
            const auto embedder =
                make_embedder(session.world.environment, client, session.world.clock);
            return show_stats(opened.library, embedder->model(), session.json,
                              session.world.screen);
        });
    });

    const auto query = std::make_shared<std::vector<std::string>>();
    const auto options = std::make_shared<documents::SearchOptions>();
    CLI::App* search = add_command(content, "search", "Documents by their words and their meaning",
                                   "belay content search how to hold a rope");
    search->add_option("QUERY", *query, "what to look for")->required();
    search->add_option("--limit", options->limit, "at most so many (default 20)")
        ->check(CLI::Range(1, documents::kSearchLimitMax));
    search
        ->add_option("--min-similarity", options->similarity_min,
                     "of meaning, 0 to 1 (default 0.3)")
        ->check(CLI::Range(0.0, 1.0));
    search->add_option("--type", options->content_type, "only this content type");
    add_json(*search, session);
    choose(*search, session, [query, options, &session] {
        std::string text;
        for (const std::string& word : *query) text += (text.empty() ? "" : " ") + word;
        if (const auto remote = session.remote())
            return remote_search(*remote, text, *options, session.json, session.world.screen);
        return with_documents(session, [&](Opened& opened) {
            http::CurlOptions any;
            any.addresses = http::AddressPolicy::any();
            http::CurlClient client{any};
            const auto embedder =
                make_embedder(session.world.environment, client, session.world.clock);
            documents::SearchIndex index{opened.library.read, *embedder};
            return search_content(index, opened.library, text, *options, session.json,
                                  session.world.screen, session.world.errors);
        });
    });
}

}  // namespace belay::cli
