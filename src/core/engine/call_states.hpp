// call_states.hpp — what may follow what for a call of a run in memory, as a table.
//
// One call is in one state (include/belay/detail/call.hpp says what each means), it is the Loop lane's, and
// Resident::enter() is the only one to change it. Whoever comes back to a call later (a commit, a timer, another run's
// answer) looks whether it is still in the state that it was left in.
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

#include <belay/detail/call.hpp>

namespace belay::engine {

using belay::detail::CallState;

struct CallTransition {
    CallState from;
    CallState to;
    std::string_view why;
};

inline constexpr std::array kCallTransitions{
    CallTransition{CallState::Idle, CallState::InLine, "another run works out its answer"},
    CallTransition{CallState::Idle, CallState::Announcing,
                   "its run has died before: the step is named on disk before it begins"},
    CallTransition{CallState::Idle, CallState::UnderWay, "an attempt is launched"},
    CallTransition{CallState::Idle, CallState::Recording,
                   "a fan was decided, or a child cannot be started at all"},
    CallTransition{CallState::Idle, CallState::Asking, "it waits for a message or a child"},
    CallTransition{CallState::Idle, CallState::Paused,
                   "a sleep, or a wait that the history knows already"},
    CallTransition{CallState::InLine, CallState::Idle,
                   "its turn has come, or its fan was decided without it"},
    CallTransition{CallState::Announcing, CallState::Idle,
                   "it is named, or its fan was decided without it"},
    CallTransition{CallState::UnderWay, CallState::Idle,
                   "it is recorded, its run stops, or it was left behind"},
    CallTransition{CallState::UnderWay, CallState::Recording, "its last attempt has failed"},
    CallTransition{CallState::UnderWay, CallState::Paused, "its next attempt has its time"},
    CallTransition{CallState::UnderWay, CallState::Losing, "its fan was decided without it"},
    CallTransition{CallState::Recording, CallState::Idle, "its end is recorded"},
    CallTransition{CallState::Recording, CallState::Losing, "its fan was decided without it"},
    CallTransition{CallState::Asking, CallState::AskingAgain, "something has come meanwhile"},
    CallTransition{CallState::Asking, CallState::Paused, "nothing has come yet"},
    CallTransition{CallState::Asking, CallState::Idle, "it has come"},
    CallTransition{CallState::Asking, CallState::Losing, "its fan was decided without it"},
    CallTransition{CallState::AskingAgain, CallState::Paused, "nothing had come yet"},
    CallTransition{CallState::AskingAgain, CallState::Idle, "it has come"},
    CallTransition{CallState::AskingAgain, CallState::Losing, "its fan was decided without it"},
    CallTransition{CallState::Paused, CallState::Idle,
                   "its time has come, or something has, or its fan was decided without it"},
    CallTransition{CallState::Losing, CallState::Losing, "an outer fan was decided as well"},
    CallTransition{CallState::Losing, CallState::Idle, "it has ended after all"},
};

constexpr bool may_follow(CallState from, CallState to) {
    return std::any_of(
        kCallTransitions.begin(), kCallTransitions.end(),
        [&](const CallTransition& each) { return each.from == from && each.to == to; });
}

}  // namespace belay::engine
