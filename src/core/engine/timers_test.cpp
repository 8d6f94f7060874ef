#include "core/engine/timers.hpp"

#include <chrono>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "core/env/clock.hpp"
#include "core/env/random.hpp"

namespace belay::engine {
namespace {

using namespace std::chrono_literals;

// Holds alarms and nothing else; time goes on by hand.
class Alarms final : public env::Executor {
public:
    explicit Alarms(env::ManualClock& clock) : clock_(clock) {}

    void post_at(Time when, env::Lane, env::Job job) override {
        held_.emplace(when, std::move(job));
    }
    std::size_t held() const { return held_.size(); }
    void run_until(Time until) {
        while (!held_.empty() && held_.begin()->first <= until) {
            auto next = held_.extract(held_.begin());
            if (clock_.now() < next.key()) clock_.advance(next.key() - clock_.now());
            next.mapped()();
        }
        if (clock_.now() < until) clock_.advance(until - clock_.now());
    }

    void post(env::Lane, env::Job) override { not_asked(); }
    void post_all(env::Lane, std::vector<env::Job>) override { not_asked(); }
    boost::asio::io_context& io() override { not_asked(); }
    bool threaded() const override { return false; }
    bool run_one() override { return false; }
    void stop() override {}
    env::PoolStats pool() const override { return {}; }
    void lend_pool_threads(int) override {}

private:
    [[noreturn]] static void not_asked() { throw std::logic_error("timers only set alarms"); }

    env::ManualClock& clock_;
    std::multimap<Time, env::Job> held_;
};

struct TimersTest : testing::Test {
    env::ManualClock clock;
    env::SeededRandom random{1};
    Alarms alarms{clock};
    Environment world{clock, random, alarms};
    Timers timers{world};
    std::vector<std::string> fired;

    Timers::Key set(Duration in, std::string name) {
        return timers.at(clock.now() + in, [this, name] { fired.push_back(name); });
    }
    void pass(Duration time) { alarms.run_until(clock.now() + time); }
};

TEST_F(TimersTest, timers_fire_in_the_order_of_their_times) {
    set(30ms, "late");
    set(10ms, "early");
    set(20ms, "middle");

    pass(25ms);
    EXPECT_EQ(fired, (std::vector<std::string>{"early", "middle"}));

    pass(10ms);
    EXPECT_EQ(fired, (std::vector<std::string>{"early", "middle", "late"}));
}

TEST_F(TimersTest, a_timer_that_was_taken_back_does_not_fire) {
    const auto key = set(10ms, "taken back");
    set(20ms, "kept");

    timers.cancel(key);
    pass(30ms);

    EXPECT_EQ(fired, std::vector<std::string>{"kept"});
}

TEST_F(TimersTest, short_timers_beside_a_far_one_leave_no_alarms_behind) {
    set(24h, "far");

    for (int i = 0; i < 1000; ++i) {
        set(5ms, "short");
        pass(10ms);
    }

    EXPECT_EQ(fired.size(), 1000u);
    EXPECT_EQ(alarms.held(), 1u);
}

TEST_F(TimersTest, the_far_one_still_fires_after_them) {
    set(1h, "far");
    set(5ms, "short");

    pass(2h);

    EXPECT_EQ(fired, (std::vector<std::string>{"short", "far"}));
    EXPECT_EQ(alarms.held(), 0u);
}

TEST_F(TimersTest, a_timer_that_a_timer_sets_for_an_earlier_time_than_the_next_is_in_time) {
    set(1h, "far");
    timers.at(clock.now() + 5ms, [this] { set(5ms, "second"); });

    pass(10ms);

    EXPECT_EQ(fired, std::vector<std::string>{"second"});
}

}  // namespace
}  // namespace belay::engine
