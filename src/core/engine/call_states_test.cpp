#include "core/engine/call_states.hpp"

#include <set>

#include <gtest/gtest.h>

#include <belay/belay.hpp>

namespace belay::engine {
namespace {

std::array<CallState, belay::detail::kCallStates> all_states() {
    std::array<CallState, belay::detail::kCallStates> states{};
    for (std::size_t i = 0; i < states.size(); ++i) states[i] = static_cast<CallState>(i);
    return states;
}

TEST(CallStates, every_state_can_be_come_to_and_left_again) {
    std::set<CallState> reached{CallState::Idle};
    for (std::size_t round = 0; round < kCallTransitions.size(); ++round) {
        for (const CallTransition& each : kCallTransitions) {
            if (reached.contains(each.from)) reached.insert(each.to);
        }
    }

    for (const CallState state : all_states()) {
        EXPECT_TRUE(reached.contains(state)) << static_cast<int>(state);
        EXPECT_TRUE(state == CallState::Idle || may_follow(state, CallState::Idle))
            << static_cast<int>(state);
    }
}

TEST(CallStates, each_transition_stands_in_the_table_once_with_its_reason) {
    std::set<std::pair<CallState, CallState>> seen;
    for (const CallTransition& each : kCallTransitions) {
        EXPECT_TRUE(seen.emplace(each.from, each.to).second) << each.why;
        EXPECT_FALSE(each.why.empty());
    }
}

TEST(CallStates, who_waits_can_be_given_up_at_once_and_is_never_a_loser) {
    for (const CallState waits : {CallState::InLine, CallState::Announcing, CallState::Paused}) {
        EXPECT_FALSE(may_follow(waits, CallState::Losing));
    }
}

// What a run in memory costs is mostly its calls: what is no step does not carry a step's parts.
TEST(CallStates, a_sleep_and_a_receive_are_smaller_than_a_step) {
    EXPECT_LE(sizeof(belay::detail::SleepCall), 256U);
    EXPECT_LE(sizeof(belay::detail::ReceiveCall<int>), 304U);
    EXPECT_GE(sizeof(belay::detail::StepCall<int>), sizeof(belay::detail::SleepCall) + 150);
}

}  // namespace
}  // namespace belay::engine
