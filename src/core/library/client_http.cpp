// client_http.cpp — a Client of a server: docs/http.md over plain HTTP/1.1, one connection for each call.
#include <algorithm>
#include <charconv>
#include <utility>

#include <fmt/format.h>
#include <boost/asio/connect.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http.hpp>
#include <boost/json.hpp>

#include <belay/error.hpp>

#include "core/base/limits.hpp"
#include "core/base/text.hpp"
#include "core/library/client_port.hpp"

namespace belay::detail {

namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;
namespace json = boost::json;

// What an answer may have: a run with all its stages is the largest.
constexpr std::uint64_t kAnswerBytesMax = 256 * 1024 * 1024;

std::string escaped(std::string_view text) {
    constexpr std::string_view kPlain = "-._~";
    std::string out;
    for (const char c : text) {
        const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
        if (letter || (c >= '0' && c <= '9') || kPlain.find(c) != std::string_view::npos) {
            out += c;
        } else {
            out += fmt::format("%{:02X}", static_cast<unsigned char>(c));
        }
    }
    return out;
}

struct Place {
    std::string host;
    std::string port;
    std::string shown;
};

Place place_of(const std::string& address) {
    std::string_view rest = address;
    rest.remove_prefix(std::string_view("http://").size());
    if (rest.ends_with('/')) rest.remove_suffix(1);
    const bool is_v6 = rest.starts_with('[');
    const auto end = is_v6 ? rest.find(']') : std::string_view::npos;
    std::string_view host =
        is_v6 ? rest.substr(1, end == std::string_view::npos ? 0 : end - 1) : rest;
    std::string_view port = "80";
    const std::string_view after =
        is_v6 ? rest.substr(end == std::string_view::npos ? rest.size() : end + 1) : rest;
    if (const auto colon = after.rfind(':'); colon != std::string_view::npos) {
        port = after.substr(colon + 1);
        if (!is_v6) host = after.substr(0, colon);
    }
    int number = 0;
    const auto [at, error] = std::from_chars(port.data(), port.data() + port.size(), number);
    const bool is_port =
        error == std::errc{} && at == port.data() + port.size() && number > 0 && number <= 65535;
    if (host.empty() || host.find_first_of("/?#@ ") != std::string_view::npos || !is_port) {
        throw Error(
            ErrorCode::InvalidArgument,
            fmt::format("`{}` is no address of a server; one is http://127.0.0.1:8080", address));
    }
    return {std::string(host), std::string(port), std::string(rest)};
}

std::string text_of(const json::object& in, std::string_view name) {
    const auto* found = in.if_contains(name);
    return found != nullptr && found->is_string() ? std::string(found->get_string()) : "";
}

std::optional<Time> time_of(const json::object& in, std::string_view name) {
    const std::string text = text_of(in, name);
    return text.empty() ? std::nullopt : base::parse_time(text);
}

std::string error_of(const json::object& run, std::string_view what) {
    const auto* error = run.if_contains("error");
    return error != nullptr && error->is_object() ? text_of(error->get_object(), what) : "";
}

Labels labels_in(const json::object& run) {
    Labels labels;
    if (const auto* found = run.if_contains("labels"); found != nullptr && found->is_object()) {
        for (const auto& one : found->get_object()) {
            if (one.value().is_string())
                labels.emplace(one.key(), std::string(one.value().get_string()));
        }
    }
    return labels;
}

ErrorCode code_of(unsigned status, ErrorCode conflict) {
    switch (status) {
        case 404:
            return ErrorCode::NotFound;
        case 409:
            return conflict;
        case 413:
            return ErrorCode::PayloadTooLarge;
        case 429:
            return ErrorCode::Overloaded;
        default:
            return status >= 500 ? ErrorCode::StoreUnavailable : ErrorCode::InvalidArgument;
    }
}

class ServerPort final : public ClientPort {
public:
    ServerPort(const std::string& address, ClientOptions options)
        : place_(place_of(address)), options_(std::move(options)) {}
    ~ServerPort() override { close(); }

    std::vector<std::string> submit(std::vector<Submission> submissions) override {
        std::vector<std::string> ids;
        for (Submission& one : submissions) ids.push_back(submit_one(one));
        return ids;
    }

    RunStatus status(const std::string& id) override { return end_now(id).status; }

