// server_targets.cpp — what arrives over HTTP, from object stores and from belay-media.
#include <algorithm>
#include <chrono>
#include <string>
#include <variant>
#include <vector>

#include <belay/error.hpp>

#include "core/base/utf8.hpp"
#include "fuzz/targets.hpp"
#include "ingestion/ingest/notification.hpp"
#include "ingestion/isolate/frame.hpp"
#include "ingestion/isolate/message.hpp"
#include "ingestion/objects/key.hpp"
#include "ingestion/objects/s3_xml.hpp"
#include "service/api/conditional.hpp"
#include "service/api/errors.hpp"
#include "service/api/query.hpp"
#include "service/api/request.hpp"
#include "service/api/response.hpp"
#include "service/api/route.hpp"
#include "service/http/address.hpp"
#include "service/server/framing.hpp"
#include "service/server/http_text.hpp"
#include "service/server/multipart.hpp"

namespace belay::fuzz {
namespace {

class Parts final : public server::MultipartListener {
public:
    void part_begins(const server::MultipartHead& head) override {
        FUZZ_CHECK(!is_inside_);
        is_inside_ = true;
        FUZZ_CHECK(!head.name.empty() && base::is_utf8(head.name) &&
                   base::is_utf8(head.content_type));
        told_ +=
            "<" + head.name + "|" + head.file_name.value_or("") + "|" + head.content_type + ">";
        FUZZ_CHECK(!head.file_name || head.file_name->find('/') == std::string::npos);
    }
    void part_bytes(std::string_view bytes) override {
        FUZZ_CHECK(is_inside_ && !bytes.empty());
        told_ += bytes;
    }
    void part_ends() override {
        FUZZ_CHECK(is_inside_);
        is_inside_ = false;
        told_ += "</>";
    }
    std::string told_;

private:
    bool is_inside_ = false;
};

// What the parser told, or nothing if it refused; `step` bytes at a time.
std::string read_multipart(std::string_view bytes, std::size_t step,
                           const server::MultipartLimits& limits) {
    Parts parts;
    try {
        server::Multipart multipart{"frontier", parts, limits};
        for (std::size_t at = 0; at < bytes.size(); at += step)
            multipart.feed(bytes.substr(at, step));
        multipart.finish();
    } catch (const api::ApiError&) {
        return "refused";
    }
    return parts.told_;
}

void multipart(std::string_view bytes) {
    // However the network cuts it, it says the same; also where a limit is near.
    const server::MultipartLimits tight{
        .parts_max = 3, .head_bytes_max = 96, .preamble_bytes_max = 16};
    for (const auto& limits : {server::MultipartLimits{}, tight}) {
        const std::string whole =
            read_multipart(bytes, std::max<std::size_t>(bytes.size(), 1), limits);
        FUZZ_CHECK(read_multipart(bytes, 1, limits) == whole);
        FUZZ_CHECK(read_multipart(bytes, 7, limits) == whole);
    }
    server::boundary_of(bytes);
    server::header_parameter(bytes, "name");
    const std::string safe = server::safe_file_name(bytes);
    FUZZ_CHECK(!safe.empty() && safe != "." && safe != ".." && safe.find('/') == std::string::npos);
    FUZZ_CHECK(server::safe_file_name(safe) == safe);
}

// Handlers are not called here, only found.
const api::Routes& some_routes() {
    static const api::Routes routes = [] {
        api::Routes made;
        for (const std::string path :
             {"/api/runs", "/api/runs/{id}", "/api/runs/{id}/stages", "/api/runs/live"}) {
            api::Route route;
            route.path = path;
            route.summary = "for fuzzing";
            route.group = "runs";
            if (path.find('{') != std::string::npos)
                route.parameters = {api::path_parameter("id", "which")};
            route.handler = [](api::Request&) { return api::Response{}; };
            made.add(std::move(route));
        }
        return made;
    }();
    return routes;
}

void query(std::string_view bytes) {
    try {
        const api::Query query{bytes};
        query.text("q");
        query.flag("all");
        FUZZ_CHECK(query.integer("limit", 50, 1, 1000) <= 1000);
    } catch (const api::ApiError&) {
    }
    try {
        const auto position = api::read_cursor(bytes);
        FUZZ_CHECK(api::read_cursor(api::cursor_text(position)) == position);
    } catch (const api::ApiError&) {
    }
    for (const bool plus : {false, true}) {
        if (const auto plain = api::percent_decoded(bytes, plus))
            FUZZ_CHECK(base::is_utf8(*plain) &&
                       api::percent_decoded(api::percent_encoded(*plain), plus) == plain);
    }
    try {
        api::Request request;
        api::set_target(request, server::origin_form(bytes));
        const auto match = some_routes().match(api::Method::Get, request.path);
        if (const auto* found = std::get_if<api::Found>(&match)) {
            for (const auto& [name, value] : found->parameters)
                FUZZ_CHECK(base::is_utf8(value) && !value.empty());
        }
    } catch (const api::ApiError&) {
    }
}

void conditional(std::string_view bytes) {
    constexpr std::uint64_t kSize = 1000;
    const auto wanted = api::wanted_bytes(bytes, kSize);
    if (const auto* range = std::get_if<api::ByteRange>(&wanted))
        FUZZ_CHECK(range->length > 0 && range->first < kSize &&
                   range->length <= kSize - range->first);
    api::etag_matches(bytes, "\"abc\"");
    api::range_still_valid(bytes, "\"abc\"");
    api::accepts_gzip(bytes);
    if (!server::transfer_problem({bytes}, 11))
        FUZZ_CHECK(bytes.size() == std::string_view("chunked").size());
}

void address(std::string_view bytes) {
    if (const auto one = http::Address::parse(bytes)) {
        FUZZ_CHECK(http::Address::parse(one->text()) == one);
        static_cast<void>(http::AddressPolicy::public_only().refuses(*one));
    }
    try {
        auto policy = http::AddressPolicy::public_only();
        policy.allow(bytes);
    } catch (const Error&) {
    }
}

bool is_all_utf8(const objects::XmlElement& element) {
    return base::is_utf8(element.name) && base::is_utf8(element.text) &&
           std::all_of(element.children.begin(), element.children.end(), is_all_utf8);
}

void s3_xml(std::string_view bytes) {
    const auto read = objects::parse_xml(bytes);
    if (read && base::is_utf8(bytes)) FUZZ_CHECK(is_all_utf8(*read));
    // What is escaped comes back as it was.
    const auto again = objects::parse_xml("<a>" + objects::xml_escape(bytes) + "</a>");
    FUZZ_CHECK(again && again->text == bytes);
}

void notification(std::string_view bytes) {
    try {
        const auto notices = ingest::read_notifications(bytes);
        FUZZ_CHECK(!notices.empty());
        for (const auto& notice : notices) {
            FUZZ_CHECK(notice.kind != ingest::NoticeKind::Invalid || !notice.reason.empty());
            // They become rows, and a database that refuses one has the sender send it for ever.
            for (const auto* text :
                 {&notice.source, &notice.action, &notice.bucket, &notice.key, &notice.other_key,
                  &notice.etag, &notice.sequencer, &notice.reason, &notice.body})
                FUZZ_CHECK(base::is_utf8(*text));
        }
    } catch (const Error&) {
    }
    if (!objects::Key::problem(bytes)) {
        const objects::Key key{std::string(bytes)};
        FUZZ_CHECK(objects::Key(key.organization(), key.name()) == key);
    }
}

void media_frame(std::string_view bytes) {
    constexpr std::uint64_t kPayloadMax = 1 << 20;
    try {
        const isolate::Frame frame = isolate::decode_frame(bytes, kPayloadMax);
        FUZZ_CHECK(frame.payload.size() <= kPayloadMax);
        FUZZ_CHECK(isolate::encode_frame(frame.type, frame.payload) == bytes);
    } catch (const isolate::BadFrame&) {
    }
}

template <class Decode>
void message_as(std::string_view payload, Decode decode) {
    try {
        const auto message = decode(payload);
        const std::string once = isolate::encode(message);
        FUZZ_CHECK(isolate::encode(decode(once)) == once);
    } catch (const isolate::BadFrame&) {
    }
}

void media_message(std::string_view bytes) {
    message_as(bytes, isolate::decode_hello);
    message_as(bytes, isolate::decode_start);
    message_as(bytes, isolate::decode_ended);
    message_as(bytes, isolate::decode_failure);
    try {
        const auto answer = isolate::decode_answer(bytes);
        FUZZ_CHECK(isolate::answer_bytes(answer) <= bytes.size());
        std::string again = isolate::encode_answer_lengths(answer) + answer.json;
        for (const auto& blob : answer.blobs) again += blob;
        FUZZ_CHECK(again == bytes);
    } catch (const isolate::BadFrame&) {
    }
}

}  // namespace

std::vector<Target> server_targets() {
    return {{"multipart", multipart},     {"query", query},
            {"conditional", conditional}, {"address", address},
            {"s3_xml", s3_xml},           {"notification", notification},
            {"media_frame", media_frame}, {"media_message", media_message}};
}

}  // namespace belay::fuzz
