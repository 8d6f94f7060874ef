#include "ingestion/cli/content_map.hpp"

#include <algorithm>
#include <deque>
#include <memory>
#include <ostream>
#include <set>

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <boost/json.hpp>

#include <belay/codec.hpp>
#include <belay/error.hpp>

#include "core/env/files.hpp"
#include "ingestion/cli/commands.hpp"
#include "ingestion/cli/content_urls.hpp"
#include "ingestion/cli/gunzip.hpp"
#include "ingestion/cli/own_organization.hpp"
#include "ingestion/cli/web_documents.hpp"
#include "ingestion/documents/door.hpp"
#include "ingestion/documents/tables.hpp"
#include "ingestion/objects/filesystem_store.hpp"
#include "ingestion/web/links.hpp"
#include "ingestion/web/sitemap.hpp"
#include "ingestion/web/url.hpp"
#include "service/cli/ask_executor.hpp"
#include "service/cli/data_folder.hpp"

namespace belay::cli {

namespace {

namespace json = boost::json;

constexpr std::size_t kSitemapsMax = 200;  // of one site
constexpr std::size_t kRememberedAtOnce = 200;

// One site's sitemaps, followed from the first to the last.
class SiteReader {
public:
    SiteReader(web::source::HttpSource& source, const std::string& url, const std::string& include,
               std::size_t limit)
        : source_(source), url_(url), site_(web::site_of(url)), include_(include), limit_(limit) {}

    SiteMap read() {
        waiting_ = first_sitemaps();
        while (!waiting_.empty() && read_ < kSitemapsMax && !full()) {
            const std::string next = waiting_.front();
            waiting_.pop_front();
            if (!asked_.insert(next).second) continue;
            ++read_;
            read_sitemap(next);
        }
        map_.method = "sitemap";
        if (map_.urls.empty()) read_links();
        return std::move(map_);
    }

private:
    bool full() const { return map_.urls.size() >= limit_; }

    std::deque<std::string> first_sitemaps() {
        std::deque<std::string> first;
        for (const std::string& named : source_.robots().sitemaps(url_, {})) {
            if (auto address = web::resolve(url_, named)) first.push_back(*std::move(address));
        }
        if (url_.ends_with(".xml") || url_.ends_with(".xml.gz")) first.push_back(url_);
        if (!first.empty()) return first;
        for (const char* usual : {"/sitemap.xml", "/sitemap_index.xml", "/sitemap.txt"})
            first.push_back(web::resolve(url_, usual).value_or(""));
        return first;
    }

    void read_sitemap(const std::string& address) {
        try {
            auto bytes = source_.get_file(address, web::kSitemapBytesMax, {});
            if (!bytes) return;
            if (bytes->starts_with("\x1f\x8b"))
                bytes = gunzip(address, *bytes, web::kSitemapBytesMax);
            const web::Sitemap sitemap = web::parse_sitemap(*bytes);
            if (sitemap.truncated)
                map_.notes.push_back(fmt::format("{}: only its first {} pages were read", address,
                                                 web::kSitemapUrlsMax));
            for (const auto& other : sitemap.sitemaps) waiting_.push_back(other.url);
            for (const auto& page : sitemap.pages) add(page.url);
        } catch (const std::exception& error) {
            map_.notes.push_back(error.what());
        }
    }

    void read_links() {
        map_.method = "links";
        const auto bytes = source_.get_file(url_, 32u << 20, {});
        if (!bytes) return;
        add(url_);
        // Addresses in href="…": the whole page's, menus included, which extraction would leave out.
        std::string_view rest = *bytes;
        for (auto at = rest.find("href="); at != std::string_view::npos; at = rest.find("href=")) {
            rest.remove_prefix(at + 5);
            if (rest.empty()) break;
            const char quote = rest.front();
            if (quote != '"' && quote != '\'') continue;
            const auto end = rest.find(quote, 1);
            if (end == std::string_view::npos) break;
            if (auto address = web::resolve(url_, rest.substr(1, end - 1))) add(*address);
        }
    }

    void add(const std::string& url) {
        const auto normal = web::normalize(url);
        if (!normal || full() || web::site_of(*normal) != site_ || !is_like(include_, *normal))
            return;
        if (seen_.insert(*normal).second) map_.urls.push_back(*normal);
    }

