#include "core/model/queue.hpp"

#include <gtest/gtest.h>

#include <belay/error.hpp>

#include "core/base/limits.hpp"

namespace belay::model {
namespace {

using namespace std::chrono_literals;

constexpr Time kNow{1'800'000'000'000ms};

Queue queue_of(const QueueLimits& limits) {
    Queue queue;
    queue.name = "uploads";
    queue.limits = limits;
    return queue;
}

std::string refusal(const std::string& name, const QueueLimits& limits) {
    try {
        check_queue(name, limits);
    } catch (const Error& error) {
        return error.what();
    }
    return "";
}

TEST(Queue, without_limits_everyone_goes) {
    const auto room = room_in(queue_of({}), {.running = 100'000}, kNow);
    EXPECT_GT(room.fresh, 1'000'000);
    EXPECT_EQ(room.held_up_by, HeldUpBy::Nothing);
}

TEST(Queue, the_narrowest_limit_counts) {
    const QueueLimits limits{
        .concurrency = 10, .concurrency_per_worker = 4, .rate = RateLimit{3, 1s}};
    const auto room =
        room_in(queue_of(limits), {.running = 7, .running_here = 2, .starts = 2}, kNow);
    EXPECT_EQ(room.begun, 2);
    EXPECT_EQ(room.fresh, 1);
}

TEST(Queue, it_says_what_holds_up) {
    const auto by = [](const QueueLimits& limits, const QueueLoad& load) {
        return room_in(queue_of(limits), load, kNow).held_up_by;
    };
    EXPECT_EQ(by({.concurrency = 2}, {.running = 2}), HeldUpBy::Concurrency);
    EXPECT_EQ(by({.concurrency = 2}, {.running = 5}), HeldUpBy::Concurrency);
    EXPECT_EQ(by({.concurrency_per_worker = 2}, {.running = 9, .running_here = 2}),
              HeldUpBy::PerWorker);
    const auto room = room_in(queue_of({.rate = RateLimit{1, 10s}}),
                              {.starts = 1, .oldest_start = kNow - 4s}, kNow);
    EXPECT_EQ(room.held_up_by, HeldUpBy::Rate);
    EXPECT_EQ(room.next_token, kNow + 6s);
    EXPECT_GT(room.begun, 0) << "what has begun needs no token";
}

TEST(Queue, many_starts_are_counted_in_grains_and_never_too_early) {
    const RateLimit few{100, 1min};
    EXPECT_EQ(counted_at(few, kNow + 1ms), kNow + 1ms);
    const RateLimit many{100'000, 1min};
    const Time counted = counted_at(many, kNow + 1ms);
    EXPECT_GE(counted, kNow + 1ms);
    EXPECT_LE(counted, kNow + 61ms);
    EXPECT_EQ(counted_at(many, counted), counted);
}

TEST(Queue, a_limit_that_cannot_be_is_refused_by_name) {
    EXPECT_EQ(refusal("uploads", {.concurrency = 0}), "");
    EXPECT_NE(refusal("no spaces", {}).find("letters, digits"), std::string::npos);
    EXPECT_NE(refusal("", {}).find("letters, digits"), std::string::npos);
    EXPECT_NE(refusal("q", {.concurrency = -1}).find("concurrency is -1"), std::string::npos);
    EXPECT_NE(refusal("q", {.concurrency_per_worker = 0}).find("concurrency_per_worker is 0"),
              std::string::npos);
    EXPECT_NE(refusal("q", {.rate = RateLimit{0, 1s}}).find("rate.starts is 0"), std::string::npos);
    EXPECT_NE(refusal("q", {.rate = RateLimit{1, 0s}}).find("rate.period"), std::string::npos);
}

TEST(Queue, its_limits_read_as_a_phrase) {
    EXPECT_EQ(limits_text({}), "no limits");
    EXPECT_EQ(
        limits_text({.concurrency = 8, .concurrency_per_worker = 2, .rate = RateLimit{100, 1min}}),
        "8 at once, 2 per worker, 100 per 1 min");
    EXPECT_NE(declaration_of({.concurrency = 8}), declaration_of({.concurrency_per_worker = 8}));
}

TEST(Queue, a_place_reads_as_a_sentence) {
    QueuePlace place;
    place.queue = queue_of({.concurrency = 8});
    place.ahead = 2;
    place.running = 8;
    place.held_up_by = HeldUpBy::Concurrency;
    EXPECT_EQ(sentence_of(place, kNow).text,
              "it waits in queue `uploads` at position 3: 8 of 8 slots are taken.");
    EXPECT_EQ(sentence_of(place, kNow).to_do, "");

    place.held_up_by = HeldUpBy::Paused;
    place.queue.pause_reason = "the bank is closed";
    EXPECT_EQ(
        sentence_of(place, kNow).text,
        "it waits in queue `uploads` at position 3: the queue is paused: the bank is closed.");
    EXPECT_EQ(sentence_of(place, kNow).to_do, "Resume it: belay queues resume uploads");

    place.queue.limits = {.rate = RateLimit{100, 1min}};
    place.held_up_by = HeldUpBy::Rate;
    place.next_token = kNow + 5s;
    EXPECT_EQ(sentence_of(place, kNow).text,
              "it waits in queue `uploads` at position 3: 100 begun in the last 1 min, as many as "
              "may; the next may at "
              "2027-01-15T08:00:05.000Z (in 5 s).");

    place.queue.limits = {.concurrency = 0};
    place.held_up_by = HeldUpBy::Concurrency;
    EXPECT_NE(sentence_of(place, kNow).to_do.find("--concurrency"), std::string::npos);
    place.held_up_by = HeldUpBy::Nothing;
    place.ahead = 0;
    EXPECT_EQ(sentence_of(place, kNow).text,
              "it waits in queue `uploads` at position 1: it is next.");
}

}  // namespace
}  // namespace belay::model
