// session.hpp — one connection: requests one after another, until someone has had enough.
//
// Private to this room: it brings Asio and Beast.
#pragma once

#include <memory>
#include <mutex>
#include <string>

#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/buffer_body.hpp>
#include <boost/beast/http/parser.hpp>

#include "service/server/access_log.hpp"
#include "service/server/pace.hpp"
#include "service/server/shared.hpp"
#include "service/server/stream.hpp"

namespace belay::server {

namespace http = boost::beast::http;

inline constexpr Time kNoDeadline = Time::max();

// A body that comes with a refusal, or that nobody wants, is read to its end if it is no larger.
inline constexpr std::size_t kDrainMax = 64 * 1024;

// Thrown while a body is read: there is nobody to answer.
struct ClientGone {};

class Session final : public Connection, public std::enable_shared_from_this<Session> {
public:
    Session(Shared& shared, std::unique_ptr<Stream> stream, bool secure);

    // The whole life of the connection. Never throws.
    asio::awaitable<void> run();

    void look(Time now) override;
    void begin_stop() override;
    void cut() override;
    void news() override;
    std::string token() const override;

private:
    using Parser = http::request_parser<http::buffer_body>;

    enum class Phase {
        Handshake,
        Idle,     // waits for the first byte of a request
        Reading,  // headers or a body come
        Working,  // a handler has it
        Waiting,  // for an answer that comes later
        Writing,
        Lingering,  // has been answered for the last time
        Live,       // a WebSocket
    };
    enum class Then { GoOn, Close };

    asio::awaitable<void> serve();
    asio::awaitable<bool> read_head(Parser& parser);
    static std::optional<std::string> framing_problem(const Parser& parser, bool folded);
    asio::awaitable<bool> fill(std::size_t bytes);
    asio::awaitable<Then> answer(Parser& parser);
    asio::awaitable<api::Response> answer_later(const api::Route& route, api::Request& request);
    void watch_for_end();
    asio::awaitable<Then> with_body(Parser& parser, const api::Route& route, api::Request& request,
                                    Served& served);
    asio::awaitable<void> read_json(Parser& parser, const api::Route& route, api::Request& request,
                                    Served& served);
    asio::awaitable<void> read_form(Parser& parser, api::Request& request, Served& served);
    asio::awaitable<std::size_t> read_body(Parser& parser, std::span<char> space, Served& served,
                                           std::uint64_t bytes_max);
    asio::awaitable<void> say_continue(Parser& parser);
    asio::awaitable<void> send(const api::Request& request, api::Response& response, Served& served,
                               bool keep_alive);
    asio::awaitable<void> send_stream(api::StreamBody& body, Served& served);
    asio::awaitable<void> write_in_time(std::string_view head, std::string_view bytes);
    asio::awaitable<Then> refuse(const api::Request& request, api::Problem problem,
                                 std::string_view message, Served& served);
    asio::awaitable<void> linger();
    asio::awaitable<Then> go_live(Parser& parser, api::Request& request, Served& served);

    void fill_in(const Parser& parser, api::Request& request);
    bool keeps_alive(const Parser& parser) const;
    void log(const api::Request& request, Served& served);
    void set_deadline(Time when);
    void speak_for(const std::string& token_id);
    void time_is_up();
    // Live: a message is under way to the watcher.
    bool live_writing() const { return deadline_ != Time::max().time_since_epoch().count(); }

    Shared& shared_;
    std::unique_ptr<Stream> stream_;
    const bool secure_;
    boost::beast::flat_buffer buffer_;
    std::string remote_;
    Phase phase_ = Phase::Handshake;
    std::atomic<Time::rep> deadline_;
    bool timed_out_ = false;
    std::size_t requests_ = 0;
    std::optional<Pace> pace_{};  // of the request's body
    // Live: rings when there are events, when the server stops, when the peer has ended. Waiting: when there is an
    // answer, and likewise.
    asio::steady_timer bell_;
    bool client_gone_ = false;
    std::int64_t live_cursor_ = 0;
    bool live_caught_up_ = false;  // it has been told everything there was, once
    bool live_ended_ = false;
    std::atomic<bool> is_live_{false};

    mutable std::mutex token_mutex_;
    std::string token_;  // set while a watcher or a stream is served

    friend class LiveTalk;
};

}  // namespace belay::server
