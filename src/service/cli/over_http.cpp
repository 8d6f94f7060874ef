#include "service/cli/over_http.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include <fmt/format.h>
#include <boost/json.hpp>

#include <belay/error.hpp>

#include "core/base/text.hpp"
#include "core/env/secret.hpp"
#include "service/api/auth.hpp"
#include "service/api/query.hpp"
#include "service/cli/version.hpp"
#include "service/http/curl_client.hpp"

namespace belay::cli {

namespace {

namespace json = boost::json;

// The server waits for the disk, never for a run: only an upload takes long, and it has a limit of its own.
constexpr Duration kAnswerTime = std::chrono::seconds{60};
constexpr Duration kUploadTime = std::chrono::hours{24};

http::CurlOptions curl_options() {
    http::CurlOptions options;
    options.addresses = http::AddressPolicy::any();  // the person named the address
    options.user_agent = fmt::format("belay/{}", version());
    return options;
}

ErrorCode code_of(int status) {
    switch (status) {
        case 404:
            return ErrorCode::NotFound;
        case 400:
        case 422:
            return ErrorCode::InvalidArgument;
        case 401:
        case 403:
        case 409:
            return ErrorCode::InputMismatch;
        case 413:
            return ErrorCode::PayloadTooLarge;
        default:
            return ErrorCode::StoreUnavailable;
    }
}

std::string message_of(const http::Response& response) {
    boost::system::error_code error;
    const json::value body = json::parse(response.body, error);
    if (!error) {
        if (const auto* message = body.find_pointer("/error/message", error);
            message != nullptr && message->is_string())
            return std::string(message->as_string());
    }
    return fmt::format("it answered {}", response.status);
}

void throw_unless_ok(const http::Response& response) {
    if (response.status >= 200 && response.status < 300) return;
    std::string message = message_of(response);
    if (response.status == 401) message += " (give it with --token, or as BELAY_TOKEN)";
    throw Error(code_of(response.status), message);
}

json::value answer_of(const std::string& url, const http::Response& response) {
    throw_unless_ok(response);
    boost::system::error_code error;
    json::value body = json::parse(response.body.empty() ? "null" : response.body, error);
    if (error)
        throw Error(ErrorCode::StoreUnavailable,
                    fmt::format("{} does not answer as a Belay server does", url));
    return body;
}

// Files that were refused are told in lists of the same shape, whatever the status.
json::value upload_answer_of(const std::string& url, const http::Response& response) {
    boost::system::error_code error;
    json::value body = json::parse(response.body, error);
    if (!error && body.is_object() && body.as_object().contains("errors")) return body;
    return answer_of(url, response);
}

http::Response sent(http::CurlClient& client, const std::string& url,
                    const http::Request& request) {
    try {
        return client.send(request);
    } catch (const http::Failure& failure) {
        throw Error(ErrorCode::StoreUnavailable,
                    fmt::format("the server at {} cannot be reached: {}", url, failure.what()));
    }
}

std::string boundary() {
    std::array<std::byte, 16> bytes{};
    env::fill_with_secret(bytes);
    return "belay-" + base::to_hex(bytes);
}

// In a quoted string of a part's header, as browsers write it.
std::string in_quotes(std::string_view text) {
    std::string out;
    for (const char c : text) {
        if (c == '"') {
            out += "%22";
        } else if (c == '\r' || c == '\n') {
            out += c == '\r' ? "%0D" : "%0A";
        } else {
            out += c;
        }
    }
    return out;
}

}  // namespace

ServerClient::ServerClient(std::string url, std::string token, std::string organization)
    : url_(std::move(url)), token_(std::move(token)), organization_(std::move(organization)),
      client_(std::make_unique<http::CurlClient>(curl_options())) {
    while (url_.ends_with('/')) url_.pop_back();
    if (!url_.starts_with("http://") && !url_.starts_with("https://"))
        throw Error(
            ErrorCode::InvalidArgument,
            fmt::format("--server is an address such as http://127.0.0.1:8080, not `{}`", url_));
}

ServerClient::~ServerClient() = default;
ServerClient::ServerClient(ServerClient&&) noexcept = default;

void ServerClient::say_who(http::Request& request) const {
    if (!token_.empty()) request.headers.set("Authorization", "Bearer " + token_);
    if (!organization_.empty())
        request.headers.set(std::string(api::kOrganizationHeader), in_url(organization_));
}

http::Response ServerClient::read(const std::string& path) const {
    http::Request request;
    request.url = url_ + path;
    request.limits.total = kAnswerTime;
    request.limits.body_bytes_max = 256u << 20;
    request.accept_compressed = true;
    say_who(request);
    return sent(*client_, url_, request);
}

json::value ServerClient::get(const std::string& path) const { return answer_of(url_, read(path)); }

std::string ServerClient::text(const std::string& path) const {
    http::Response response = read(path);
    throw_unless_ok(response);
    return std::move(response.body);
}

json::value ServerClient::post(const std::string& path, const json::value& body) const {
    return send(path, json::serialize(body));
}

json::value ServerClient::send(const std::string& path, const std::string& body,
                               const std::string& key) const {
    http::Request request;
    request.method = "POST";
    request.url = url_ + path;
    request.limits.total = kAnswerTime;
    request.body = body;
    request.headers.set("Content-Type", "application/json");
    if (!key.empty()) request.headers.set("Idempotency-Key", key);
    say_who(request);
    return answer_of(url_, sent(*client_, url_, request));
}

json::value ServerClient::upload(const ServerFile& file) const {
    const std::string line = boundary();
    std::string before;
    if (!file.workflow_type.empty()) {
        before += fmt::format(
            "--{}\r\nContent-Disposition: form-data; name=\"workflow_type\"\r\n\r\n{}\r\n", line,
            file.workflow_type);
    }
    before += fmt::format(
        "--{}\r\nContent-Disposition: form-data; name=\"files\"; filename=\"{}\"\r\n"
        "Content-Type: application/octet-stream\r\n\r\n",
        line, in_quotes(file.name));
    const std::string after = fmt::format("\r\n--{}--\r\n", line);

    http::Request request;
    request.method = "POST";
    request.url = url_ + "/ingest/upload";
    request.limits.total = kUploadTime;
    request.headers.set("Content-Type", "multipart/form-data; boundary=" + line);
    say_who(request);
    request.source_bytes = before.size() + file.size + after.size();
    std::uint64_t at = 0;
    request.source = [&](std::span<std::byte> space) -> std::size_t {
        const auto from = [&](const std::string& text, std::uint64_t offset) {
            const std::size_t count = std::min<std::size_t>(space.size(), text.size() - offset);
            std::memcpy(space.data(), text.data() + offset, count);
            at += count;
            return count;
        };
        if (at < before.size()) return from(before, at);
        if (at < before.size() + file.size) {
            const auto left = before.size() + file.size - at;
            const auto count = file.read(space.first(std::min<std::uint64_t>(space.size(), left)));
            if (count == 0)
                throw Error(ErrorCode::NotFound, "the file became shorter while it was sent");
            at += count;
            return count;
        }
        return from(after, at - before.size() - file.size);
    };
    return upload_answer_of(url_, sent(*client_, url_, request));
}

std::unique_ptr<ServerClient> find_remote(const ServerOptions& options, const PlaceOptions& place,
                                          const Environment& environment) {
    std::string server = options.server;
    const bool named = !place.data.empty() || !place.store.empty();
    if (!server.empty() && named)
        throw Error(ErrorCode::InvalidArgument,
                    "--server and --data or --store name two places: say one");
    if (server.empty() && !named) server = environment("BELAY_SERVER").value_or("");
    if (server.empty()) return nullptr;
    std::string token = options.token;
    if (token.empty()) token = environment("BELAY_TOKEN").value_or("");
    return std::make_unique<ServerClient>(server, token,
                                          environment("BELAY_ORGANIZATION").value_or(""));
}

std::string in_url(std::string_view text) { return api::percent_encoded(text); }

}  // namespace belay::cli
