#include "fuzz/targets.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include <belay/codec.hpp>
#include <belay/error.hpp>

#include "ai/rules/amount.hpp"
#include "ai/rules/date.hpp"
#include "ai/rules/receipt.hpp"
#include "ai/rules/statement.hpp"
#include "ai/rules/typed_page.hpp"
#include "api/conditional.hpp"
#include "api/errors.hpp"
#include "api/query.hpp"
#include "base/duration_text.hpp"
#include "base/time_zone.hpp"
#include "http/address.hpp"
#include "http/date.hpp"
#include "ingest/notification.hpp"
#include "isolate/frame.hpp"
#include "media/html/extract.hpp"
#include "model/cron.hpp"
#include "objects/s3_xml.hpp"
#include "server/multipart.hpp"
#include "web/robots.hpp"
#include "web/sitemap.hpp"
#include "web/url.hpp"

namespace belay::fuzz {
namespace {

using namespace std::chrono_literals;

// ---- schedules

void cron(std::string_view bytes) {
    try {
        const auto cron = model::Cron::parse(bytes);
        const Time from{1'700'000'000'000ms};
        const base::TimeZone& utc = base::TimeZone::utc();
        if (const auto next = cron.next_after(from, utc)) {
            FUZZ_CHECK(*next > from);
            FUZZ_CHECK(cron.last_until(*next, utc) == next);
        }
        FUZZ_CHECK(model::Cron::parse(cron.text()).text() == cron.text());
    } catch (const Error&) {
    }
}

// ---- HTTP

class Parts final : public server::MultipartListener {
public:
    void part_begins(const server::MultipartHead& head) override {
        FUZZ_CHECK(!is_inside_);
        is_inside_ = true;
        told_ += "<" + head.name + "|" + head.file_name.value_or("") + ">";
        FUZZ_CHECK(!head.file_name || head.file_name->find('/') == std::string::npos);
    }
    void part_bytes(std::string_view bytes) override {
        FUZZ_CHECK(is_inside_);
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
std::string read_multipart(std::string_view bytes, std::size_t step) {
    Parts parts;
    try {
        server::Multipart multipart{"frontier", parts};
        for (std::size_t at = 0; at < bytes.size(); at += step) multipart.feed(bytes.substr(at, step));
        multipart.finish();
    } catch (const api::ApiError&) {
        return "refused";
    }
    return parts.told_;
}

void multipart(std::string_view bytes) {
    // However the network cuts it, it says the same.
    const std::string whole = read_multipart(bytes, std::max<std::size_t>(bytes.size(), 1));
    FUZZ_CHECK(read_multipart(bytes, 1) == whole);
    FUZZ_CHECK(read_multipart(bytes, 7) == whole);
    server::boundary_of(bytes);
    server::header_parameter(bytes, "name");
    const std::string safe = server::safe_file_name(bytes);
    FUZZ_CHECK(!safe.empty() && safe != "." && safe != ".." && safe.find('/') == std::string::npos);
}

void query(std::string_view bytes) {
    try {
        const api::Query query{bytes};
        query.text("q");
        query.flag("all");
        query.integer("limit", 50, 1, 1000);
    } catch (const api::ApiError&) {
    }
}

void conditional(std::string_view bytes) {
    constexpr std::uint64_t kSize = 1000;
    const auto wanted = api::wanted_bytes(bytes, kSize);
    if (const auto* range = std::get_if<api::ByteRange>(&wanted))
        FUZZ_CHECK(range->length > 0 && range->first < kSize && range->length <= kSize - range->first);
    api::etag_matches(bytes, "\"abc\"");
    api::range_still_valid(bytes, "\"abc\"");
    api::accepts_gzip(bytes);
}

void times(std::string_view bytes) {
    const Time now{1'700'000'000'000ms};
    if (const auto duration = base::parse_duration(bytes)) FUZZ_CHECK(*duration >= 0ms);
    base::parse_moment(bytes, now);
    if (const auto date = http::parse_date(bytes)) FUZZ_CHECK(http::parse_date(http::format_date(*date)) == date);
    if (const auto after = http::parse_retry_after(bytes, now)) FUZZ_CHECK(*after >= 0ms);
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

void s3_xml(std::string_view bytes) {
    objects::parse_xml(bytes);
    const auto again = objects::parse_xml("<a>" + objects::xml_escape(bytes) + "</a>");
    static_cast<void>(again);
}

struct Shape {
    std::string name{};
    std::optional<double> number{};
    std::vector<std::map<std::string, std::int64_t>> rows{};
};
BOOST_DESCRIBE_STRUCT(Shape, (), (name, number, rows))

void json_body(std::string_view bytes) {
    try {
        const auto shape = from_json<Shape>(bytes);
        const std::string again = to_json(shape);
        FUZZ_CHECK(to_json(from_json<Shape>(again)) == again);
    } catch (const Error&) {
    }
}

void notification(std::string_view bytes) {
    try {
        const auto notices = ingest::read_notifications(bytes);
        FUZZ_CHECK(!notices.empty());
        for (const auto& notice : notices) {
            FUZZ_CHECK(notice.kind != ingest::NoticeKind::Invalid || !notice.reason.empty());
        }
    } catch (const Error&) {
    }
}

// ---- the helper process

void media_frame(std::string_view bytes) {
    constexpr std::uint64_t kPayloadMax = 1 << 20;
    try {
        const isolate::Frame frame = isolate::decode_frame(bytes, kPayloadMax);
        FUZZ_CHECK(frame.payload.size() <= kPayloadMax);
        FUZZ_CHECK(isolate::encode_frame(frame.type, frame.payload) == bytes);
    } catch (const isolate::BadFrame&) {
    }
}

// ---- the web

void url(std::string_view bytes) {
    const auto parsed = web::parse_url(bytes);
    if (parsed && parsed->is_web()) FUZZ_CHECK(!parsed->host.empty());
    // One spelling of an address: what came out is its own.
    if (const auto once = web::normalize(bytes)) FUZZ_CHECK(web::normalize(*once) == once);
    web::resolve("https://example.org/a/b?c", bytes);
}

void robots(std::string_view bytes) {
    const web::Robots robots{bytes, "belay"};
    robots.allows("/a/b?c=d");
    robots.allows("");
    web::parse_sitemap(bytes);
}

void html(std::string_view bytes) {
    try {
        media::html::ExtractOptions options;
        options.url = "https://example.org/a/b";
        media::html::extract(bytes, options);
    } catch (const media::html::PageRefused&) {
    }
}

// ---- documents

void amounts_and_dates(std::string_view bytes) {
    ai::rules::read_amounts(bytes);
    if (const auto date = ai::rules::Date::parse(bytes)) FUZZ_CHECK(ai::rules::Date::parse(date->text()) == date);
    ai::rules::read_date(bytes);
}

void receipt(std::string_view bytes) {
    const std::vector<media::Page> pages{ai::rules::typed_page(bytes.substr(0, 4000))};
    ai::rules::read_receipt(pages);
    ai::rules::read_statement(pages);
}

}  // namespace

const std::array<Target, 15> kTargets{{
    {"cron", cron, "*/5 * * * *\n====\n0 30 9 LW * ?\n====\n0 0 1-15/2 JAN-MAR MON#2\n====\n@daily"},
    {"multipart", multipart,
     "--frontier\r\nContent-Disposition: form-data; name=\"files\"; filename=\"a.jpg\"\r\nContent-Type: image/jpeg\r\n\r\n"
     "bytes\r\n--frontier--\r\n\n====\nmultipart/form-data; boundary=frontier\n====\n../../etc/passwd"},
    {"query", query, "q=a%20b&limit=10&all=1\n====\nlimit=999999999999999999999&q=%zz"},
    {"json_body", json_body, R"({"name":"a","number":1.5,"rows":[{"x":1},{"y":-2}]})"
                             "\n====\n"
                             R"({"name":"\ud83d\ude00","number":null,"rows":[]})"},
    {"notification", notification,
     R"({"Records":[{"eventName":"ObjectCreated:Put","s3":{"bucket":{"name":"b"},"object":{"key":"a%20b","eTag":"1"}}}]})"
     "\n====\n"
     R"({"account":"a","action":"PutObject","bucket":"b","object":{"key":"k","eTag":"1"},"eventTime":"2026-01-01T00:00:00Z"})"},
    {"media_frame", media_frame, "BLYF\x01\0\0\0\0\0\0\0\0\0\0\0"},
    {"url", url, "https://user@example.org:8080/a/../b?c=d#e\n====\nhttp://[::1]/\n====\nhttp://0x7f.1/"},
    {"robots", robots,
     "User-agent: *\nDisallow: /a*b$\nAllow: /\nCrawl-delay: 2\nSitemap: https://example.org/s.xml\n====\n"
     "<urlset><url><loc>https://example.org/a</loc><lastmod>2026-01-01</lastmod></url></urlset>"},
    {"html", html,
     "<!doctype html><html lang=en><head><title>T</title></head><body><article><h1>T</h1><p>Some text that is long "
     "enough to be one.</p><table><tr><td>a</td></tr></table><pre><code>x</code></pre></article></body></html>"},
    {"conditional", conditional, "bytes=0-99\n====\nbytes=-5\n====\nW/\"abc\", \"def\"\n====\ngzip;q=0.5, *;q=0"},
    {"times", times, "1h30m\n====\n2026-11-15T20:00:00.123+01:00\n====\nSun, 06 Nov 1994 08:49:37 GMT\n====\n120"},
    {"address", address, "127.0.0.1\n====\n::ffff:10.0.0.1\n====\n64:ff9b::a00:1\n====\n10.0.0.0/8\n====\nfe80::/10"},
    {"s3_xml", s3_xml,
     "<?xml version=\"1.0\"?><ListBucketResult><Contents><Key>a&amp;b</Key><Size>1</Size></Contents></ListBucketResult>"},
    {"amounts_and_dates", amounts_and_dates, "1 234,50 kr\n====\n-2.579,80\n====\n12 mars 2024\n====\n2024-02-29\n====\n240312"},
    {"receipt", receipt,
     "ICA NARA\nOrgnr 556021-0261\n2024-03-12 14:02\nMJOLK 2 x 15,90  31,80\nTOTAL 31,80\nMoms 12% 3,41\n====\n"
     "240102 240103 KAFFE STOCKHOLM 45,00\nATT BETALA 2.579,80"},
}};

void finding(const char* condition, const char* file, int line) {
    std::fprintf(stderr, "%s:%d: does not hold: %s\n", file, line, condition);
    std::abort();
}

}  // namespace belay::fuzz
