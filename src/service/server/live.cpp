// live.cpp — GET /api/live: events of an organization over a WebSocket.
//
// A watcher is a cursor into the feed: nothing is queued for it. One that does not read is stuck in a
// write while the feed goes on; when it is too far behind, or the write takes too long, it is cut.
#include <fmt/format.h>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/beast/websocket.hpp>
#include <boost/beast/websocket/ssl.hpp>

#include "core/base/text.hpp"
#include "service/server/session.hpp"

namespace belay::server {

namespace {

namespace websocket = boost::beast::websocket;
using boost::system::error_code;

constexpr std::size_t kPageEvents = 100;
constexpr std::size_t kIncomingBytesMax = 4096;  // nothing is expected but pongs and a goodbye

}  // namespace

class LiveTalk {
public:
    template <class Next>
    static asio::awaitable<void> run(Session& session, Next& next,
                                     const http::request<http::buffer_body>& upgrade,
                                     std::string organization_id,
                                     std::optional<std::int64_t> after) {
        websocket::stream<Next&> socket{next};
        prepare(session, socket, upgrade);
        co_await socket.async_accept(upgrade, asio::use_awaitable);
        socket.text(true);
        session.set_deadline(Time::max());

        bool listening = true;
        asio::co_spawn(socket.get_executor(), listen(session, socket),
                       [&](const std::exception_ptr&) {
                           listening = false;
                           session.live_ended_ = true;
                           session.bell_.cancel();
                       });
        try {
            co_await tell(session, socket, organization_id, after);
        } catch (...) {
            // The watcher has gone, or was cut; whatever it was, the listener must end first.
        }
        session.stream_->close();
        // The listener uses the socket: it ends first.
        while (listening) co_await wait(session);
    }

private:
    template <class Socket>
    static void prepare(Session& session, Socket& socket,
                        const http::request<http::buffer_body>& upgrade) {
        websocket::stream_base::timeout times{};
        times.handshake_timeout = session.shared_.limits.header_time;
        // Two intervals of silence, one of them after a ping, and it is gone.
        times.idle_timeout = session.shared_.limits.live_ping_every;
        times.keep_alive_pings = true;
        socket.set_option(times);
        socket.read_message_max(kIncomingBytesMax);
        socket.auto_fragment(false);  // one event, one frame, one write
        const bool named = upgrade.count(http::field::sec_websocket_protocol) > 0;
        socket.set_option(
            websocket::stream_base::decorator([named](websocket::response_type& response) {
                if (named) response.set(http::field::sec_websocket_protocol, "belay");
            }));
    }

    // Reads what comes, which keeps pings, pongs and the goodbye going.
    template <class Socket>
    static asio::awaitable<void> listen(Session& session, Socket& socket) {
        (void)session;
        boost::beast::flat_buffer ignored;
        while (true) {
            co_await socket.async_read(ignored, asio::use_awaitable);
            ignored.consume(ignored.size());
        }
    }

    static asio::awaitable<void> wait(Session& session) {
        error_code rung;
        session.bell_.expires_at(std::chrono::steady_clock::time_point::max());
        co_await session.bell_.async_wait(asio::redirect_error(asio::use_awaitable, rung));
    }

    template <class Socket>
    static asio::awaitable<void> write(Session& session, Socket& socket, const std::string& text) {
        session.set_deadline(session.shared_.clock.now() + session.shared_.limits.body_time);
        co_await socket.async_write(asio::buffer(text), asio::use_awaitable);
        session.set_deadline(Time::max());
    }

