#include "cli/content_fetch.hpp"

#include <algorithm>
#include <atomic>
#include <fstream>
#include <iostream>
#include <memory>
#include <optional>
#include <set>
#include <ostream>

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <boost/json.hpp>

#include <belay/engine.hpp>
#include <belay/error.hpp>

#include "base/duration_text.hpp"
#include "base/text.hpp"
#include "cli/executing.hpp"
#include "cli/remote.hpp"
#include "cli/remote_content.hpp"
#include "documents/address.hpp"
#include "documents/document.hpp"
#include "documents/door.hpp"

namespace belay::cli {

namespace {

namespace json = boost::json;

constexpr std::size_t kConfirmDocuments = 100;
constexpr std::size_t kConfirmConcurrency = 20;
constexpr std::size_t kConcurrencyMax = 256;
constexpr std::size_t kUrlsMax = 1'000'000;
constexpr double kSecondsPerPage = 3;  // the specification's estimate

// ---- which addresses

void read_list(std::istream& in, std::vector<std::string>& urls) {
    std::string line;
    while (std::getline(in, line)) {
        const auto first = line.find_first_not_of(" \t\r");
        if (first == std::string::npos || line[first] == '#') continue;
        urls.push_back(line.substr(first, line.find_last_not_of(" \t\r") - first + 1));
        if (urls.size() > kUrlsMax)
            throw Error(ErrorCode::InvalidArgument,
                        fmt::format("a list has at most {} addresses", kUrlsMax));
    }
}

std::vector<std::string> given_urls(const FetchCommand& command) {
    std::vector<std::string> urls = command.urls;
    if (command.file == "-") {
        read_list(std::cin, urls);
    } else if (!command.file.empty()) {
        std::ifstream in{command.file};
        if (!in)
            throw Error(ErrorCode::NotFound,
                        fmt::format("{}: there is no such file, or it cannot be read", command.file));
        read_list(in, urls);
    }
    return urls;
}

// Known documents that are like the glob: those without a text, and with --refetch all.
std::vector<std::string> known_urls(const documents::Read& read, const std::string& organization,
                                    const std::string& include, bool refetch) {
    std::vector<std::string> urls;
    documents::DocumentFilter filter;
    filter.include = include;
    filter.limit = 500;
    while (true) {
        const auto page = documents::list_documents(read, organization, filter);
        for (const auto& document : page.documents) {
            if (refetch || document.ingestion_status != "FETCHED")
                urls.push_back(document.source_url);
        }
        if (!page.next) break;
        filter.before = *page.next;
    }
    std::ranges::reverse(urls);  // as they were found
    return urls;
}

std::vector<std::string> chosen_urls(const FetchCommand& command, const documents::Read& read,
                                     const std::string& organization) {
    std::vector<std::string> urls = given_urls(command);
    if (urls.empty() && command.file.empty()) {
        if (command.include.empty())
            throw Error(ErrorCode::InvalidArgument,
                        "say what to fetch: addresses, --file LIST, or --include GLOB for documents "
                        "that `belay content map` found");
        urls = known_urls(read, organization, command.include, command.refetch);
    }
    std::vector<std::string> chosen;
    std::set<std::string> seen;
    for (const std::string& url : urls) {
        const auto address = documents::read_address(url);
        if (!address) throw Error(ErrorCode::InvalidArgument, documents::no_address(url));
        if (!is_like(command.include, address->url) || !seen.insert(address->url).second) continue;
        chosen.push_back(address->url);
        if (command.limit > 0 && chosen.size() == command.limit) break;
    }
    return chosen;
}

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
            throw Error(ErrorCode::InvalidArgument,
                        fmt::format("--interval: `{}` is no duration such as 500ms", command.interval));
        options.interval = *interval;
    }
    return options;
}

// ---- meanwhile

// Counts phases as steps end, for the line at the bottom of a terminal.
class Progress {
public:
    Progress(const Screen& screen, bool shown, const env::Clock& clock)
        : screen_(screen), shown_(shown && screen.width > 0), clock_(clock), began_(clock.now()) {}

    void told(std::string_view phase) {
        if (phase == "fetched") ++fetched_;
        if (phase == "embedded") ++embedded_;
        if (phase == "saved") ++saved_;
        if (phase == "links") ++linked_;
        if (phase == "indexed") ++indexed_;
    }

