#include "ingestion/cli/content_over_http.hpp"

#include <algorithm>
#include <ostream>

#include <fmt/format.h>
#include <boost/json.hpp>

#include <belay/error.hpp>
#include <belay/status.hpp>

#include "ingestion/cli/content_awaiting.hpp"
#include "service/api/query.hpp"
#include "service/cli/over_http.hpp"
#include "service/cli/table.hpp"

namespace belay::cli {

namespace {

namespace json = boost::json;

std::string field(const json::value& in, std::string_view name) {
    const auto* object = in.if_object();
    const auto* found = object == nullptr ? nullptr : object->if_contains(name);
    if (found == nullptr || found->is_null()) return "";
    return found->is_string() ? std::string(found->as_string()) : json::serialize(*found);
}

bool is_over(const std::string& word) {
    const auto status = run_status(word);
    return status && (is_finished(*status) || *status == RunStatus::Paused);
}

json::value run_when_over(const ServerClient& remote, const std::string& id, World& world) {
    while (true) {
        json::value run = remote.get("/api/runs/" + in_url(id));
        if (is_over(field(run, "status"))) return run;
        world.nap(std::chrono::milliseconds{300});
    }
}

ExitCode printed(const json::value& answer, const Screen& screen) {
    screen.out << json::serialize(answer) << '\n';
    return ExitCode::Ok;
}

}  // namespace

ExitCode remote_fetch(ServerClient& remote, const std::vector<std::string>& urls, bool index,
                      bool refetch, bool as_json, World& world) {
    std::vector<json::value> requested;
    for (const std::string& url : urls) {
        requested.push_back(remote.post(
            "/api/documents", json::object{{"url", url}, {"index", index}, {"refetch", refetch}}));
    }
    ExitCode code = ExitCode::Ok;
    for (const json::value& one : requested) {
        const json::value run = run_when_over(remote, field(one, "workflow_run_id"), world);
        const std::string status = field(run, "status");
        const json::value* problem = run.as_object().if_contains("error");
        const std::string error = problem == nullptr ? "" : field(*problem, "message");
        if (status != "succeeded") code = ExitCode::Failed;
        if (as_json) {
            json::object line = one.as_object();
            line["status"] = status;
            line["error"] = error.empty() ? json::value() : json::value(error);
            const json::value* result = run.as_object().if_contains("result");
            line["result"] = result == nullptr ? json::value() : *result;
            world.screen.out << json::serialize(line) << std::endl;
        } else {
            const json::value* result = run.as_object().if_contains("result");
            const json::value* duplicate = one.as_object().if_contains("duplicate");
            const bool was_here =
                duplicate != nullptr && duplicate->is_bool() && duplicate->as_bool();
            const std::string said =
                !error.empty() || result == nullptr ? error : fetched_text(*result, was_here);
            const Style style = status == "succeeded" ? Style::Good : Style::Bad;
            world.screen.out << fmt::format("{}  {}  {}  {}\n", styled(world.screen, style, status),
                                            field(one, "document_id").substr(0, 8),
                                            plain(field(one, "url")), plain(said))
                             << std::flush;
        }
    }
    return code;
}

std::vector<json::object> remote_documents(const ServerClient& remote, const std::string& include) {
    std::vector<json::object> rows;
    std::string path = fmt::format("/api/documents?limit={}", api::kListLimitMax);
    if (!include.empty()) path += "&include=" + in_url(include);
    std::string cursor;
    do {
        const json::value page =
            remote.get(cursor.empty() ? path : path + "&cursor=" + in_url(cursor));
        for (const json::value& row : page.at("documents").as_array())
            rows.push_back(row.as_object());
        cursor = field(page, "next_cursor");
    } while (!cursor.empty());
    return rows;
}

ExitCode remote_list(const ServerClient& remote, const documents::DocumentFilter& filter,
                     bool as_json, const Screen& screen) {
    std::string path = fmt::format("/api/documents?limit={}",
                                   std::min<std::int64_t>(filter.limit, api::kListLimitMax));
    if (filter.before > 0) path += "&cursor=" + api::cursor_text(filter.before);
    const auto narrow = [&](std::string_view name, const std::string& value) {
        if (!value.empty()) path += fmt::format("&{}={}", name, in_url(value));
    };
    narrow("status", filter.status);
    narrow("content_type", filter.content_type);
    narrow("include", filter.include);
    narrow("entity", filter.entity);
    const json::value answer = remote.get(path);
    if (as_json) return printed(answer, screen);
    Table table{{{"ID"}, {"STATUS"}, {"TYPE"}, {"TITLE", 16}, {"ADDRESS", 20}}};
    for (const json::value& document : answer.at("documents").as_array()) {
        table.row({{field(document, "id").substr(0, 8)},
                   {field(document, "status")},
                   {field(document, "content_type")},
                   {field(document, "title")},
                   {field(document, "url")}});
    }
    table.print(screen);
    return ExitCode::Ok;
}

ExitCode remote_get(const ServerClient& remote, const std::string& identifier, bool markdown,
                    bool as_json, const Screen& screen) {
    const json::value document = remote.get("/api/documents/" + in_url(identifier));
    if (as_json) return printed(document, screen);
    if (field(document, "content_path").empty()) {
        const std::string error = field(document, "error");
        screen.out << fmt::format("{} is {}: {}\n", plain(field(document, "url")),
                                  field(document, "status"),
                                  error.empty() ? "it was never fetched" : plain(error));
        return ExitCode::Failed;
    }
    if (markdown) {
        screen.out << plain_lines(field(document, "markdown")) << '\n';
        return ExitCode::Ok;
    }
    screen.out << styled(screen, Style::Bold, plain(field(document, "title"))) << '\n';
    for (const char* name : {"id", "url", "author", "date", "site", "language", "content_type",
                             "description", "workflow_run_id", "error"}) {
        if (const auto value = field(document, name); !value.empty())
            screen.out << fmt::format("{:<16} {}\n", name, plain(value));
    }
    screen.out << '\n' << plain_lines(field(document, "markdown")) << '\n';
    return ExitCode::Ok;
}

ExitCode remote_links(const ServerClient& remote, const std::string& identifier,
                      const std::string& direction, int limit, bool as_json, const Screen& screen) {
    const json::value answer = remote.get(fmt::format(
        "/api/documents/{}/links?direction={}&limit={}", in_url(identifier), direction, limit));
    if (as_json) return printed(answer, screen);
    Table table{{{"DOCUMENT"}, {"ADDRESS", 24}, {"TEXT", 12}}};
    for (const json::value& link : answer.at("links").as_array()) {
        table.row({{field(link, "document_id").substr(0, 8)},
                   {field(link, "url")},
                   {field(link, "anchor_text")}});
    }
    table.print(screen);
    return ExitCode::Ok;
}

ExitCode remote_search(const ServerClient& remote, const std::string& query,
                       const documents::SearchOptions& options, bool as_json,
                       const Screen& screen) {
    std::string path = fmt::format("/api/search?q={}&limit={}", in_url(query), options.limit);
    if (!options.content_type.empty()) path += "&content_type=" + in_url(options.content_type);
    const json::value answer = remote.get(path);
    if (as_json) return printed(answer, screen);
    for (const json::value& hit : answer.at("results").as_array()) {
        screen.out << fmt::format("{}  {}\n          {}\n          {}\n",
                                  field(hit, "document_id").substr(0, 8),
                                  styled(screen, Style::Bold, plain(field(hit, "title"))),
                                  plain(field(hit, "url")), plain(field(hit, "snippet")));
    }
    if (answer.at("results").as_array().empty()) screen.out << "Nothing like that was found.\n";
    return ExitCode::Ok;
}

}  // namespace belay::cli
