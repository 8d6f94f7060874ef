#include "http/curl_client.hpp"

#include <curl/curl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <exception>
#include <optional>

#include <fmt/format.h>

#include "base/assert.hpp"
#include "http/url.hpp"

namespace belay::http {
namespace {

// Larger than any honest answer's; libcurl bounds a single line, not their sum.
constexpr std::size_t kHeaderBytesMax = 256 * 1024;

// A redirect's own body is of no use; this much is read so that the connection can be used again.
constexpr std::size_t kIgnoredBytesMax = 256 * 1024;

struct Global {
    Global() { BELAY_ASSERT(curl_global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK); }
};

using HeaderList = std::unique_ptr<curl_slist, void (*)(curl_slist*)>;

void append(HeaderList& list, const std::string& line) {
    auto* longer = curl_slist_append(list.get(), line.c_str());
    if (longer == nullptr) throw std::bad_alloc();
    static_cast<void>(list.release());
    list.reset(longer);
}

bool is_redirect(int status) {
    return status == 301 || status == 302 || status == 303 || status == 307 || status == 308;
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

}  // namespace

// One libcurl handle in a loop of its own, so that a stop can wake it.
class CurlClient::Channel {
public:
    explicit Channel(std::string origin_of_first) : origin(std::move(origin_of_first)) {
        if (!easy || !multi) throw std::bad_alloc();
    }

    std::string origin;  // its connections are likely to this one
    std::unique_ptr<CURL, void (*)(CURL*)> easy{curl_easy_init(), curl_easy_cleanup};
    std::unique_ptr<CURLM, CURLMcode (*)(CURLM*)> multi{curl_multi_init(), curl_multi_cleanup};
};

class CurlClient::Lease {
public:
    Lease(CurlClient& client, const std::string& origin)
        : client_(client), channel_(client.take(origin)) {}
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;
    ~Lease() { client_.give_back(std::move(channel_)); }

    Channel& operator*() const { return *channel_; }

private:
    CurlClient& client_;
    std::unique_ptr<Channel> channel_;
};

// One request on one connection, and what its callbacks found out.
struct CurlClient::Hop {
    const CurlOptions& options;
    const Request& request;
    bool follows = false;

    Response response{};
    std::size_t header_bytes = 0;
    std::uint64_t body_bytes = 0;
    std::string refused{};                    // an address, and why
    std::optional<FailureKind> own_reason{};  // why a callback ended the transfer
    std::exception_ptr thrown{};              // by the caller's functions

    bool ignores_body() const {
        return follows && is_redirect(response.status) && response.headers.has("location");
    }

    curl_socket_t open_socket(const curl_sockaddr& address) {
        const auto to = Address::of(address.addr);
        const auto why = to ? options.addresses.refuses(*to) : "not an internet address";
        if (why) {
            refused = fmt::format("{} is {}", to ? to->text() : "it", *why);
            return CURL_SOCKET_BAD;
        }
        return ::socket(address.family, address.socktype | SOCK_CLOEXEC, address.protocol);
    }

    bool take_header(std::string_view line) {
        header_bytes += line.size();
        if (header_bytes > kHeaderBytesMax) {
            own_reason = FailureKind::TooLarge;
            return false;
        }
        if (line.starts_with("HTTP/")) {  // again after a 100 Continue
            response.headers = {};
            const auto space = line.find(' ');
            if (space != std::string_view::npos)
                std::from_chars(line.data() + space + 1, line.data() + line.size(),
                                response.status);
            return true;
        }
        const auto colon = line.find(':');
        if (colon != std::string_view::npos)
            response.headers.add(std::string(trim(line.substr(0, colon))),
                                 std::string(trim(line.substr(colon + 1))));
        return true;
    }

