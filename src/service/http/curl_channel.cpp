#include "service/http/curl_channel.hpp"

#include <curl/curl.h>

#include <algorithm>
#include <array>
#include <optional>

#include <fmt/format.h>

#include <belay/outside.hpp>

#include "core/base/assert.hpp"
#include "service/http/curl_hop.hpp"

namespace belay::http {
namespace {

using HeaderList = std::unique_ptr<curl_slist, void (*)(curl_slist*)>;

void append(HeaderList& list, const std::string& line) {
    auto* longer = curl_slist_append(list.get(), line.c_str());
    if (longer == nullptr) throw std::bad_alloc();
    static_cast<void>(list.release());
    list.reset(longer);
}

bool has_line_end(std::string_view text) {
    return text.find_first_of(std::string_view("\r\n\0", 3)) != std::string_view::npos;
}

FailureKind kind_of(CURLcode code) {
    switch (code) {
        case CURLE_URL_MALFORMAT:
            return FailureKind::BadUrl;
        case CURLE_COULDNT_RESOLVE_HOST:
            return FailureKind::Dns;
        case CURLE_OPERATION_TIMEDOUT:
            return FailureKind::Timeout;
        case CURLE_FILESIZE_EXCEEDED:
            return FailureKind::TooLarge;
        case CURLE_SSL_CONNECT_ERROR:
        case CURLE_PEER_FAILED_VERIFICATION:
        case CURLE_SSL_CERTPROBLEM:
        case CURLE_SSL_CIPHER:
        case CURLE_SSL_ISSUER_ERROR:
        case CURLE_SSL_CACERT_BADFILE:
        case CURLE_SSL_INVALIDCERTSTATUS:
            return FailureKind::Tls;
        case CURLE_COULDNT_CONNECT:
        case CURLE_SEND_ERROR:
        case CURLE_RECV_ERROR:
        case CURLE_GOT_NOTHING:
        case CURLE_PARTIAL_FILE:
            return FailureKind::Connect;
        default:
            return FailureKind::Protocol;
    }
}

curl_socket_t on_socket(void* hop, curlsocktype, curl_sockaddr* address) {
    return static_cast<CurlHop*>(hop)->open_socket(*address);
}

std::size_t on_header(char* text, std::size_t, std::size_t size, void* hop) {
    return static_cast<CurlHop*>(hop)->take_header({text, size}) ? size : 0;
}

std::size_t on_body(char* text, std::size_t, std::size_t size, void* hop) {
    return static_cast<CurlHop*>(hop)->take_body(std::as_bytes(std::span(text, size))) ? size : 0;
}

std::size_t on_source(char* space, std::size_t, std::size_t size, void* hop) {
    return static_cast<CurlHop*>(hop)->give_body(std::as_writable_bytes(std::span(space, size)));
}

template <class Value>
void set(CURL* easy, CURLoption option, Value value) {
    const auto code = curl_easy_setopt(easy, option, value);
    BELAY_ASSERT(code == CURLE_OK, "libcurl refuses option {}: {}", static_cast<int>(option),
                 curl_easy_strerror(code));
}

HeaderList header_list(const Request& request) {
    HeaderList list{nullptr, curl_slist_free_all};
    for (const auto& [name, value] : request.headers) {
        if (name.empty() || has_line_end(name) || name.find(':') != std::string::npos ||
            has_line_end(value))
            throw Failure(FailureKind::BadUrl,
                          fmt::format("the header `{}` has characters that cannot be sent", name));
        // A field without a value is written with a semicolon for libcurl; with a colon it means "leave out".
        append(list, value.empty() ? name + ";" : fmt::format("{}: {}", name, value));
    }
    append(list, "Expect:");  // waiting for a 100 Continue costs a second where none is sent
    if (!request.headers.has("content-type")) append(list, "Content-Type:");
    return list;
}

void set_method(CURL* easy, const Request& request, CurlHop& hop) {
    if (request.source) {
        set(easy, CURLOPT_UPLOAD, 1L);
        set(easy, CURLOPT_CUSTOMREQUEST, request.method.c_str());
        set(easy, CURLOPT_INFILESIZE_LARGE, static_cast<curl_off_t>(request.source_bytes));
        set(easy, CURLOPT_READFUNCTION, on_source);
        set(easy, CURLOPT_READDATA, &hop);
        set(easy, CURLOPT_UPLOAD_BUFFERSIZE, 256L * 1024);
    } else if (request.method == "HEAD") {
        set(easy, CURLOPT_NOBODY, 1L);
    } else if (request.method == "GET" && request.body.empty()) {
        set(easy, CURLOPT_HTTPGET, 1L);
    } else if (request.method == "DELETE" && request.body.empty()) {
        set(easy, CURLOPT_CUSTOMREQUEST, "DELETE");
    } else {
        set(easy, CURLOPT_POST, 1L);
        set(easy, CURLOPT_CUSTOMREQUEST, request.method.c_str());
        set(easy, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(request.body.size()));
        set(easy, CURLOPT_POSTFIELDS, request.body.c_str());
    }
}

void set_limits(CURL* easy, const Limits& limits, Duration time_left) {
    const auto milliseconds = [](Duration d) { return std::max<long>(1, d.count()); };
    set(easy, CURLOPT_CONNECTTIMEOUT_MS, milliseconds(std::min(limits.connect, time_left)));
    set(easy, CURLOPT_TIMEOUT_MS, milliseconds(time_left));
    if (limits.slow_bytes_per_second > 0) {
        set(easy, CURLOPT_LOW_SPEED_LIMIT, static_cast<long>(limits.slow_bytes_per_second));
        set(easy, CURLOPT_LOW_SPEED_TIME, static_cast<long>(limits.slow_for.count()));
    }
}

// Runs the transfer to its end, or until the stop.
CURLcode run(CURLM* multi, CURL* easy, const std::stop_token& stop) {
    curl_multi_add_handle(multi, easy);
    const std::stop_callback wake{stop, [&] { curl_multi_wakeup(multi); }};
    std::optional<CURLcode> result;
    while (!result && !stop.stop_requested()) {
        int running = 0;
        if (curl_multi_perform(multi, &running) != CURLM_OK) result = CURLE_FAILED_INIT;
        int left = 0;
        while (const CURLMsg* message = curl_multi_info_read(multi, &left))
            if (message->msg == CURLMSG_DONE) result = message->data.result;
        if (result) break;
        const Outside waiting;  // for the other server
        curl_multi_poll(multi, nullptr, 0, 1000, nullptr);
    }
    curl_multi_remove_handle(multi, easy);
    return result.value_or(CURLE_ABORTED_BY_CALLBACK);
}

}  // namespace

struct CurlChannel::Handles {
    std::unique_ptr<CURL, void (*)(CURL*)> easy{curl_easy_init(), curl_easy_cleanup};
    std::unique_ptr<CURLM, CURLMcode (*)(CURLM*)> multi{curl_multi_init(), curl_multi_cleanup};
};

CurlChannel::CurlChannel(std::string origin)
    : origin_(std::move(origin)), handles_(std::make_unique<Handles>()) {
    if (!handles_->easy || !handles_->multi) throw std::bad_alloc();
}

CurlChannel::~CurlChannel() = default;

Response CurlChannel::send(const CurlOptions& options, const Request& request,
                           const std::string& url, Duration time_left, bool follows,
                           const std::stop_token& stop) {
    CURL* const easy = handles_->easy.get();
    curl_easy_reset(easy);
    CurlHop hop{options, request, follows};
    hop.response.url = url;
    const auto headers = header_list(request);
    std::array<char, CURL_ERROR_SIZE> reason{};
    HeaderList resolve{nullptr, curl_slist_free_all};
    for (const auto& line : options.resolve) append(resolve, line);

    set(easy, CURLOPT_URL, url.c_str());
    set(easy, CURLOPT_PROTOCOLS_STR, "http,https");
    set(easy, CURLOPT_PROXY, "");
    set(easy, CURLOPT_NOSIGNAL, 1L);
    set(easy, CURLOPT_QUICK_EXIT, 1L);  // a stop or time-out does not wait for a name server
    set(easy, CURLOPT_USERAGENT, options.user_agent.c_str());
    set(easy, CURLOPT_HTTPHEADER, headers.get());
    set(easy, CURLOPT_ERRORBUFFER, reason.data());
    set(easy, CURLOPT_OPENSOCKETFUNCTION, on_socket);
    set(easy, CURLOPT_OPENSOCKETDATA, &hop);
    set(easy, CURLOPT_HEADERFUNCTION, on_header);
    set(easy, CURLOPT_HEADERDATA, &hop);
    set(easy, CURLOPT_WRITEFUNCTION, on_body);
    set(easy, CURLOPT_WRITEDATA, &hop);
    if (request.method != "HEAD")  // whose Content-Length is of a body that does not come
        set(easy, CURLOPT_MAXFILESIZE_LARGE,
            static_cast<curl_off_t>(
                std::min<std::uint64_t>(request.limits.body_bytes_max, INT64_MAX)));
    if (request.accept_compressed) set(easy, CURLOPT_ACCEPT_ENCODING, "");
    if (!options.ca_file.empty()) set(easy, CURLOPT_CAINFO, options.ca_file.c_str());
    if (resolve) set(easy, CURLOPT_RESOLVE, resolve.get());
    set_method(easy, request, hop);
    set_limits(easy, request.limits, time_left);

    const auto code = run(handles_->multi.get(), easy, stop);
    curl_easy_reset(easy);  // what it pointed to ends with this function
    if (code == CURLE_OK) {
        if (hop.body_bytes == 0 && request.on_headers && !hop.ignores_body())
            request.on_headers(hop.response.status, hop.response.headers);
        return std::move(hop.response);
    }
    if (hop.thrown) std::rethrow_exception(hop.thrown);
    if (stop.stop_requested()) throw Failure(FailureKind::Stopped, fmt::format("{}: stopped", url));
    const auto kind = hop.own_reason.value_or(!hop.refused.empty() && code == CURLE_COULDNT_CONNECT
                                                  ? FailureKind::RefusedAddress
                                                  : kind_of(code));
    if (kind == FailureKind::RefusedAddress)
        throw Failure(kind, fmt::format("{}: the address is refused: {}", url, hop.refused));
    if (kind == FailureKind::TooLarge)
        throw Failure(kind, fmt::format("{}: the answer is larger than {} bytes, the limit", url,
                                        request.limits.body_bytes_max));
    throw Failure(kind, fmt::format("{}: {}", url,
                                    reason[0] != '\0' ? reason.data() : curl_easy_strerror(code)));
}

}  // namespace belay::http
