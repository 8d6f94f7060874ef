// outbox.hpp — which runs have ended and are still to be told of.
//
// A row is written in the very transaction of a run's end, and marked when the collector has taken its spans: what ended
// before a crash is sent after it, and nothing that was taken is sent again, but for what the collector took in the moment
// before the mark. Where several processes export from one store, each takes rows for a while.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <belay/belay.hpp>
#include <belay/detail/riding_port.hpp>

#include "core/store/store.hpp"

namespace belay::traces {

inline constexpr std::string_view kOutboxOwner = "traces";
std::vector<std::string> outbox_migrations();

// For Core::on_run_end.
void note_end(Tx& tx, const RunInfo& run);

struct Ended {
    std::string run_id{};
    std::int64_t turn = 0;             // 1 for its first end, 2 for the one after a retry, …
    bool has_ended_again = false;      // then that end tells all of it
    std::optional<Time> told_until{};  // the end of it that was told of before

    // What becomes of the row: one of a run that can be opened again stays, to say what was told.
    enum class Fate { Told, ToldAndOver, Passed } fate = Fate::Passed;
};

class Outbox {
public:
    // `engine` outlives it. `name` is this process's among those that export; `alone`: there is no other.
    Outbox(belay::detail::EnginePort& engine, std::string name, bool alone)
        : engine_(engine), name_(std::move(name)), alone_(alone) {}

    // The oldest that nobody else has, taken until `until`.
    std::vector<Ended> take(int limit, Time now, Time until);
    // The collector has them, or will never have them; or they were passed over, because the run has gone on.
    void done(const std::vector<Ended>& ended, Time now);

    // How many wait, and since when the oldest has.
    struct Waiting {
        std::int64_t runs = 0;
        std::optional<Time> oldest{};
    };
    Waiting waiting();
    // Lets the oldest go until at most that many wait; gives how many went.
    std::int64_t trim(std::int64_t most);
    // Forgets ends that were told before `before`: a run that is opened again later is told of whole.
    void forget(Time before);

private:
    belay::detail::EnginePort& engine_;
    const std::string name_;
    const bool alone_;
};

// As Outbox::waiting, for who looks at the store alone; nothing where nobody has exported yet.
std::optional<Outbox::Waiting> waiting_in(store::Store& store);

}  // namespace belay::traces