    bool take_body(std::span<const std::byte> bytes) {
        if (body_bytes == 0 && request.on_headers && !ignores_body()) {
            try {
                request.on_headers(response.status, response.headers);
            } catch (...) {
                thrown = std::current_exception();
                return false;
            }
        }
        body_bytes += bytes.size();
        const auto limit = ignores_body() ? kIgnoredBytesMax : request.limits.body_bytes_max;
        if (body_bytes > limit) {
            own_reason = FailureKind::TooLarge;
            return false;
        }
        if (ignores_body()) return true;
        if (request.sink && response.status >= 200 && response.status < 300) {
            try {
                request.sink(bytes);
            } catch (...) {
                thrown = std::current_exception();
                return false;
            }
        } else {
            response.body.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
        }
        return true;
    }
};

namespace {

template <class Hop>
curl_socket_t on_socket(void* hop, curlsocktype, curl_sockaddr* address) {
    return static_cast<Hop*>(hop)->open_socket(*address);
}

template <class Hop>
std::size_t on_header(char* text, std::size_t, std::size_t size, void* hop) {
    return static_cast<Hop*>(hop)->take_header({text, size}) ? size : 0;
}

template <class Hop>
std::size_t on_body(char* text, std::size_t, std::size_t size, void* hop) {
    return static_cast<Hop*>(hop)->take_body(std::as_bytes(std::span(text, size))) ? size : 0;
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

void set_method(CURL* easy, const Request& request) {
    if (request.method == "HEAD") {
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
        if (!result) curl_multi_poll(multi, nullptr, 0, 1000, nullptr);
    }
    curl_multi_remove_handle(multi, easy);
    return result.value_or(CURLE_ABORTED_BY_CALLBACK);
}

}  // namespace

CurlClient::CurlClient(CurlOptions options) : options_(std::move(options)) {
    static const Global once;
}

CurlClient::~CurlClient() = default;

std::unique_ptr<CurlClient::Channel> CurlClient::take(const std::string& origin) {
    const std::lock_guard lock{mutex_};
    const auto found = std::find_if(idle_.rbegin(), idle_.rend(),
                                    [&](const auto& channel) { return channel->origin == origin; });
    if (found == idle_.rend()) return std::make_unique<Channel>(origin);
    auto channel = std::move(*found);
    idle_.erase(std::next(found).base());
    return channel;
}

void CurlClient::give_back(std::unique_ptr<Channel> channel) {
    std::unique_ptr<Channel> oldest;  // closed after the lock
    const std::lock_guard lock{mutex_};
    idle_.push_back(std::move(channel));
    if (idle_.size() > options_.idle_channels_max) {
        oldest = std::move(idle_.front());
        idle_.erase(idle_.begin());
    }
}

Response CurlClient::send_once(const Request& request, const std::string& url, Duration time_left,
                               bool follows, const std::stop_token& stop) {
    const auto parsed = parse_url(url);
    if (!parsed)
        throw Failure(FailureKind::BadUrl, fmt::format("`{}` is no http or https address", url));
    const Lease lease{*this, parsed->origin()};
    CURL* const easy = (*lease).easy.get();
    curl_easy_reset(easy);
    Hop hop{options_, request, follows};
    hop.response.url = url;
    const auto headers = header_list(request);
    std::array<char, CURL_ERROR_SIZE> reason{};
    HeaderList resolve{nullptr, curl_slist_free_all};
    for (const auto& line : options_.resolve) append(resolve, line);

    set(easy, CURLOPT_URL, url.c_str());
    set(easy, CURLOPT_PROTOCOLS_STR, "http,https");
    set(easy, CURLOPT_PROXY, "");
    set(easy, CURLOPT_NOSIGNAL, 1L);
    set(easy, CURLOPT_USERAGENT, options_.user_agent.c_str());
    set(easy, CURLOPT_HTTPHEADER, headers.get());
    set(easy, CURLOPT_ERRORBUFFER, reason.data());
    set(easy, CURLOPT_OPENSOCKETFUNCTION, on_socket<Hop>);
    set(easy, CURLOPT_OPENSOCKETDATA, &hop);
    set(easy, CURLOPT_HEADERFUNCTION, on_header<Hop>);
    set(easy, CURLOPT_HEADERDATA, &hop);
    set(easy, CURLOPT_WRITEFUNCTION, on_body<Hop>);
    set(easy, CURLOPT_WRITEDATA, &hop);
    if (request.method != "HEAD")  // whose Content-Length is of a body that does not come
        set(easy, CURLOPT_MAXFILESIZE_LARGE,
            static_cast<curl_off_t>(
                std::min<std::uint64_t>(request.limits.body_bytes_max, INT64_MAX)));
    if (request.accept_compressed) set(easy, CURLOPT_ACCEPT_ENCODING, "");
    if (!options_.ca_file.empty()) set(easy, CURLOPT_CAINFO, options_.ca_file.c_str());
    if (resolve) set(easy, CURLOPT_RESOLVE, resolve.get());
    set_method(easy, request);
    set_limits(easy, request.limits, time_left);

    const auto code = run((*lease).multi.get(), easy, stop);
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

Response CurlClient::send(const Request& request, std::stop_token stop) {
    const auto start = std::chrono::steady_clock::now();
    Request hop = request;
    for (int redirects = 0;; ++redirects) {
        const auto took =
            std::chrono::duration_cast<Duration>(std::chrono::steady_clock::now() - start);
        const auto time_left = request.limits.total - took;
        if (time_left <= Duration{0})
            throw Failure(FailureKind::Timeout,
                          fmt::format("{}: the redirects took longer than {} ms", request.url,
                                      request.limits.total.count()));
        auto response = send_once(hop, hop.url, time_left, request.redirects_max > 0, stop);
        const auto location = response.headers.find("location");
        if (request.redirects_max == 0 || !is_redirect(response.status) || !location)
            return response;
        if (redirects == request.redirects_max)
            throw Failure(
                FailureKind::TooManyRedirects,
                fmt::format("{}: more than {} redirects", request.url, request.redirects_max));
        const auto next = resolve_url(hop.url, *location);
        if (!next)
            throw Failure(FailureKind::TooManyRedirects,
                          fmt::format("{}: it redirects to `{}`, which is no http or https address",
                                      hop.url, location->substr(0, 200)));
        if (request.on_redirect) request.on_redirect(*next);
        const bool becomes_get = response.status == 303
                                     ? hop.method != "HEAD"
                                     : response.status <= 302 && hop.method == "POST";
        if (becomes_get) {
            hop.method = "GET";
            hop.body.clear();
            hop.headers.remove("content-type");
        }
        if (parse_url(hop.url)->origin() != parse_url(*next)->origin()) {
            hop.headers.remove("authorization");
            hop.headers.remove("cookie");
        }
        hop.url = *next;
    }
}

}  // namespace belay::http
