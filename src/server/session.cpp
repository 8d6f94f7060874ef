#include "server/session.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/beast/websocket/rfc6455.hpp>
#include <fmt/format.h>

#include "base/time_ordered_id.hpp"
#include "server/form_reader.hpp"
#include "server/gzip.hpp"
#include "server/http_text.hpp"

namespace belay::server {

namespace {

using api::ApiError;
using api::Problem;
using boost::system::error_code;
using boost::system::system_error;

constexpr std::size_t kHeadRead = 4 * 1024;
constexpr std::size_t kBodyRead = 256 * 1024;
constexpr std::size_t kSendChunk = 256 * 1024;
// A body that comes with a refusal is read to its end if it is no larger: the connection can go on.
constexpr std::size_t kDrainMax = 64 * 1024;
constexpr std::uint64_t kLingerBytesMax = 64 * 1024 * 1024;

constexpr Time kNever = Time::max();

// The client has gone: there is nobody to answer.
struct ClientGone {};

}  // namespace

Session::Session(Shared& shared, std::unique_ptr<Stream> stream, bool secure)
    : shared_(shared), stream_(std::move(stream)), secure_(secure),
      deadline_(kNever.time_since_epoch().count()), bell_(stream_->socket().get_executor()) {
    error_code ignored;
    const auto peer = stream_->socket().remote_endpoint(ignored);
    if (!ignored) remote_ = peer.address().to_string();
}

// ---- time

void Session::set_deadline(Time when) { deadline_ = when.time_since_epoch().count(); }

void Session::look(Time now) {
    if (now.time_since_epoch().count() < deadline_) return;
    asio::post(stream_->socket().get_executor(), [self = shared_from_this()] { self->time_is_up(); });
}

void Session::time_is_up() {
    const Time now = shared_.clock.now();
    if (now.time_since_epoch().count() < deadline_) return;
    const bool first = !std::exchange(timed_out_, true);
    set_deadline(now + shared_.limits.linger_time);
    // One who was about to say something is told that it took too long; the others are just cut.
    if (first && phase_ == Phase::Reading) return stream_->cancel();
    stream_->close();
}

void Session::begin_stop() {
    asio::post(stream_->socket().get_executor(), [self = shared_from_this()] {
        const Phase phase = self->phase_;
        if (phase == Phase::Idle || phase == Phase::Handshake || phase == Phase::Lingering)
            self->stream_->close();
        self->bell_.cancel();
    });
}

void Session::cut() {
    asio::post(stream_->socket().get_executor(), [self = shared_from_this()] { self->stream_->close(); });
}

// ---- the life of a connection

asio::awaitable<void> Session::run() {
    try {
        co_await serve();
    } catch (const std::exception&) {
        // The client has gone, or speaks no TLS: nobody is left to be told.
    }
    stream_->close();
}

asio::awaitable<void> Session::serve() {
    set_deadline(shared_.clock.now() + shared_.limits.header_time);
    co_await stream_->handshake();
    while (true) {
        Parser parser;
        parser.header_limit(static_cast<std::uint32_t>(shared_.limits.header_bytes_max));
        parser.body_limit(boost::none);  // the route says it
        const bool ready = co_await read_head(parser);
        if (!ready) co_return;
        const Then then = co_await answer(parser);
        if (then == Then::Close) break;
    }
}

// False: the connection is to be closed, everything is said.
asio::awaitable<bool> Session::read_head(Parser& parser) {
    phase_ = Phase::Idle;
    const auto& limits = shared_.limits;
    set_deadline(shared_.clock.now() + (requests_ == 0 ? limits.header_time : limits.idle_time));
    if (buffer_.size() == 0) {
        buffer_.shrink_to_fit();
        if (shared_.stopping) co_return false;
        const bool some = co_await fill(kHeadRead);
        if (!some) co_return false;
    }
    phase_ = Phase::Reading;
    set_deadline(shared_.clock.now() + limits.header_time);
    error_code error;
    while (true) {
        error = {};
        buffer_.consume(parser.put(buffer_.data(), error));
        if (parser.is_header_done()) co_return true;
        if (error && error != http::error::need_more) break;
        const bool some = co_await fill(kHeadRead);
        if (some) continue;
        if (!timed_out_) co_return false;
        break;
    }
    Served served;
    served.at = shared_.clock.now();
    api::Request request;
    request.remote = remote_;
    if (timed_out_) {
        co_await refuse(request, Problem::RequestTimeout,
                        fmt::format("the headers did not come within {} s", limits.header_time.count() / 1000),
                        served);
    } else if (error == http::error::header_limit) {
        co_await refuse(request, Problem::HeadersTooLarge,
                        fmt::format("the request line and headers are longer than {} bytes",
                                    limits.header_bytes_max),
                        served);
    } else {
        co_await refuse(request, Problem::BadRequest,
                        fmt::format("this is not HTTP as it should be: {}", error.message()), served);
    }
    co_return false;
}

// False when no more will come: the client has ended or is gone, or its time is up (timed_out_).
asio::awaitable<bool> Session::fill(std::size_t bytes) {
    try {
        const auto space = buffer_.prepare(bytes);
        const std::size_t count = co_await stream_->read_some(space);
        buffer_.commit(count);
        co_return count > 0;
    } catch (const system_error&) {
        co_return false;
    }
}

void Session::fill_in(const Parser& parser, api::Request& request) {
    const auto& message = parser.get();
    request.remote = remote_;
    request.secure = secure_;
    for (const auto& field : message)
        request.headers.add(std::string(field.name_string()), std::string(field.value()));
    const std::string_view given = request.headers.get("X-Request-Id");
    request.request_id = is_request_id(given)
                             ? std::string(given)
                             : base::time_ordered_id(shared_.clock.now(), shared_.random.next(),
                                                     shared_.random.next());
    const auto method = api::method_named(std::string_view(message.method_string()));
    api::set_target(request, origin_form(std::string_view(message.target())));
    if (!method) {
        throw ApiError(Problem::MethodNotAllowed,
                       fmt::format("`{}` is no method that is known here",
                                   api::shown(std::string_view(message.method_string()))),
                       {{"Allow", "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS"}});
    }
    request.method = *method;
    if (message.count(http::field::host) > 1)
        throw ApiError(Problem::BadRequest, "there is more than one Host header");
}

bool Session::keeps_alive(const Parser& parser) const {
    return parser.keep_alive() && !shared_.stopping &&
           requests_ < shared_.limits.requests_per_connection_max;
}

asio::awaitable<Session::Then> Session::answer(Parser& parser) {
    ++requests_;
    api::Request request;
    Served served;
    served.at = shared_.clock.now();
    std::optional<api::Response> response;
    const api::Route* route = nullptr;
    try {
        fill_in(parser, request);
    } catch (...) {
        response = shared_.api.refuse(request, std::current_exception());
    }
    const bool has_body = !parser.is_done();
    auto decide = [&] {
        auto admitted = shared_.api.admit(request);
        if (auto* answered = std::get_if<api::Response>(&admitted)) {
            response = std::move(*answered);
        } else {
            route = std::get<const api::Route*>(admitted);
            if (!has_body && !route->websocket && route->takes != api::Takes::Form)
                response = shared_.api.call(*route, request);
        }
        if (response) compress(request, *response);
    };
    if (!response) {
        phase_ = Phase::Working;
        set_deadline(kNever);
        co_await on_pool(shared_, decide);
    }
    if (route != nullptr) served.route = route->path;
    if (!response) {
        if (route->websocket) co_return co_await go_live(parser, request, served);
        co_return co_await with_body(parser, *route, request, served);
    }
    bool keep = keeps_alive(parser);
    if (has_body) {
        // Refused before its body was read. A small one is let pass; a large one ends the connection.
        const auto length = parser.content_length();
        const bool small = length && *length <= kDrainMax && !request.headers.find("Expect");
        if (keep && small) {
            std::string rest(static_cast<std::size_t>(*length), '\0');
            while (keep && !parser.is_done()) {
                phase_ = Phase::Reading;
                try {
                    co_await read_body(parser, rest, served, kDrainMax);
                } catch (...) {
                    keep = false;
                }
            }
        } else {
            keep = false;
        }
    }
    co_await send(request, *response, served, keep);
    log(request, served);
    if (keep) co_return Then::GoOn;
    if (!parser.is_done()) co_await linger();
    co_return Then::Close;
}

asio::awaitable<Session::Then> Session::with_body(Parser& parser, const api::Route& route,
                                                  api::Request& request, Served& served) {
    std::exception_ptr error;
    try {
        co_await say_continue(parser);
        if (route.takes == api::Takes::Form) {
            co_await read_form(parser, request, served);
        } else {
            co_await read_json(parser, route, request, served);
        }
    } catch (const ClientGone&) {
        co_return Then::Close;
    } catch (...) {
        error = std::current_exception();
    }
    std::optional<api::Response> response;
    auto handle = [&] {
        response = error ? shared_.api.refuse(request, error) : shared_.api.call(route, request);
        request.form.files.clear();  // what the handler left is removed here, where waiting hurts nobody
        compress(request, *response);
    };
    phase_ = Phase::Working;
    set_deadline(kNever);
    co_await on_pool(shared_, handle);
    const bool keep = keeps_alive(parser) && parser.is_done() && !timed_out_;
    co_await send(request, *response, served, keep);
    log(request, served);
    if (keep) co_return Then::GoOn;
    if (!parser.is_done()) co_await linger();
    co_return Then::Close;
}

// ---- bodies

asio::awaitable<void> Session::say_continue(Parser& parser) {
    const auto& message = parser.get();
    if (buffer_.size() > 0 || message.version() < 11 ||
        !api::same_word(std::string_view(message[http::field::expect]), "100-continue")) {
        co_return;
    }
    static constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";
    const std::array<asio::const_buffer, 2> bytes{asio::buffer(kContinue.data(), kContinue.size()),
                                                  asio::const_buffer{}};
    phase_ = Phase::Writing;
    set_deadline(shared_.clock.now() + shared_.limits.body_time);
    co_await stream_->write(bytes);
}

// Fills `space`, or what there still is. Throws ApiError{payload_too_large}, {request_timeout},
// {bad_request}, ClientGone.
asio::awaitable<std::size_t> Session::read_body(Parser& parser, std::span<char> space, Served& served,
                                                std::uint64_t bytes_max) {
    const auto& limits = shared_.limits;
    phase_ = Phase::Reading;
    auto& body = parser.get().body();
    body.data = space.data();
    body.size = space.size();
    while (body.size > 0 && !parser.is_done()) {
        error_code error;
        const std::size_t before = body.size;
        if (buffer_.size() > 0) buffer_.consume(parser.put(buffer_.data(), error));
        served.bytes_in += before - body.size;
        if (served.bytes_in > bytes_max) {
            throw ApiError(Problem::PayloadTooLarge,
                           fmt::format("the body is larger than {} bytes", bytes_max));
        }
        if (error == http::error::need_buffer || parser.is_done()) break;
        if (error && error != http::error::need_more)
            throw ApiError(Problem::BadRequest,
                           fmt::format("the body is not HTTP as it should be: {}", error.message()));
        if (buffer_.size() > 0 && !error) continue;
        const std::chrono::seconds earned{served.bytes_in / limits.bytes_per_second_min};
        set_deadline(served.at + limits.body_time + earned);
        const bool some = co_await fill(kBodyRead);
        set_deadline(kNever);
        if (some) continue;
        if (!timed_out_) throw ClientGone{};
        throw ApiError(Problem::RequestTimeout,
                       fmt::format("the body came too slowly: {} bytes in {} s", served.bytes_in,
                                   (shared_.clock.now() - served.at).count() / 1000));
    }
    co_return space.size() - body.size;
}

asio::awaitable<void> Session::read_json(Parser& parser, const api::Route& route, api::Request& request,
                                         Served& served) {
    // A route that takes nothing lets a small body pass unread.
    const std::uint64_t bytes_max = route.takes == api::Takes::Json ? route.body_max : kDrainMax;
    const auto length = parser.content_length();
    if (length && *length > bytes_max) {
        throw ApiError(Problem::PayloadTooLarge,
                       fmt::format("the body has {} bytes; at most {} are taken here", *length, bytes_max));
    }
    std::string chunk(std::min<std::size_t>(length.value_or(16 * 1024), 64 * 1024) + 1, '\0');
    while (!parser.is_done()) {
        const std::size_t count = co_await read_body(parser, chunk, served, bytes_max);
        if (route.takes == api::Takes::Json) request.body.append(chunk, 0, count);
    }
}

asio::awaitable<void> Session::read_form(Parser& parser, api::Request& request, Served& served) {
    const std::uint64_t bytes_max = shared_.limits.upload_bytes_max;
    const auto length = parser.content_length();
    if (length && *length > bytes_max) {
        throw ApiError(Problem::PayloadTooLarge,
                       fmt::format("the upload has {} bytes; at most {} are taken at once", *length, bytes_max));
    }
    std::optional<FormReader> reader;
    reader.emplace(request.headers.get("Content-Type"), request.caller.organization_id,
                   *shared_.api.parts().uploads, shared_.limits,
                   request.headers.find("Idempotency-Key").has_value());
    std::string chunk(std::min<std::uint64_t>(length.value_or(kBodyRead), kBodyRead) + 1, '\0');
    std::size_t count = 0;
    std::exception_ptr error;
    auto feed = [&] { reader->feed({chunk.data(), count}); };
    auto finish = [&] { request.form = reader->finish(); };
    auto give_up = [&] { reader.reset(); };
    try {
        while (!parser.is_done()) {
            count = co_await read_body(parser, chunk, served, bytes_max);
            co_await on_pool(shared_, feed);
        }
        co_await on_pool(shared_, finish);
    } catch (...) {
        error = std::current_exception();
    }
    if (!error) co_return;
    // What is half written is removed where waiting for a disk hurts nobody.
    co_await on_pool(shared_, give_up);
    std::rethrow_exception(error);
}

// ---- answers

asio::awaitable<void> Session::send(const api::Request& request, api::Response& response,
                                    Served& served, bool keep_alive) {
    phase_ = Phase::Writing;
    const Time began = shared_.clock.now();
    served.status = response.status;
    const std::string head = head_text(response, keep_alive, began);
    std::string_view body;
    if (const auto* text = std::get_if<std::string>(&response.body)) body = *text;
    if (const auto* bytes = std::get_if<api::StaticBytes>(&response.body)) body = bytes->bytes;
    if (request.method == api::Method::Head) body = {};
    const auto& limits = shared_.limits;
    set_deadline(began + limits.body_time +
                 std::chrono::seconds{body.size() / limits.bytes_per_second_min});
    const std::array<asio::const_buffer, 2> bytes{asio::buffer(head), asio::buffer(body.data(), body.size())};
    co_await stream_->write(bytes);
    served.bytes_out = body.size();
    if (auto* stream = std::get_if<api::StreamBody>(&response.body);
        stream != nullptr && stream->source && request.method != api::Method::Head) {
        co_await send_stream(*stream, served, began);
    }
}

// Exactly `length` bytes, or the connection is cut: a client must see that it did not get all.
asio::awaitable<void> Session::send_stream(api::StreamBody& body, Served& served, Time began) {
    const auto& limits = shared_.limits;
    std::vector<std::byte> chunk(std::min<std::uint64_t>(body.length, kSendChunk));
    std::size_t count = 0;
    auto read = [&] {
        const auto left = static_cast<std::size_t>(
            std::min<std::uint64_t>(chunk.size(), body.length - served.bytes_out));
        count = body.source->read(std::span(chunk).first(left));
    };
    while (served.bytes_out < body.length) {
        set_deadline(kNever);
        co_await on_pool(shared_, read);
        if (count == 0) throw std::runtime_error("a body ended before its length");
        const std::array<asio::const_buffer, 2> bytes{asio::buffer(chunk.data(), count), asio::const_buffer{}};
        set_deadline(began + limits.body_time +
                     std::chrono::seconds{(served.bytes_out + count) / limits.bytes_per_second_min});
        co_await stream_->write(bytes);
        served.bytes_out += count;
    }
    auto close = [&] { body.source.reset(); };
    co_await on_pool(shared_, close);
}

asio::awaitable<Session::Then> Session::refuse(const api::Request& request, api::Problem problem,
                                               std::string_view message, Served& served) {
    api::Response response = shared_.api.refuse(request, problem, message);
    co_await send(request, response, served, false);
    log(request, served);
    co_await linger();
    co_return Then::Close;
}

// Closing while the client still sends would make its machine throw our answer away.
asio::awaitable<void> Session::linger() {
    phase_ = Phase::Lingering;
    timed_out_ = true;  // the next time there is no second chance
    if (shared_.stopping) co_return;
    set_deadline(shared_.clock.now() + shared_.limits.linger_time);
    co_await stream_->end();
    std::uint64_t seen = 0;
    while (seen < kLingerBytesMax) {
        buffer_.consume(buffer_.size());
        const bool some = co_await fill(kBodyRead);
        if (!some) co_return;
        seen += buffer_.size();
    }
}

void Session::log(const api::Request& request, Served& served) {
    served.took = shared_.clock.now() - served.at;
    auto& metrics = shared_.api.parts().metrics;
    const std::string route = served.route.empty() ? "other" : served.route;
    const std::string status = fmt::format("{}xx", served.status / 100);
    metrics
        .counter("belay_http_requests_total", "Requests answered.",
                 {{"method", std::string(to_string(request.method))}, {"route", route}, {"status", status}})
        .add();
    metrics.histogram("belay_http_request_seconds", "From the headers to the last byte of the answer.",
                      {{"route", route}})
        .observe(static_cast<double>(served.took.count()) / 1000.0);
    if (shared_.options.access_log) shared_.options.access_log(access_line(request, served));
}

}  // namespace belay::server
