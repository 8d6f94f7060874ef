// runs_control.hpp — `belay runs cancel|pause|resume|retry ID`. A cancel with --no-undo leaves what the run did.
//
// The process that executes on the store is asked, and answers; if there is none, the change is made here,
// with its lock held. Either way it is durable before anything is printed.
#pragma once

#include <functional>
#include <string>

#include "core/store/store.hpp"

namespace belay::cli {

struct Change {
    store::ControlKind kind = store::ControlKind::Cancel;
    std::string run_id{};
    std::string reason{};
};

// What came of it.
struct Changed {
    enum class How { Done, Requested, Refused, NoAnswer };
    How how = How::Done;
    RunStatus status = RunStatus::Queued;  // of the run, now
    std::string why{};                     // Refused: a sentence
};

std::string_view word_of(store::ControlKind kind);  // for people: "cancel", …
std::string_view request_of(
    store::ControlKind kind);  // as another process is asked: "cancel", "leave", …

// On a store that executes.
Changed change_here(store::Store& store, const Change& change, Time now);

// On a store that does not: asks, and waits for the answer and for the run to have stopped, `nap` at a
// time, for about `at_most`.
Changed ask_for_change(store::Store& store, const Change& change, Time now, Duration at_most,
                       const std::function<void(Duration)>& nap);

// The sentence about it. `executed` says whether there was a process to ask.
std::string sentence_about(const Change& change, const Changed& changed, bool executed);

}  // namespace belay::cli