    web::source::HttpSource& source_;
    const std::string url_, site_, include_;
    const std::size_t limit_;
    std::deque<std::string> waiting_;
    std::set<std::string> asked_, seen_;
    std::size_t read_ = 0;
    SiteMap map_;
};

// Nobody's lock is needed to read a site.
SiteMap site_of(const Place& place, const MapCommand& command, const World& world) {
    WebOptions options = web_options(world.environment);
    options.allow.insert(options.allow.end(), command.allow.begin(), command.allow.end());
    if (command.ignore_robots) options.obey_robots = false;
    env::SystemFiles files;
    objects::FilesystemStore objects{objects::FilesystemStore::ToRead{},
                                     place.data_folder / "objects", files, world.clock};
    isolate::Pool papers{web::source::for_texts()};
    WebDocuments web{objects, papers, world.clock, world.environment, std::move(options)};
    return read_site(web.source(), command.url, command.include, command.limit);
}

// Keeps what is new, and gives how many that are.
std::int64_t remember(const Session& session, const std::string& url, const SiteMap& map) {
    make_data_folder(session.place());
    std::int64_t fresh = 0;
    for (std::size_t from = 0; from < map.urls.size(); from += kRememberedAtOnce) {
        documents::RememberRequest request;
        request.organization_id = own_organization(session.world);
        request.discovery_method = map.method;
        request.discovery_url = url;
        for (std::size_t i = from; i < std::min(map.urls.size(), from + kRememberedAtOnce); ++i)
            request.urls.push_back(map.urls[i]);
        const std::string text = to_json(request);
        fresh +=
            std::stoll(ask_or_do(session, std::string(documents::kRememberRequest), text,
                                 {std::string(documents::kOwner), documents::migrations()},
                                 [&](Tx& tx) { return documents::remember_request(tx, text); }));
    }
    return fresh;
}

}  // namespace

SiteMap read_site(web::source::HttpSource& source, const std::string& url,
                  const std::string& include, std::size_t limit) {
    const auto normal = web::normalize(url);
    if (!normal)
        throw Error(ErrorCode::InvalidArgument,
                    fmt::format("`{}` is no http or https address", url));
    return SiteReader(source, *normal, include, limit).read();
}

ExitCode map_site(const Session& session, const MapCommand& command) {
    const Place place = session.place();
    if (place.data_folder.empty())
        throw Error(ErrorCode::InvalidArgument, "documents need a data directory: say --data DIR");
    const World& world = session.world;
    const SiteMap map = site_of(place, command, world);
    const std::int64_t fresh = command.dry_run ? 0 : remember(session, command.url, map);
    for (const std::string& note : map.notes) world.errors << "belay: " << plain(note) << '\n';
    if (session.json) {
        world.screen.out << json::serialize(json::object{
                                {"urls", json::array(map.urls.begin(), map.urls.end())},
                                {"method", map.method},
                                {"new", fresh}})
                         << '\n';
        return ExitCode::Ok;
    }
    for (const std::string& url : map.urls) world.screen.out << plain(url) << '\n';
    world.screen.out << fmt::format("{} pages by {}{}\n", map.urls.size(), map.method,
                                    command.dry_run ? "" : fmt::format(", {} of them new", fresh));
    if (!command.dry_run && fresh > 0) {
        world.screen.out << fmt::format("  belay content fetch --include '{}'   fetches them\n",
                                        command.include.empty() ? "*" : command.include);
    }
    return ExitCode::Ok;
}

void add_content_map(CLI::App& content, Session& session) {
    const auto options = std::make_shared<MapCommand>();
    CLI::App* command = add_command(content, "map", "The pages of a site, by its sitemaps",
                                    "belay content map https://example.org/ --include '*/blog/*'");
    command->add_option("URL", options->url, "the site, or one of its sitemaps")->required();
    command->add_option("--include", options->include, "only addresses like this (*, ?)");
    command->add_option("--limit", options->limit, "at most so many (default 1000)");
    command->add_flag("--dry-run", options->dry_run, "list them, and keep nothing");
    command->add_option("--allow", options->allow,
                        "a private address or network that may be fetched from, such as 127.0.0.1");
    command->add_flag("--ignore-robots", options->ignore_robots, "only for sites of your own");
    add_json(*command, session);
    choose(*command, session, [options, &session] {
        if (session.remote())
            throw Error(ErrorCode::InvalidArgument,
                        "a server cannot be told of pages over HTTP: map on its data directory "
                        "(--data DIR), also while "
                        "it runs");
        return map_site(session, *options);
    });
}

}  // namespace belay::cli