    void show(std::size_t done, std::size_t total) const {
        if (!shown_) return;
        const double seconds =
            static_cast<double>(std::max<Duration::rep>(1, (clock_.now() - began_).count())) / 1000;
        std::string line = fmt::format("{}/{}  fetched {}  embedded {}  saved {}  links {}", done,
                                       total, fetched_.load(), embedded_.load(), saved_.load(),
                                       linked_.load());
        if (indexed_ > 0) line += fmt::format("  indexed {}", indexed_.load());
        line += fmt::format("  {:.1f}/s", static_cast<double>(saved_.load()) / seconds);
        if (static_cast<int>(line.size()) >= screen_.width)
            line.resize(static_cast<std::size_t>(screen_.width - 1));
        screen_.out << "\r\x1b[K" << line << std::flush;
    }
    void clear() const {
        if (shown_) screen_.out << "\r\x1b[K" << std::flush;
    }

private:
    const Screen& screen_;
    const bool shown_;
    const env::Clock& clock_;
    const Time began_;
    std::atomic<std::size_t> fetched_{0}, embedded_{0}, saved_{0}, linked_{0}, indexed_{0};
};

struct Outcome {
    std::string status{};
    std::optional<std::string> error{};
    json::value result{};
};

Outcome outcome_of(Engine& engine, const std::string& run_id, const std::function<void()>& wait) {
    const auto run = engine.find<json::value>(run_id);
    while (!run.wait_for(std::chrono::milliseconds{100})) wait();
    Outcome outcome;
    try {
        outcome.result = run.result();
    } catch (const Error& error) {
        outcome.error = error.what();
    }
    outcome.status = to_string(run.status());
    return outcome;
}

void print_outcome(const documents::Requested& request, const Outcome& outcome, bool as_json,
                   const Screen& screen) {
    if (as_json) {
        screen.out << json::serialize(json::object{
                          {"url", request.url},
                          {"document_id", request.document_id},
                          {"workflow_run_id", request.workflow_run_id},
                          {"workflow_key", request.workflow_key},
                          {"status", outcome.status},
                          {"duplicate", request.duplicate},
                          {"error", outcome.error ? json::value(*outcome.error) : json::value()},
                          {"result", outcome.result}})
                   << std::endl;
        return;
    }
    if (outcome.error) {
        screen.out << fmt::format("{}  {}  {}\n", styled(screen, Style::Bad, outcome.status),
                                  plain(request.url), plain(*outcome.error))
                   << std::flush;
        return;
    }
    const json::object* fetched = outcome.result.if_object();
    if (fetched != nullptr && fetched->contains("fetched"))
        fetched = fetched->at("fetched").if_object();
    std::string said;
    if (fetched != nullptr) {
        said = fmt::format("{}  {} bytes", std::string(fetched->at("metadata").at("title").as_string()),
                           fetched->at("content_length").as_int64());
        if (fetched->at("unchanged").as_bool()) said += ", unchanged";
    }
    if (request.duplicate) said += said.empty() ? "here already" : ", here already";
    screen.out << fmt::format("{}  {}  {}  {}\n", styled(screen, Style::Good, outcome.status),
                              request.document_id.substr(0, 8), plain(request.url), plain(said))
               << std::flush;
}

ExitCode await_all(Engine& engine, const std::vector<documents::Requested>& requests,
                   const Progress& progress, bool as_json, World& world) {
    ExitCode code = ExitCode::Ok;
    std::size_t failed = 0;
    for (std::size_t i = 0; i < requests.size(); ++i) {
        const Outcome outcome = outcome_of(engine, requests[i].workflow_run_id,
                                           [&] { progress.show(i, requests.size()); });
        if (outcome.error) {
            code = ExitCode::Failed;
            ++failed;
        }
        progress.clear();
        print_outcome(requests[i], outcome, as_json, world.screen);
        progress.show(i + 1, requests.size());
    }
    progress.clear();
    if (!as_json && requests.size() > 1) {
        world.screen.out << fmt::format("{} documents, {} failed\n", requests.size(), failed);
        if (failed > 0)
            world.screen.out << "  belay runs list --status failed   says why; runs retry goes on "
                                "where they failed\n";
    }
    return code;
}

// The server decides how many at a time, and where from.
ExitCode fetch_by_server(Remote& remote, const FetchCommand& command, bool as_json, World& world) {
    if (!command.allow.empty() || command.ignore_robots || !command.interval.empty())
        throw Error(ErrorCode::InvalidArgument,
                    "--allow, --ignore-robots and --interval are the server's settings "
                    "(belay serve --fetch-allow …)");
    std::vector<std::string> urls;
    for (const std::string& url : given_urls(command)) {
        if (command.limit > 0 && urls.size() == command.limit) break;
        if (is_like(command.include, url)) urls.push_back(url);
    }
    if (urls.empty())
        throw Error(ErrorCode::InvalidArgument, "say what to fetch: addresses, or --file LIST");
    if (command.dry_run) return show_plan(urls, command, as_json, world);
    check_amount(urls.size(), command, world);
    return remote_fetch(remote, urls, command.index, command.refetch, as_json, world);
}

}  // namespace

