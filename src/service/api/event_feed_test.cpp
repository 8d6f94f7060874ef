#include "service/api/event_feed.hpp"

#include <gtest/gtest.h>

namespace belay::api {
namespace {

std::string ids_of(const std::variant<EventFeed::Page, EventFeed::Gone>& answer) {
    if (std::holds_alternative<EventFeed::Gone>(answer)) return "gone";
    std::string text;
    for (const auto& event : std::get<EventFeed::Page>(answer).events) text += event->type + " ";
    return text;
}

TEST(EventRing, a_watcher_that_comes_back_misses_nothing_and_sees_only_its_own) {
    env::ManualClock clock;
    EventRing ring(clock, 100);
    const auto start = ring.newest();
    ring.publish("acme", "a1", "{}");
    ring.publish("umbrella", "u1", "{}");
    const auto second = ring.publish("acme", "a2", "{}");
    ring.publish("acme", "a3", "{}");

    EXPECT_EQ(ids_of(ring.read("acme", start, 10)), "a1 a2 a3 ");
    EXPECT_EQ(ids_of(ring.read("acme", second, 10)), "a3 ");
    EXPECT_EQ(ids_of(ring.read("umbrella", start, 10)), "u1 ");
    EXPECT_EQ(std::get<EventFeed::Page>(ring.read("umbrella", start, 10)).last, ring.newest());
    EXPECT_EQ(ids_of(ring.read("acme", start, 1)), "a1 ");
}

TEST(EventRing, what_is_forgotten_was_never_given_or_is_of_another_start_is_gone) {
    env::ManualClock clock;
    EventRing ring(clock, 2);
    const auto start = ring.newest();
    const auto first = ring.publish("acme", "a1", "{}");
    ring.publish("acme", "a2", "{}");
    EXPECT_EQ(ids_of(ring.read("acme", start, 10)), "a1 a2 ");
    ring.publish("acme", "a3", "{}");

    EXPECT_EQ(ids_of(ring.read("acme", start, 10)), "gone");
    EXPECT_EQ(ids_of(ring.read("acme", first, 10)), "a2 a3 ");
    EXPECT_EQ(ids_of(ring.read("acme", ring.newest() + 1, 10)), "gone");
    clock.advance(std::chrono::seconds{1});
    EventRing next(clock, 2);
    EXPECT_EQ(ids_of(next.read("acme", ring.newest(), 10)), "gone");
}

TEST(EventRing, keeps_fewer_events_if_they_are_large) {
    env::ManualClock clock;
    EventRing ring(clock, 1000, 64 * 1024);
    const auto start = ring.newest();
    for (int i = 0; i < 10; ++i) ring.publish("acme", "small", "{}");
    EXPECT_EQ(std::get<EventFeed::Page>(ring.read("acme", start, 100)).events.size(), 10u);

    std::int64_t last = 0;
    for (int i = 0; i < 20; ++i) last = ring.publish("acme", "large", std::string(8 * 1024, 'x'));

    EXPECT_EQ(ids_of(ring.read("acme", start, 100)), "gone");
    EXPECT_EQ(ids_of(ring.read("acme", last - 7, 100)),
              "large large large large large large large ");
    EXPECT_EQ(ids_of(ring.read("acme", last - 8, 100)), "gone");
    ring.publish("acme", "huge", std::string(100 * 1024, 'x'));
    EXPECT_EQ(ids_of(ring.read("acme", last, 100)), "gone");
    EXPECT_EQ(ids_of(ring.read("acme", ring.newest(), 100)), "");
}

TEST(EventRing, news_are_told_until_the_subscription_ends) {
    env::ManualClock clock;
    EventRing ring(clock, 2);
    int told = 0;
    auto subscription = ring.on_news([&] { ++told; });
    ring.publish("acme", "a", "{}");
    EXPECT_EQ(told, 1);
    subscription.cancel();
    ring.publish("acme", "a", "{}");
    EXPECT_EQ(told, 1);
}

TEST(Event, its_text_is_json_with_id_type_time_and_data) {
    env::ManualClock clock;
    EXPECT_EQ(
        event_text({7, "acme", "run_changed", clock.now(), R"({"id":"july"})"}),
        R"({"id":7,"type":"run_changed","at":"2025-01-01T00:00:00.000Z","data":{"id":"july"}})");
}

}  // namespace
}  // namespace belay::api
