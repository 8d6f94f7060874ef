#include "service/server/session.hpp"

#include <sys/socket.h>

#include <fmt/format.h>
#include <boost/asio/redirect_error.hpp>

#include "core/base/time_ordered_id.hpp"
#include "service/server/framing.hpp"
#include "service/server/gzip.hpp"
#include "service/server/http_text.hpp"

// g++ 12 compares what it inlined of a coroutine frame's allocation with what it did not of its release.
#pragma GCC diagnostic ignored "-Wmismatched-new-delete"

namespace belay::server {

namespace {

using api::ApiError;
using api::Problem;
using boost::system::error_code;
using boost::system::system_error;

constexpr std::size_t kHeadRead = 4 * 1024;
constexpr std::size_t kLingerRead = 64 * 1024;
constexpr std::uint64_t kLingerBytesMax = 64 * 1024 * 1024;

}  // namespace

Session::Session(Shared& shared, std::unique_ptr<Stream> stream, bool secure)
    : shared_(shared), stream_(std::move(stream)), secure_(secure),
      deadline_(kNoDeadline.time_since_epoch().count()), bell_(stream_->socket().get_executor()) {
    error_code ignored;
    const auto peer = stream_->socket().remote_endpoint(ignored);
    if (!ignored) remote_ = peer.address().to_string();
}

// ---- time

void Session::set_deadline(Time when) { deadline_ = when.time_since_epoch().count(); }

void Session::look(Time now) {
    if (now.time_since_epoch().count() < deadline_) return;
    asio::post(stream_->socket().get_executor(),
               [self = shared_from_this()] { self->time_is_up(); });
}

void Session::time_is_up() {
    const Time now = shared_.clock.now();
    if (now.time_since_epoch().count() < deadline_) return;
    const bool first = !std::exchange(timed_out_, true);
    set_deadline(now + shared_.limits.linger_time);
    if (first) ++shared_.timed_out;
    // One who was about to say something is told that it took too long; the others are just cut.
    if (first && phase_ == Phase::Reading) return stream_->cancel();
    if (first && phase_ == Phase::Waiting) {
        bell_.cancel();
        return;
    }
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

std::string Session::token() const {
    const std::lock_guard lock(token_mutex_);
    return token_;
}

void Session::speak_for(const std::string& token_id) {
    const std::lock_guard lock(token_mutex_);
    token_ = token_id;
}

void Session::cut() {
    asio::post(stream_->socket().get_executor(),
               [self = shared_from_this()] { self->stream_->close(); });
}

// ---- the life of a connection

asio::awaitable<void> Session::run() {
    try {
        co_await serve();
    } catch (...) {
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
    FoldWatch folds;
    std::optional<std::string> problem;
    while (true) {
        error = {};
        const auto bytes = buffer_.data();
        const std::size_t taken = parser.put(bytes, error);
        folds.see({static_cast<const char*>(bytes.data()), taken});
        buffer_.consume(taken);
        if (parser.is_header_done()) {
            problem = framing_problem(parser, folds.found());
            if (!problem) co_return true;
            break;
        }
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
    Problem kind = Problem::BadRequest;
    std::string why;
    if (timed_out_) {
        kind = Problem::RequestTimeout;
        why =
            fmt::format("the headers did not come within {} s", limits.header_time.count() / 1000);
    } else if (problem) {
        why = *problem;
    } else if (error == http::error::header_limit) {
        kind = Problem::HeadersTooLarge;
        why = fmt::format("the request line and headers are longer than {} bytes",
                          limits.header_bytes_max);
    } else {
        why = fmt::format("this is not HTTP as it should be: {}", error.message());
    }
    co_await refuse(request, kind, why, served);
    co_return false;
}

std::optional<std::string> Session::framing_problem(const Parser& parser, bool folded) {
    if (folded) return "a header goes on in the next line, which is not taken";
    std::vector<std::string_view> encodings;
    const auto range = parser.get().equal_range(http::field::transfer_encoding);
    for (auto at = range.first; at != range.second; ++at) encodings.emplace_back(at->value());
    return transfer_problem(encodings, parser.get().version());
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
    pace_.emplace(shared_.limits.body_time, shared_.limits.bytes_per_second_min);
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
            const bool is_whole = !has_body && route->takes != api::Takes::Form;
            if (is_whole && !route->websocket && !route->later)
                response = shared_.api.call(*route, request);
        }
        if (response) compress(request, *response);
    };
    if (!response) {
        phase_ = Phase::Working;
        set_deadline(kNoDeadline);
        co_await on_pool(shared_, decide);
    }
    served.route = route != nullptr ? route->path : shared_.api.route_name(request);
    if (!response) {
        if (route->websocket) co_return co_await go_live(parser, request, served);
        if (has_body || route->takes == api::Takes::Form)
            co_return co_await with_body(parser, *route, request, served);
        response = co_await answer_later(*route, request);
        if (client_gone_) co_return Then::Close;
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
    if (!error && route.later) {
        response = co_await answer_later(route, request);
        if (client_gone_) co_return Then::Close;
        const bool keep = keeps_alive(parser) && parser.is_done();
        co_await send(request, *response, served, keep);
        log(request, served);
        co_return keep ? Then::GoOn : Then::Close;
    }
    auto handle = [&] {
        response = error ? shared_.api.refuse(request, error) : shared_.api.call(route, request);
        request.form.files
            .clear();  // what the handler left is removed here, where waiting hurts nobody
        compress(request, *response);
    };
    phase_ = Phase::Working;
    set_deadline(kNoDeadline);
    co_await on_pool(shared_, handle);
    const bool keep = keeps_alive(parser) && parser.is_done() && !timed_out_;
    co_await send(request, *response, served, keep);
    log(request, served);
    if (keep) co_return Then::GoOn;
    if (!parser.is_done()) co_await linger();
    co_return Then::Close;
}

// No thread is held while it waits: the handler has returned, and the coroutine sleeps until the bell rings.
asio::awaitable<api::Response> Session::answer_later(const api::Route& route,
                                                     api::Request& request) {
    api::Awaited awaited([weak = weak_from_this(), executor = stream_->socket().get_executor()] {
        asio::post(executor, [weak] {
            if (const auto self = weak.lock()) self->bell_.cancel();
        });
    });
    std::optional<api::Reply> reply;
    reply.emplace(awaited);
    auto begin = [&] {
        shared_.api.begin(route, request, *reply);
        reply.reset();
    };
    phase_ = Phase::Working;
    set_deadline(kNoDeadline);
    co_await on_pool(shared_, begin);
    std::optional<api::ReplyOutcome> outcome = awaited.take();
    if (!outcome) {
        phase_ = Phase::Waiting;
        set_deadline(shared_.clock.now() + shared_.limits.later_time);
        watch_for_end();
        while (!outcome && !client_gone_ && !timed_out_ && !shared_.stopping) {
            error_code rung;
            bell_.expires_at(std::chrono::steady_clock::time_point::max());
            co_await bell_.async_wait(asio::redirect_error(asio::use_awaitable, rung));
            outcome = awaited.take();
        }
        if (!outcome && !awaited.give_up()) outcome = awaited.take();  // in this moment
        stream_->cancel();
        phase_ = Phase::Working;
        set_deadline(kNoDeadline);
    }
    std::optional<api::Response> response;
    const bool too_late = std::exchange(timed_out_, false);
    auto end = [&] {
        if (outcome) {
            response = shared_.api.end(request, std::move(*outcome));
        } else if (too_late) {
            response = shared_.api.refuse(request, Problem::Unavailable,
                                          "nobody has answered for too long; ask again");
        } else {
            response = shared_.api.refuse(request, Problem::Stopping,
                                          "the server stops; ask again when it is back");
        }
        compress(request, *response);
    };
    co_await on_pool(shared_, end);
    co_return std::move(*response);
}

// A client that hangs up while it waits is noticed, so that nobody works for it. One that has closed only its own half
// counts as gone, too.
void Session::watch_for_end() {
    stream_->socket().async_wait(
        tcp::socket::wait_read, [weak = weak_from_this()](error_code error) {
            const auto self = weak.lock();
            if (!self || error || self->phase_ != Phase::Waiting) return;
            char byte = 0;
            const auto there =
                ::recv(self->stream_->socket().native_handle(), &byte, 1, MSG_PEEK | MSG_DONTWAIT);
            if (there > 0) return;  // its next request: it is there
            if (there < 0 && (errno == EAGAIN || errno == EINTR)) return self->watch_for_end();
            self->client_gone_ = true;
            self->bell_.cancel();
        });
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
        const bool some = co_await fill(kLingerRead);
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
                 {{"method", std::string(to_string(request.method))},
                  {"route", route},
                  {"status", status}})
        .add();
    metrics
        .histogram("belay_http_request_seconds", "From the headers to the last byte of the answer.",
                   {{"route", route}})
        .observe(static_cast<double>(served.took.count()) / 1000.0);
    if (shared_.options.access_log) shared_.options.access_log(access_line(request, served));
}

}  // namespace belay::server