bool is_like(const std::string& glob, const std::string& text) {
    if (glob.empty()) return true;
    // The usual two pointers: back to the last star when the text does not fit.
    std::size_t g = 0, t = 0, star = std::string::npos, mark = 0;
    while (t < text.size()) {
        if (g < glob.size() && (glob[g] == '?' || glob[g] == text[t])) {
            ++g;
            ++t;
        } else if (g < glob.size() && glob[g] == '*') {
            star = g++;
            mark = t;
        } else if (star != std::string::npos) {
            g = star + 1;
            t = ++mark;
        } else {
            return false;
        }
    }
    while (g < glob.size() && glob[g] == '*') ++g;
    return g == glob.size();
}

ExitCode fetch_documents(const Place& place, const FetchCommand& command, bool as_json,
                         World& world) {
    Progress progress{world.screen, !as_json, world.clock};
    WebOptions web = options_of(command, world);
    web.on_phase = [&](const std::string&, std::string_view phase) { progress.told(phase); };
    Executing executing{place, world, {.threads = command.concurrency, .web = std::move(web)}};
    const auto urls = chosen_urls(command, documents::Read(executing.engine()),
                                  executing.organization());
    if (command.dry_run) return show_plan(urls, command, as_json, world);
    check_amount(urls.size(), command, world);
    if (urls.empty()) {
        world.errors << "belay: nothing to fetch: no address is like that\n";
        return ExitCode::Ok;
    }
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
    if (command.documents.empty() && !command.all && command.include.empty())
        throw Error(ErrorCode::InvalidArgument,
                    "say which documents: ids, addresses, --include GLOB, or --all");
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
    if (requested.empty()) {
        if (!as_json) world.screen.out << "Nothing to index: every text is.\n";
        return ExitCode::Ok;
    }
    return await_all(executing.engine(), requested, progress, as_json, world);
}

void add_content_fetch(CLI::App& content, Session& session) {
    const auto options = std::make_shared<FetchCommand>();
    CLI::App* command = add_command(content, "fetch", "Fetch web pages: text, meaning, links",
                                    "belay content fetch https://example.org/ --json");
    command->add_option("URL", options->urls, "web addresses");
    command->add_option("--file", options->file, "a list of addresses, one on each line; - is standard input");
    command->add_option("--include", options->include,
                        "only addresses like this (*, ?); without addresses: documents that are known");
    command->add_option("--limit", options->limit, "at most so many");
    command->add_option("--concurrency", options->concurrency, "so many at a time (default 5)");
    command->add_flag("--refetch", options->refetch, "also what is here, if it has changed");
    command->add_flag("--index", options->index, "also find out what kind of document it is");
    command->add_flag("--dry-run", options->dry_run, "show what would be fetched");
    command->add_flag("--yes", options->yes, "also more than 100 documents, or more than 20 at a time");
    command->add_option("--allow", options->allow,
                        "a private address or network that may be fetched from, such as 127.0.0.1");
    command->add_flag("--ignore-robots", options->ignore_robots,
                      "also what a site asks not to be read: only for sites of your own");
    command->add_option("--interval", options->interval,
                        "between two requests to one host (default 500ms)");
    add_json(*command, session);
    choose(*command, session, [options, &session] {
        if (const auto remote = session.remote())
            return fetch_by_server(*remote, *options, session.json, session.world);
        return fetch_documents(session.place(), *options, session.json, session.world);
    });

    const auto indexing = std::make_shared<IndexCommand>();
    CLI::App* index = add_command(content, "index", "Find out what kind of documents they are, and what they name",
                                  "belay content index --all");
    index->add_option("DOCUMENT", indexing->documents, "ids, the first 8 digits of ids, or addresses");
    index->add_option("--include", indexing->include, "documents whose address is like this");
    index->add_flag("--all", indexing->all, "every document with a text that was not indexed");
    index->add_flag("--force", indexing->force, "also those that were");
    index->add_option("--limit", indexing->limit, "at most so many");
    index->add_option("--concurrency", indexing->concurrency, "so many at a time (default 5)");
    add_json(*index, session);
    choose(*index, session, [indexing, &session] {
        return index_documents(session.place(), *indexing, session.json, session.world);
    });
}

}  // namespace belay::cli
