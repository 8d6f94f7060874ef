#include "ingestion/cli/content_fetch.hpp"

#include <algorithm>
#include <memory>
#include <ostream>

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <boost/json.hpp>

#include <belay/engine.hpp>
#include <belay/error.hpp>

#include "core/base/duration_text.hpp"
#include "core/base/text.hpp"
#include "ingestion/cli/commands.hpp"
#include "ingestion/cli/content_awaiting.hpp"
#include "ingestion/cli/content_over_http.hpp"
#include "ingestion/cli/content_urls.hpp"
#include "ingestion/cli/executing.hpp"
#include "ingestion/documents/document.hpp"
#include "ingestion/documents/door.hpp"
#include "service/cli/over_http.hpp"
#include "service/cli/running_server.hpp"

namespace belay::cli {

namespace {

namespace json = boost::json;

constexpr std::size_t kConfirmDocuments = 100;
constexpr std::size_t kConfirmConcurrency = 20;
constexpr std::size_t kConcurrencyMax = 256;
constexpr double kSecondsPerPage = 3;  // the specification's estimate

// ---- before

ExitCode show_plan(const std::vector<std::string>& urls, const FetchCommand& command, bool as_json,
                   World& world) {
    const double seconds = kSecondsPerPage * static_cast<double>(urls.size()) /
                           static_cast<double>(command.concurrency);
    if (as_json) {
        json::array list(urls.begin(), urls.end());
        world.screen.out << json::serialize(json::object{{"urls", std::move(list)},
                                                         {"documents", urls.size()},
                                                         {"estimated_seconds", seconds}})
                         << '\n';
        return ExitCode::Ok;
    }
    for (std::size_t i = 0; i < urls.size() && i < 10; ++i)
        world.screen.out << "  " << plain(urls[i]) << '\n';
    if (urls.size() > 10) world.screen.out << fmt::format("  … and {} more\n", urls.size() - 10);
    world.screen.out << fmt::format(
        "{} documents, {} at a time: about {}. Nothing was fetched (--dry-run).\n", urls.size(),
        command.concurrency,
        base::format_duration(Duration{static_cast<Duration::rep>(seconds * 1000)}));
    return ExitCode::Ok;
}

void check_amount(std::size_t documents, const FetchCommand& command, const World& world) {
    if (command.concurrency < 1 || command.concurrency > kConcurrencyMax)
        throw Error(ErrorCode::InvalidArgument,
                    fmt::format("--concurrency is 1 to {}", kConcurrencyMax));
    if (command.yes || world.environment("BELAY_YES")) return;
    if (documents > kConfirmDocuments || command.concurrency > kConfirmConcurrency) {
        throw Error(ErrorCode::InvalidArgument,
                    fmt::format("that is {} documents, {} at a time: say --yes if it is meant "
                                "(--dry-run shows them)",
                                documents, command.concurrency));
    }
}

WebOptions options_of(const FetchCommand& command, const World& world) {
    WebOptions options = web_options(world.environment);
    options.allow.insert(options.allow.end(), command.allow.begin(), command.allow.end());
    if (command.ignore_robots) options.obey_robots = false;
    if (!command.interval.empty()) {
        const auto interval = base::parse_duration(command.interval);
        if (!interval)
            throw Error(
                ErrorCode::InvalidArgument,
                fmt::format("--interval: `{}` is no duration such as 500ms", command.interval));
        options.interval = *interval;
    }
    return options;
}

ExitCode told_nothing_to_fetch(World& world) {
    world.errors << "belay: nothing to fetch: no address is like that\n";
    return ExitCode::Ok;
}

void check_which(const IndexCommand& command) {
    if (command.documents.empty() && !command.all && command.include.empty())
        throw Error(ErrorCode::InvalidArgument,
                    "say which documents: ids, addresses, --include GLOB, or --all");
}

ExitCode told_nothing_to_index(bool as_json, World& world) {
    if (!as_json) world.screen.out << "Nothing to index: every text is.\n";
    return ExitCode::Ok;
}

bool has_text(const json::object& document) { return !document.at("content_hash").is_null(); }

std::string url_of(const json::object& document) {
    return std::string(document.at("url").as_string());
}

// Of a server's documents: those that were named, or those that have a text that was not indexed.
std::vector<std::string> urls_to_index(const ServerClient& remote, const IndexCommand& command) {
    std::vector<std::string> urls;
    for (const std::string& one : command.documents) {
        const json::value document = remote.get("/api/documents/" + in_url(one));
        if (has_text(document.as_object())) urls.push_back(url_of(document.as_object()));
    }
    if (!command.documents.empty()) return urls;
    for (const json::object& document : remote_documents(remote, command.include)) {
        if (has_text(document) && !document.at("indexed").as_bool())
            urls.push_back(url_of(document));
    }
    return urls;
}

}  // namespace

ExitCode fetch_by_server(ServerClient& remote, const FetchCommand& command, bool as_json,
                         World& world) {
    if (!command.allow.empty() || command.ignore_robots || !command.interval.empty())
        throw Error(ErrorCode::InvalidArgument,
                    "--allow, --ignore-robots and --interval are the server's settings "
                    "(belay serve --fetch-allow …)");
    const auto urls = chosen_urls(command, [&] {
        std::vector<std::string> known;
        for (const json::object& document : remote_documents(remote, command.include)) {
            if (command.refetch || document.at("status").as_string() != "FETCHED")
                known.push_back(url_of(document));
        }
        std::ranges::reverse(known);  // as they were found
        return known;
    });
    if (command.dry_run) return show_plan(urls, command, as_json, world);
    check_amount(urls.size(), command, world);
    if (urls.empty()) return told_nothing_to_fetch(world);
    return remote_fetch(remote, urls, command.index, command.refetch, as_json, world);
}

ExitCode index_by_server(ServerClient& remote, const IndexCommand& command, bool as_json,
                         World& world) {
    check_which(command);
    if (command.force)
        throw Error(ErrorCode::InvalidArgument,
                    "a server indexes each text once: --force works on a data directory (--data "
                    "DIR) while no server "
                    "runs on it");
    std::vector<std::string> urls = urls_to_index(remote, command);
    if (command.limit > 0 && urls.size() > command.limit) urls.resize(command.limit);
    if (urls.empty()) return told_nothing_to_index(as_json, world);
    return remote_fetch(remote, urls, true, false, as_json, world);
}

ExitCode fetch_documents(const Place& place, const FetchCommand& command, bool as_json,
                         World& world) {
    Progress progress{world.screen, !as_json, world.clock};
    WebOptions web = options_of(command, world);
    web.on_phase = [&](const std::string&, std::string_view phase) { progress.told(phase); };
    Executing executing{place, world, {.threads = command.concurrency, .web = std::move(web)}};
    const auto urls = chosen_urls(command, [&] {
        return known_urls(command, documents::Read(executing.engine()), executing.organization());
    });
    if (command.dry_run) return show_plan(urls, command, as_json, world);
    check_amount(urls.size(), command, world);
    if (urls.empty()) return told_nothing_to_fetch(world);
    executing.start();
    std::vector<documents::FetchRequest> requests;
    for (const std::string& url : urls) {
        documents::FetchRequest request;
        request.url = url;
        request.index = command.index;
        request.refetch = command.refetch;
        request.source_channel = "cli";
        requests.push_back(std::move(request));
    }
    const auto requested =
        documents::request_documents(executing.engine(), executing.organization(), requests);
    return await_all(executing.engine(), requested, progress, as_json, world);
}

ExitCode index_documents(const Place& place, const IndexCommand& command, bool as_json,
                         World& world) {
    check_which(command);
    Progress progress{world.screen, !as_json, world.clock};
    WebOptions web = web_options(world.environment);
    web.on_phase = [&](const std::string&, std::string_view phase) { progress.told(phase); };
    Executing executing{place, world, {.threads = command.concurrency, .web = std::move(web)}};
    const documents::Read read(executing.engine());
    std::vector<std::string> ids;
    for (const std::string& one : command.documents)
        ids.push_back(documents::identify(read, executing.organization(), one).id);
    if (command.documents.empty()) {
        documents::DocumentFilter filter;
        filter.include = command.include;
        filter.limit = 500;
        while (true) {
            const auto page = documents::list_documents(read, executing.organization(), filter);
            for (const auto& document : page.documents) {
                if (document.content_hash &&
                    (command.force || document.indexed_with_hash != document.content_hash))
                    ids.push_back(document.id);
            }
            if (!page.next) break;
            filter.before = *page.next;
        }
    }
    if (command.limit > 0 && ids.size() > command.limit) ids.resize(command.limit);
    executing.start();
    const auto requested = documents::request_indexing(executing.engine(), executing.organization(),
                                                       ids, command.force);
    if (requested.empty()) return told_nothing_to_index(as_json, world);
    return await_all(executing.engine(), requested, progress, as_json, world);
}

void add_content_fetch(CLI::App& content, Session& session) {
    const auto options = std::make_shared<FetchCommand>();
    CLI::App* command = add_command(content, "fetch", "Fetch web pages: text, meaning, links",
                                    "belay content fetch https://example.org/ --json");
    command->add_option("URL", options->urls, "web addresses");
    command->add_option("--file", options->file,
                        "a list of addresses, one on each line; - is standard input");
    command->add_option(
        "--include", options->include,
        "only addresses like this (*, ?); without addresses: documents that are known");
    command->add_option("--limit", options->limit, "at most so many");
    command->add_option("--concurrency", options->concurrency, "so many at a time (default 5)");
    command->add_flag("--refetch", options->refetch, "also what is here, if it has changed");
    command->add_flag("--index", options->index, "also find out what kind of document it is");
    command->add_flag("--dry-run", options->dry_run, "show what would be fetched");
    command->add_flag("--yes", options->yes,
                      "also more than 100 documents, or more than 20 at a time");
    command->add_option("--allow", options->allow,
                        "a private address or network that may be fetched from, such as 127.0.0.1");
    command->add_flag("--ignore-robots", options->ignore_robots,
                      "also what a site asks not to be read: only for sites of your own");
    command->add_option("--interval", options->interval,
                        "between two requests to one host (default 500ms)");
    add_json(*command, session);
    choose(*command, session, [options, &session] {
        return here_or_by_server(
            session,
            [&](const Place& place) {
                return fetch_documents(place, *options, session.json, session.world);
            },
            [&](ServerClient& remote) {
                return fetch_by_server(remote, *options, session.json, session.world);
            });
    });

    const auto indexing = std::make_shared<IndexCommand>();
    CLI::App* index = add_command(content, "index",
                                  "Find out what kind of documents they are, and what they name",
                                  "belay content index --all");
    index->add_option("DOCUMENT", indexing->documents,
                      "ids, the first 8 digits of ids, or addresses");
    index->add_option("--include", indexing->include, "documents whose address is like this");
    index->add_flag("--all", indexing->all, "every document with a text that was not indexed");
    index->add_flag("--force", indexing->force, "also those that were");
    index->add_option("--limit", indexing->limit, "at most so many");
    index->add_option("--concurrency", indexing->concurrency, "so many at a time (default 5)");
    add_json(*index, session);
    choose(*index, session, [indexing, &session] {
        return here_or_by_server(
            session,
            [&](const Place& place) {
                return index_documents(place, *indexing, session.json, session.world);
            },
            [&](ServerClient& remote) {
                return index_by_server(remote, *indexing, session.json, session.world);
            });
    });
}

}  // namespace belay::cli
