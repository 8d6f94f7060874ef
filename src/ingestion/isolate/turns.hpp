// turns.hpp — who may have a process of the helper next: organizations in turn, and short jobs past long ones.
//
//   Long   OCR, a PDF's text: minutes of a busy day. As many at once as there are places.
//   Short  a photo, a web page: seconds at most. In any free place, and in one that no long job gets.
//   Look   a picture of a page that somebody is waiting to see. In a place of its own, in nobody's way.
//
// A free place goes to the organization that has the fewest of them, among those to the one that was served
// longest ago, and there to what it asked for first. So an organization with ten thousand jobs waits behind its
// own, and another's first job behind at most one turn of each.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <belay/detail/executing.hpp>

#include "core/env/clock.hpp"

namespace belay::isolate {

enum class JobKind { Long, Short, Look };
inline constexpr std::array kAllJobKinds{JobKind::Long, JobKind::Short, JobKind::Look};
std::string_view to_string(JobKind kind);

// The most processor time that a job of this kind is given, whatever it asks for: what makes short short.
std::chrono::seconds cpu_time_max(JobKind kind);

struct Asker {
    std::string organization{};
    JobKind kind = JobKind::Long;
    std::string run{}, stage{};  // for those who look what waits; empty: of no run
    std::shared_ptr<const belay::detail::Execution> whose{};  // code it is that runs in the turn
};

struct TurnPlaces {
    int work = 1;            // long jobs at once
    int kept_for_short = 1;  // beside them
    int looks = 1;           // pictures for people, beside both
};

// Every function may be called from any thread.
class Turns {
public:
    // `clock` says since when somebody waits, nothing else; it outlives this.
    Turns(TurnPlaces places, const env::Clock& clock) : places_(places), clock_(clock) {}
    ~Turns();  // nobody may wait or hold a turn
    Turns(const Turns&) = delete;
    Turns& operator=(const Turns&) = delete;

    // A place, until destroyed.
    class Turn {
    public:
        Turn(Turn&& other) noexcept
            : of_(std::exchange(other.of_, nullptr)), number_(other.number_) {}
        Turn& operator=(Turn&&) = delete;
        ~Turn() {
            if (of_) of_->give_back(number_);
        }

    private:
        friend class Turns;
        friend class HeldTurn;
        Turn(Turns& of, std::uint64_t number) : of_(&of), number_(number) {}
        Turns* of_;
        std::uint64_t number_;
    };

    // Told once: a turn, or none because a stop was requested first. Called at once or later, on the thread that
    // made the place free or requested the stop: must be short, and must not throw.
    using Told = std::function<void(std::optional<Turn>)>;
    void ask(Asker asker, const std::stop_token& stop, Told told);

    // The same for a thread that has nothing else to do.
    std::optional<Turn> wait(Asker asker, const std::stop_token& stop);

    struct Entry {
        Asker asker{};
        Time since{};  // it waits, or has its turn
        bool waits = true;
    };
    // What has a turn, then what waits, each in the order in which it began to.
    std::vector<Entry> entries() const;
    int running(JobKind kind) const;
    int waiting(JobKind kind) const;

private:
    struct Waiter;
    using WaiterPtr = std::shared_ptr<Waiter>;
    struct Lane {
        int running = 0;
        std::uint64_t served = 0;  // when it last got a place, as a count of turns
    };
    struct Organization {
        std::array<std::deque<WaiterPtr>, kAllJobKinds.size()> queued{};
        Lane work{}, looks{};
        bool is_idle() const;
    };
    struct Running {
        Asker asker{};
        Time since{};
    };

    void give_back(std::uint64_t number);
    void withdraw(const WaiterPtr& waiter);
    std::vector<std::pair<WaiterPtr, std::uint64_t>> admit();      // under mutex_
    WaiterPtr take_next(bool look);                                // under mutex_
    std::deque<WaiterPtr>* first_of(Organization& of, bool look);  // under mutex_
    bool fits(JobKind kind) const;                                 // under mutex_
    void forget_idle();                                            // under mutex_
    void tell(std::vector<std::pair<WaiterPtr, std::uint64_t>> admitted);

    const TurnPlaces places_;
    const env::Clock& clock_;
    mutable std::mutex mutex_;
    std::map<std::string, Organization, std::less<>> organizations_;
    std::map<std::uint64_t, Running> running_;  // by the turn's number
    std::array<int, kAllJobKinds.size()> running_of_{};
    std::uint64_t asked_ = 0;  // to tell what was asked for first
    std::uint64_t turns_ = 0;
};

// While it lives, jobs that its thread gives to the pool run in this turn.
class HeldTurn {
public:
    HeldTurn(Turns::Turn turn, JobKind kind);
    ~HeldTurn();
    HeldTurn(const HeldTurn&) = delete;
    HeldTurn& operator=(const HeldTurn&) = delete;

    // What kind of turn at `turns` this thread has; none.
    static std::optional<JobKind> of_this_thread(const Turns& turns);

private:
    Turns::Turn turn_;
    const JobKind kind_;
    const HeldTurn* outer_;
};

}  // namespace belay::isolate
