// run_states.hpp — what runs do now: their status, and of one that runs, whether anybody works on it.
//
//   slot      every open step waits for a thread
//   helper    its step has begun, and waits in a line beside the engine's (WaitTeller in service/app/bundle.hpp)
//   retrying  every open step waits for its next attempt
//   running   code of it is executing
//
// Waiting is not work: lists, filters and counts tell these apart in the same way.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/run.hpp"
#include "core/store/store.hpp"

namespace belay::api {

inline constexpr std::array<std::string_view, 10> kRunStates{
    "queued",  "slot",   "helper",    "running", "retrying",
    "waiting", "paused", "succeeded", "failed",  "canceled"};

// The ids of the organization's runs of which everything under way waits outside; null: nothing ever does.
using WaitingOutside = std::function<std::set<std::string>(const std::string& organization)>;

// By the run's number; of those that run only. Empty where runs are not kept in SQL: they are taken for working.
using StatesOfRunning = std::map<std::int64_t, std::string>;

StatesOfRunning states_of_running(store::Store& store, const WaitingOutside& outside,
                                  const std::string& organization,
                                  const std::vector<model::Run>& among);
// Of all that the organization has running.
StatesOfRunning states_of_running(store::Store& store, const WaitingOutside& outside,
                                  const std::string& organization);

std::string state_of(const model::Run& run, const StatesOfRunning& running);

// How many runs the organization has in each of kRunStates.
std::map<std::string, std::int64_t> count_states(store::Store& store, const WaitingOutside& outside,
                                                 const std::string& organization);

// Those that run and are in that state, as list_runs understands the filter. A page may have fewer than its limit and a next
// one all the same: so many rows are looked through at most.
store::RunPage list_in_state(store::Store& store, store::RunFilter filter, std::string_view state,
                             const StatesOfRunning& running);

}  // namespace belay::api