    template <class Socket>
    static asio::awaitable<void> tell(Session& session, Socket& socket,
                                      const std::string& organization_id,
                                      std::optional<std::int64_t> after) {
        api::EventFeed& feed = *session.shared_.api.parts().events;
        std::int64_t& cursor = session.live_cursor_;
        cursor = after.value_or(feed.newest());
        const std::string hello = note(session, "hello", cursor);
        co_await write(session, socket, hello);
        while (!session.live_ended_) {
            if (session.shared_.stopping) {
                co_await socket.async_close(websocket::close_code::going_away, asio::use_awaitable);
                co_return;
            }
            auto answer = feed.read(organization_id, cursor, kPageEvents);
            if (const auto* gone = std::get_if<api::EventFeed::Gone>(&answer)) {
                cursor = gone->newest;
                const std::string reload = note(session, "reload", cursor);
                co_await write(session, socket, reload);
                continue;
            }
            const auto& page = std::get<api::EventFeed::Page>(answer);
            if (page.events.empty()) {
                cursor = page.last;
                session.live_caught_up_ = true;
                co_await wait(session);
                continue;
            }
            for (const auto& event : page.events) {
                const std::string text =
                    session.shared_.api.veil().json(organization_id, api::event_text(*event));
                co_await write(session, socket, text);
                cursor = event->id;
            }
            cursor = page.last;
        }
    }

    // "hello" when it begins; "reload" when what came after the watcher's id is no longer kept.
    static std::string note(Session& session, std::string_view type, std::int64_t id) {
        return fmt::format(R"({{"id":{},"type":"{}","at":"{}","data":null}})", id, type,
                           base::format_time(session.shared_.clock.now()));
    }
};

void Session::news() {
    if (!is_live_) return;
    asio::post(stream_->socket().get_executor(), [self = shared_from_this()] {
        if (self->phase_ != Phase::Live) return;
        const auto behind = self->shared_.api.parts().events->newest() - self->live_cursor_;
        // Who comes back after a while is behind, and not slow: that is for the deadline of each write to say.
        if (self->live_caught_up_ &&
            behind > static_cast<std::int64_t>(self->shared_.limits.live_lag_max) &&
            self->live_writing()) {
            self->shared_.api.parts()
                .metrics
                .counter("belay_live_cut_total", "Watchers cut off because they were too slow.")
                .add();
            return self->stream_->close();
        }
        self->bell_.cancel();
    });
}

asio::awaitable<Session::Then> Session::go_live(Parser& parser, api::Request& request,
                                                Served& served) {
    std::optional<std::int64_t> after;
    std::optional<api::Response> refused;
    try {
        if (!websocket::is_upgrade(parser.get())) {
            throw api::ApiError(api::Problem::UpgradeRequired, "this path is a WebSocket",
                                {{"Upgrade", "websocket"}});
        }
        if (request.query.find("after"))
            after = request.query.integer("after", 0, 0, std::numeric_limits<std::int64_t>::max());
        if (shared_.listeners >= shared_.limits.live_listeners_max || shared_.stopping) {
            throw api::ApiError(
                api::Problem::Unavailable,
                fmt::format("{} watchers are connected already", shared_.listeners.load()),
                {{"Retry-After", "5"}});
        }
    } catch (...) {
        refused = shared_.api.refuse(request, std::current_exception());
    }
    if (refused) {
        co_await send(request, *refused, served, false);
        log(request, served);
        co_return Then::Close;
    }
    phase_ = Phase::Live;
    speak_for(request.caller.speaker());
    is_live_ = true;
    ++shared_.listeners;
    served.status = 101;
    log(request, served);
    set_deadline(shared_.clock.now() + shared_.limits.header_time);
    std::exception_ptr error;
    try {
        if (TlsSocket* tls = stream_->tls()) {
            co_await LiveTalk::run(*this, *tls, parser.get(), request.caller.organization_id,
                                   after);
        } else {
            co_await LiveTalk::run(*this, stream_->socket(), parser.get(),
                                   request.caller.organization_id, after);
        }
    } catch (...) {
        error = std::current_exception();
    }
    --shared_.listeners;
    if (error) std::rethrow_exception(error);
    co_return Then::Close;
}

}  // namespace belay::server