    void cancel(const std::string& id, const CancelOptions& options) override {
        json::object body;
        if (!options.reason.empty()) body["reason"] = options.reason;
        if (!options.undo) body["undo"] = false;
        post(fmt::format("/api/runs/{}/cancel", escaped(id)), json::serialize(body), "");
    }
    void pause(const std::string& id, std::string_view reason) override {
        control("pause", id, reason);
    }
    void resume(const std::string& id) override { control("resume", id, ""); }
    void retry(const std::string& id) override { control("retry", id, ""); }

    void send(const std::string& id, std::string_view topic, std::string payload,
              const SendOptions& options) override {
        check_size(payload, "the message");
        post(fmt::format("/api/runs/{}/messages/{}", escaped(id), escaped(topic)), payload,
             options.dedupe_key.empty() ? made_up_id() : options.dedupe_key);
    }

    RunList list(const RunQuery& query, const ListOptions& options) override {
        if (query.stalled || query.since || query.until || query.ended_since || query.ended_until ||
            !query.organization_id.empty()) {
            throw Error(ErrorCode::InvalidArgument,
                        "a server lists by status, workflow, text and labels, for the organization "
                        "of the token; for times and stalled runs give the store");
        }
        std::string path = fmt::format("/api/runs?limit={}", options.limit);
        const auto narrow = [&](std::string_view name, std::string_view value) {
            if (!value.empty()) path += fmt::format("&{}={}", name, escaped(value));
        };
        if (query.status) narrow("status", to_string(*query.status));
        narrow("workflow_key", query.workflow);
        narrow("q", query.text);
        for (const auto& [name, value] : query.labels)
            narrow("label", fmt::format("{}={}", name, value));
        narrow("cursor", options.after);
        const json::value page = get(path);
        RunList list;
        for (const json::value& one : page.at("runs").as_array()) {
            const json::object& run = one.as_object();
            RunSummary& summary = list.runs.emplace_back();
            summary.id = text_of(run, "id");
            summary.workflow = text_of(run, "workflow_key");
            summary.status = run_status(text_of(run, "status")).value_or(RunStatus::Queued);
            summary.organization_id = text_of(run, "organization_id");
            summary.stage = text_of(run, "current_stage");
            summary.created_at = time_of(run, "created_at").value_or(Time{});
            summary.ended_at = time_of(run, "completed_at");
            summary.error = error_of(run, "message");
            summary.labels = labels_in(run);
        }
        list.next = text_of(page.as_object(), "next_cursor");
        return list;
    }

    Labels labels(const std::string& id) override { return labels_in(run(id)); }

    std::map<std::string, std::string> exposed(const std::string& id) override {
        std::map<std::string, std::string> values;
        const json::object told = run(id);  // lives as long as it is looked through
        for (const auto& one : told.at("exposed").as_object())
            values.emplace(one.key(), json::serialize(one.value()));
        return values;
    }

    std::string ask(const std::string& id, std::string_view name, std::string question,
                    Duration at_most) override {
        const auto seconds = std::clamp<std::int64_t>(at_most.count() / 1000, 1, 30);
        const json::value told = post(
            fmt::format("/api/runs/{}/questions/{}?wait_s={}", escaped(id), escaped(name), seconds),
            question, "", ErrorCode::NoAnswer);
        return json::serialize(told.at("answer"));
    }

protected:
    RunEnd end_now(const std::string& id) override {
        const json::object told = run(id);
        RunEnd end;
        end.status = run_status(text_of(told, "status")).value_or(RunStatus::Running);
        if (const auto* result = told.if_contains("result"); result != nullptr)
            end.result = json::serialize(*result);
        end.error = error_of(told, "message");
        end.code = error_of(told, "code");
        return end;
    }

private:
    std::string submit_one(const Submission& one) {
        check_size(one.input, "the input");
        const SubmitOptions& options = one.options;
        if (!options.file_id.empty() || !options.content_hash.empty()) {
            throw Error(ErrorCode::InvalidArgument,
                        "the file of a run is given by whoever executes, not over HTTP");
        }
        const std::string id = options.id.empty() ? made_up_id() : options.id;
        json::object body{{"input", json::parse(one.input)}, {"id", id}};
        const auto give = [&](std::string_view name, const std::string& text) {
            if (!text.empty()) body[name] = text;
        };
        give("queue", options.queue);
        give("organization", options.organization_id);
        give("partition", options.partition);
        give("dedupe_id", options.dedupe_id);
        if (!options.labels.empty()) body["labels"] = json::value_from(options.labels);
        if (options.retry) body["retry"] = true;
        if (options.priority != 0) body["priority"] = options.priority;
        if (options.delay > Duration{0}) body["delay_ms"] = options.delay.count();
        if (options.deadline > Duration{0}) body["deadline_ms"] = options.deadline.count();
        // The id is what makes it one run.
        return text_of(post(fmt::format("/api/workflows/{}/runs", escaped(one.workflow)),
                            json::serialize(body), "", ErrorCode::InputMismatch)
                           .as_object(),
                       "id");
    }

