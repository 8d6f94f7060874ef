// value_targets.cpp — times, schedules, JSON and histories.
#include <chrono>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <boost/describe.hpp>

#include <belay/codec.hpp>
#include <belay/error.hpp>

#include "core/base/base64.hpp"
#include "core/base/duration_text.hpp"
#include "core/base/text.hpp"
#include "core/base/time_zone.hpp"
#include "core/base/utf8.hpp"
#include "core/model/cron.hpp"
#include "core/model/history_json.hpp"
#include "core/model/path.hpp"
#include "fuzz/targets.hpp"
#include "service/http/date.hpp"

namespace belay::fuzz {
namespace {

using namespace std::chrono_literals;

void cron(std::string_view bytes) {
    static const auto stockholm =
        base::TimeZone::by_rule("Stockholm", "CET-1CEST,M3.5.0,M10.5.0/3");
    try {
        const auto cron = model::Cron::parse(bytes);
        const Time from{1'700'000'000'000ms};
        for (const base::TimeZone* zone : {&base::TimeZone::utc(), &stockholm}) {
            const auto next = cron.next_after(from, *zone);
            if (!next) continue;
            FUZZ_CHECK(*next > from);
            FUZZ_CHECK(cron.last_until(*next, *zone) == next);
            const auto ticks = cron.ticks_between(from, *next, *zone, 10);
            FUZZ_CHECK(ticks.times.size() == 1 && ticks.times[0] == *next && !ticks.more);
        }
        FUZZ_CHECK(model::Cron::parse(cron.text()).text() == cron.text());
    } catch (const Error&) {
    }
}

void times(std::string_view bytes) {
    const Time now{1'700'000'000'000ms};
    if (const auto duration = base::parse_duration(bytes)) {
        FUZZ_CHECK(*duration >= 0ms);
        base::format_duration(*duration);
    }
    base::parse_moment(bytes, now);
    if (const auto time = base::parse_time(bytes)) {
        const auto again = base::parse_time(base::format_time(*time));
        FUZZ_CHECK(again && base::format_time(*again) == base::format_time(*time));
    }
    if (const auto date = http::parse_date(bytes))
        FUZZ_CHECK(http::parse_date(http::format_date(*date)) == date);
    if (const auto after = http::parse_retry_after(bytes, now)) FUZZ_CHECK(*after >= 0ms);
}

void check_zone(const base::TimeZone& zone) {
    for (const auto at :
         {-70'000'000'000s, 0s, 1'700'000'000s, 1'711'846'800s, 4'000'000'000s, 260'000'000'000s}) {
        const std::chrono::sys_seconds time{at};
        const auto span = zone.span_at(time);
        FUZZ_CHECK(span.begin <= time && time < span.end);
        // A moment's local time leads back to it, unless that local time is shown twice.
        const auto back = zone.to_utc(zone.to_local(time));
        if (const auto* once = std::get_if<base::LocalOnce>(&back)) FUZZ_CHECK(once->at == time);
        FUZZ_CHECK(!std::holds_alternative<base::LocalGap>(back));
    }
}

void time_zone(std::string_view bytes) {
    try {
        check_zone(base::TimeZone::parse("Somewhere", bytes));
    } catch (const Error&) {
    }
    try {
        check_zone(base::TimeZone::by_rule("Somewhere", bytes));
    } catch (const Error&) {
    }
}

struct Shape {
    std::string name{};
    std::optional<double> number{};
    std::vector<std::map<std::string, std::int64_t>> rows{};
    std::optional<Time> at{};
    std::optional<Bytes> bytes{};
    std::vector<Shape> inside{};
};
BOOST_DESCRIBE_STRUCT(Shape, (), (name, number, rows, at, bytes, inside))

template <class T>
void json_as(std::string_view bytes) {
    try {
        const std::string once = to_json(from_json<T>(bytes));
        FUZZ_CHECK(to_json(from_json<T>(once)) == once);
    } catch (const Error&) {
    }
}

void json_body(std::string_view bytes) {
    json_as<Shape>(bytes);
    json_as<boost::json::value>(bytes);
    json_as<std::string>(bytes);
    json_as<double>(bytes);
    json_as<std::int64_t>(bytes);
    json_as<std::map<std::string, std::string>>(bytes);
}

void history(std::string_view bytes) {
    try {
        const std::string once = model::history_json(model::read_history(bytes));
        FUZZ_CHECK(model::history_json(model::read_history(once)) == once);
    } catch (const Error&) {
    }
    if (const auto path = model::Path::parse(bytes)) FUZZ_CHECK(path->text() == bytes);
}

void text(std::string_view bytes) {
    const std::string clean = base::to_valid_utf8(bytes);
    FUZZ_CHECK(base::is_utf8(clean) && clean.find('\0') == std::string::npos);
    FUZZ_CHECK(base::to_valid_utf8(clean) == clean);
    if (base::is_utf8(bytes) && bytes.find('\0') == std::string_view::npos)
        FUZZ_CHECK(clean == bytes);
    for (const std::size_t chars : {0, 1, 2, 10, 100})
        FUZZ_CHECK(base::is_utf8(base::truncate(bytes, chars)));
    FUZZ_CHECK(from_json<std::string>(to_json(clean)) == clean);

    std::string encoded;
    base::append_base64(encoded, std::as_bytes(std::span{bytes}));
    const auto decoded = base::decode_base64(encoded);
    FUZZ_CHECK(decoded && std::string_view(reinterpret_cast<const char*>(decoded->data()),
                                           decoded->size()) == bytes);
    // "QR==" is read as "QQ==" is, which RFC 4648 leaves to the reader.
    if (const auto read = base::decode_base64(bytes)) {
        std::string again;
        base::append_base64(again, *read);
        FUZZ_CHECK(again.size() == bytes.size() && base::decode_base64(again) == read);
    }
}

}  // namespace

std::vector<Target> value_targets() {
    return {{"cron", cron},           {"times", times},     {"time_zone", time_zone},
            {"json_body", json_body}, {"history", history}, {"text", text}};
}

}  // namespace belay::fuzz
