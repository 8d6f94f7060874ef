#include "ingestion/isolate/turns.hpp"

#include <atomic>
#include <list>
#include <random>
#include <thread>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>

#include "ingestion/isolate/in_turn.hpp"

namespace belay::isolate {
namespace {

// Jobs that end when the test says so: who has a turn, in the order in which they got it.
struct Scripted {
    explicit Scripted(TurnPlaces places) : turns(places, clock) {}

    void ask(const std::string& organization, JobKind kind = JobKind::Long,
             const std::stop_token& stop = {}) {
        turns.ask({organization, kind}, stop, [this, organization](auto turn) {
            if (!turn) return;
            order.push_back(organization);
            running.emplace_back(organization, *std::move(turn));
        });
    }
    // The first that began, or the first of an organization, is over.
    void end_one(const std::string& of = {}) {
        const auto found = std::ranges::find_if(
            running, [&](const auto& one) { return of.empty() || one.first == of; });
        std::list<std::pair<std::string, Turns::Turn>> over;
        over.splice(over.end(), running, found);
    }
    void end_all() {
        while (!running.empty()) end_one();
    }

    env::ManualClock clock;
    Turns turns;
    std::vector<std::string> order;
    std::list<std::pair<std::string, Turns::Turn>> running;
};

TEST(Turns, organizations_are_served_in_turn_whoever_asked_for_more_and_first) {
    for (const int places : {1, 2, 3, 8}) {
        for (const int organizations : {2, 3, 7}) {
            constexpr int kEach = 40;
            Scripted jobs{{.work = places}};
            for (int o = 0; o < organizations; ++o) {
                for (int i = 0; i < kEach; ++i) jobs.ask(fmt::format("o{}", o));
            }

            jobs.end_all();

            ASSERT_EQ(jobs.order.size(), static_cast<std::size_t>(organizations * kEach));
            // The first got all places while it was alone. From then on, while all have something to do, each
            // is served once in every `organizations` turns, but for a place or two that they had in advance.
            std::map<std::string, int> served;
            for (std::size_t i = 0; i < jobs.order.size() / 2; ++i) ++served[jobs.order[i]];
            for (const auto& [one, count] : served)
                EXPECT_NEAR(count, kEach / 2, places) << one << ", " << places << " places";
            EXPECT_EQ(served.size(), static_cast<std::size_t>(organizations));
        }
    }
}

TEST(Turns, the_first_job_of_another_organization_gets_the_next_place) {
    Scripted jobs{{.work = 2}};
    for (int i = 0; i < 10'000; ++i) jobs.ask("heavy");
    jobs.end_one();
    jobs.ask("other");

    jobs.end_one();

    EXPECT_EQ(jobs.order.back(), "other");
    jobs.ask("other");
    jobs.end_one("other");
    EXPECT_EQ(jobs.order.back(), "other") << "heavy has a place; other has none";
    jobs.end_all();
}

TEST(Turns, a_short_job_begins_although_every_long_place_is_taken) {
    Scripted jobs{{.work = 2}};
    for (int i = 0; i < 12; ++i) jobs.ask("heavy");
    EXPECT_EQ(jobs.running.size(), 2u) << "the place that is kept is not for long jobs";

    jobs.ask("other", JobKind::Short);

    EXPECT_EQ(jobs.order.back(), "other");
    EXPECT_EQ(jobs.turns.waiting(JobKind::Long), 10);
    jobs.end_all();
}

TEST(Turns, short_jobs_leave_the_long_ones_their_places) {
    Scripted jobs{{.work = 2}};
    for (int i = 0; i < 20; ++i) jobs.ask("quick", JobKind::Short);
    for (int i = 0; i < 3; ++i) jobs.ask("slow", JobKind::Long);

    for (int i = 0; i < 3; ++i) jobs.end_one("quick");

    EXPECT_EQ(jobs.turns.running(JobKind::Long), 2) << "three that fill all places are no wall";
    EXPECT_EQ(jobs.turns.running(JobKind::Short), 1);
    jobs.end_all();
}

TEST(Turns, a_look_waits_behind_looks_alone_and_holds_nothing_up) {
    Scripted jobs{{.work = 1, .kept_for_short = 1, .looks = 1}};
    for (int i = 0; i < 5; ++i) jobs.ask("acme", JobKind::Long);
    for (int i = 0; i < 5; ++i) jobs.ask("acme", JobKind::Short);

    for (int i = 0; i < 5; ++i) jobs.ask("acme", JobKind::Look);
    jobs.ask("other", JobKind::Look);

    EXPECT_EQ(jobs.turns.running(JobKind::Look), 1);
    EXPECT_EQ(jobs.turns.running(JobKind::Long), 1);
    EXPECT_EQ(jobs.turns.running(JobKind::Short), 1);
    jobs.end_one("acme");  // of the long one; looks go on beside it
    EXPECT_EQ(jobs.turns.running(JobKind::Look), 1);
    jobs.end_all();
    const auto other = std::ranges::find(jobs.order, "other") - jobs.order.begin();
    EXPECT_LT(other, 12) << "not behind all the looks of acme";
}

TEST(Turns, whoever_waits_can_be_seen_and_since_when) {
    Scripted jobs{{.work = 1}};
    jobs.ask("acme");
    jobs.clock.advance(std::chrono::seconds{5});
    jobs.ask("other");
    jobs.clock.advance(std::chrono::seconds{2});

    const auto seen = jobs.turns.entries();

    ASSERT_EQ(seen.size(), 2u);
    EXPECT_FALSE(seen[0].waits);
    EXPECT_EQ(seen[0].asker.organization, "acme");
    EXPECT_TRUE(seen[1].waits);
    EXPECT_EQ(jobs.clock.now() - seen[1].since, std::chrono::seconds{2});
    jobs.end_all();
}

TEST(Turns, a_stop_ends_the_wait_and_takes_no_place) {
    Scripted jobs{{.work = 1}};
    jobs.ask("acme");
    std::stop_source stop;
    bool stopped = false;
    jobs.turns.ask({"acme"}, stop.get_token(), [&](auto turn) { stopped = !turn; });

    stop.request_stop();

    EXPECT_TRUE(stopped);
    EXPECT_EQ(jobs.turns.waiting(JobKind::Long), 0);
    jobs.end_all();
    EXPECT_FALSE(jobs.turns.wait({"acme"}, stop.get_token())) << "asked after the stop";
    EXPECT_EQ(jobs.turns.running(JobKind::Long), 0);
}

TEST(Turns, no_place_is_lost_when_stops_and_leavers_meet) {
    env::ManualClock clock;
    Turns turns{{.work = 2}, clock};
    std::atomic<int> most = 0, inside = 0;
    {
        std::vector<std::jthread> callers;
        for (int t = 0; t < 6; ++t) {
            callers.emplace_back([&, t] {
                for (int i = 0; i < 300; ++i) {
                    std::stop_source stop;
                    std::jthread stopper{[&] { stop.request_stop(); }};
                    if (const auto turn = turns.wait({std::to_string(t % 3)}, stop.get_token())) {
                        const int now = ++inside;
                        int known = most;
                        while (now > known && !most.compare_exchange_weak(known, now)) {
                        }
                        --inside;
                    }
                }
            });
        }
    }
    EXPECT_LE(most, 2);
    EXPECT_EQ(turns.running(JobKind::Long), 0);
    const auto a = turns.wait({"a"}, {}), b = turns.wait({"b"}, {});
    EXPECT_TRUE(a && b);
}

// ---- waiting without a thread

template <class F>
void spawn(boost::asio::io_context& io, Turns& turns, Asker asker, std::stop_token stop, F body,
           std::function<void(std::exception_ptr, int)> done) {
    boost::asio::co_spawn(io, in_turn(turns, std::move(asker), std::move(stop), std::move(body)),
                          [done](std::exception_ptr error, int value) { done(error, value); });
}

TEST(InTurn, hundreds_wait_without_a_thread_each_and_all_get_their_turn) {
    env::ManualClock clock;
    Turns turns{{.work = 2}, clock};
    boost::asio::io_context io;
    std::atomic<int> most = 0, inside = 0, held = 0;
    int sum = 0;
    for (int i = 1; i <= 500; ++i) {
        spawn(
            io, turns, {std::to_string(i % 5)}, {},
            [&, i] {
                const int now = ++inside;
                if (now > most) most = now;
                if (HeldTurn::of_this_thread(turns) == JobKind::Long) ++held;
                --inside;
                return i;
            },
            [&](std::exception_ptr error, int value) { sum += error ? 0 : value; });
    }

    io.run();

    EXPECT_EQ(sum, 500 * 501 / 2);
    EXPECT_LE(most, 2);
    EXPECT_EQ(held, 500);
    EXPECT_EQ(turns.running(JobKind::Long), 0);
}

TEST(InTurn, what_the_work_throws_arrives_and_a_stop_ends_the_wait) {
    env::ManualClock clock;
    Turns turns{{.work = 1}, clock};
    boost::asio::io_context io;
    auto mine = turns.wait({"me"}, {});
    std::stop_source stop;
    std::string heard;
    const auto message_of = [](std::exception_ptr error) {
        try {
            std::rethrow_exception(error);
        } catch (const std::exception& thrown) {
            return std::string{thrown.what()};
        }
    };
    spawn(
        io, turns, {"a"}, stop.get_token(), [] { return 1; },
        [&](std::exception_ptr error, int) {
            heard = message_of(error);
            mine.reset();
        });
    std::string thrown;
    spawn(
        io, turns, {"b"}, {}, []() -> int { throw std::runtime_error("no paper"); },
        [&](std::exception_ptr error, int) { thrown = message_of(error); });
    boost::asio::post(io, [&] { stop.request_stop(); });

    io.run();

    EXPECT_EQ(heard, "stopped while waiting for the media helper");
    EXPECT_EQ(thrown, "no paper");
}

TEST(InTurn, an_io_context_that_ends_waits_for_work_that_has_begun) {
    env::ManualClock clock;
    Turns turns{{.work = 1}, clock};
    std::atomic<bool> begun = false, ended = false, go = false;
    std::jthread starter;
    {
        boost::asio::io_context io;
        spawn(
            io, turns, {"a"}, {},
            [&] {
                begun = true;
                begun.notify_all();
                go.wait(false);
                ended = true;
                return 1;
            },
            [](std::exception_ptr, int) {});
        io.run_one();
        begun.wait(false);
        starter = std::jthread{[&] {
            go = true;
            go.notify_all();
        }};
    }
    EXPECT_TRUE(ended);
    EXPECT_EQ(turns.running(JobKind::Long), 0);
}

}  // namespace
}  // namespace belay::isolate
