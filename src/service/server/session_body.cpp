// session_body.cpp — the bodies of a connection's requests and answers, a piece at a time.
#include <fmt/format.h>

#include "service/server/form_reader.hpp"
#include "service/server/http_text.hpp"
#include "service/server/session.hpp"

namespace belay::server {

namespace {

using api::ApiError;
using api::Problem;
using boost::system::error_code;

constexpr std::size_t kBodyRead = 256 * 1024;
constexpr std::size_t kReadChunk = 256 * 1024;  // from a disk
constexpr std::size_t kSendChunk = 64 * 1024;   // each within body_time

}  // namespace

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
asio::awaitable<std::size_t> Session::read_body(Parser& parser, std::span<char> space,
                                                Served& served, std::uint64_t bytes_max) {
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
        pace_->moved(before - body.size);
        if (served.bytes_in > bytes_max) {
            throw ApiError(Problem::PayloadTooLarge,
                           fmt::format("the body is larger than {} bytes", bytes_max));
        }
        if (error == http::error::need_buffer || body.size == 0 || parser.is_done()) break;
        if (error && error != http::error::need_more)
            throw ApiError(
                Problem::BadRequest,
                fmt::format("the body is not HTTP as it should be: {}", error.message()));
        if (buffer_.size() > 0 && !error) continue;
        // What is left is the head of a chunk, or a trailer, that does not end.
        if (buffer_.size() > limits.header_bytes_max) {
            throw ApiError(Problem::BadRequest,
                           fmt::format("the head of a chunk is longer than {} bytes",
                                       limits.header_bytes_max));
        }
        const Time waits_since = shared_.clock.now();
        set_deadline(waits_since + pace_->left());
        const bool some = co_await fill(kBodyRead);
        set_deadline(kNoDeadline);
        pace_->waited(shared_.clock.now() - waits_since);
        if (some) continue;
        if (!timed_out_) throw ClientGone{};
        throw ApiError(Problem::RequestTimeout,
                       fmt::format("the body came too slowly: {} bytes in {} s", served.bytes_in,
                                   (shared_.clock.now() - served.at).count() / 1000));
    }
    co_return space.size() - body.size;
}

asio::awaitable<void> Session::read_json(Parser& parser, const api::Route& route,
                                         api::Request& request, Served& served) {
    // A route that takes nothing lets a small body pass unread.
    const std::uint64_t bytes_max = route.takes == api::Takes::Json ? route.body_max : kDrainMax;
    const auto length = parser.content_length();
    if (length && *length > bytes_max) {
        throw ApiError(
            Problem::PayloadTooLarge,
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
                       fmt::format("the upload has {} bytes; at most {} are taken at once", *length,
                                   bytes_max));
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
    co_await write_in_time(head, body);
    served.bytes_out = body.size();
    if (auto* stream = std::get_if<api::StreamBody>(&response.body);
        stream != nullptr && stream->source && request.method != api::Method::Head) {
        speak_for(request.caller.speaker());
        co_await send_stream(*stream, served);
        speak_for({});
    }
}

// In pieces that are each taken within body_time: who does not read is cut before all of it would have had to come.
asio::awaitable<void> Session::write_in_time(std::string_view head, std::string_view bytes) {
    do {
        const std::string_view piece = bytes.substr(0, kSendChunk);
        const std::array<asio::const_buffer, 2> buffers{asio::buffer(head.data(), head.size()),
                                                        asio::buffer(piece.data(), piece.size())};
        set_deadline(shared_.clock.now() + shared_.limits.body_time);
        co_await stream_->write(buffers);
        head = {};
        bytes.remove_prefix(piece.size());
    } while (!bytes.empty());
}

// Exactly `length` bytes, or the connection is cut: a client must see that it did not get all.
asio::awaitable<void> Session::send_stream(api::StreamBody& body, Served& served) {
    std::vector<std::byte> chunk(std::min<std::uint64_t>(body.length, kReadChunk));
    std::size_t count = 0;
    auto read = [&] {
        const auto left = static_cast<std::size_t>(
            std::min<std::uint64_t>(chunk.size(), body.length - served.bytes_out));
        count = body.source->read(std::span(chunk).first(left));
    };
    while (served.bytes_out < body.length) {
        set_deadline(kNoDeadline);
        co_await on_pool(shared_, read);
        if (count == 0) throw std::runtime_error("a body ended before its length");
        const std::string_view piece{reinterpret_cast<const char*>(chunk.data()), count};
        co_await write_in_time(std::string_view(), piece);
        served.bytes_out += count;
    }
    auto close = [&] { body.source.reset(); };
    co_await on_pool(shared_, close);
}

}  // namespace belay::server