    void control(std::string_view verb, const std::string& id, std::string_view reason) {
        json::object body;
        if (!reason.empty()) body["reason"] = reason;
        post(fmt::format("/api/runs/{}/{}", escaped(id), verb), json::serialize(body), "");
    }

    json::object run(const std::string& id) { return get("/api/runs/" + escaped(id)).as_object(); }

    json::value get(const std::string& path) { return call(http::verb::get, path, "", ""); }
    // `conflict` is what a 409 means here.
    json::value post(const std::string& path, const std::string& body, const std::string& key,
                     ErrorCode conflict = ErrorCode::InvalidArgument) {
        return call(http::verb::post, path, body, key, conflict);
    }

    json::value call(http::verb verb, const std::string& path, const std::string& body,
                     const std::string& key, ErrorCode conflict = ErrorCode::InvalidArgument) {
        http::request<http::string_body> request{verb, path, 11};
        request.set(http::field::host, place_.shown);
        request.set(http::field::user_agent, "belay-client");
        request.keep_alive(false);
        if (!options_.token.empty())
            request.set(http::field::authorization, "Bearer " + options_.token);
        if (!key.empty()) request.set("Idempotency-Key", key);
        if (verb == http::verb::post) {
            request.set(http::field::content_type, "application/json");
            request.body() = body;
            request.prepare_payload();
        }
        const auto response = exchange(request);
        boost::system::error_code wrong;
        json::value told = json::parse(response.body(), wrong);
        const unsigned status = response.result_int();
        if (status < 300 && !wrong) return told;
        std::string why = fmt::format("{} answered {}", place_.shown, status);
        if (!wrong && told.is_object()) {
            if (const std::string message = error_of(told.as_object(), "message"); !message.empty())
                why = message;
        }
        throw Error(status < 300 ? ErrorCode::StoreUnavailable : code_of(status, conflict), why);
    }

    // Asynchronous, and waited for here, because only that has time limits.
    http::response<http::string_body> exchange(const http::request<http::string_body>& request) {
        asio::io_context io{1};
        beast::tcp_stream stream{io};
        asio::ip::tcp::resolver resolver{io};
        beast::flat_buffer buffer;
        http::response_parser<http::string_body> parser;
        parser.body_limit(kAnswerBytesMax);
        boost::system::error_code failed;
        const auto run = [&](auto begin) {
            stream.expires_after(options_.answer_within + std::chrono::seconds(30));
            begin([&failed](boost::system::error_code error, auto&&...) { failed = error; });
            io.restart();
            io.run();
            if (failed) {
                throw Error(ErrorCode::StoreUnavailable,
                            fmt::format("the server at {} cannot be reached: {}", place_.shown,
                                        failed.message()));
            }
        };
        asio::ip::tcp::resolver::results_type found;
        run([&](auto done) {
            resolver.async_resolve(place_.host, place_.port,
                                   [&found, done](boost::system::error_code error, auto results) {
                                       found = std::move(results);
                                       done(error);
                                   });
        });
        run([&](auto done) { stream.async_connect(found, done); });
        run([&](auto done) { http::async_write(stream, request, done); });
        run([&](auto done) { http::async_read(stream, buffer, parser, done); });
        return parser.release();
    }

    const Place place_;
    const ClientOptions options_;
};

}  // namespace

std::shared_ptr<ClientPort> client_of_server(const std::string& address,
                                             const ClientOptions& options) {
    return std::make_shared<ServerPort>(address, options);
}

}  // namespace belay::detail
