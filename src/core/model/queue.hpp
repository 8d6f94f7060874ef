// queue.hpp — a queue as it is stored, how many of its runs may go now, and how a run stands in it.
//
// All of it is values and pure functions, the same for every store. A store counts what is running and
// which starts it remembers, in the transaction of the claim, and asks `room_in` how many more may go:
// that is what makes limits exact (rule 9).
//
// Turns. A run that comes into line gets the turn after the later of two: the last one that was served in
// its lane (its queue and priority), and the last one that its own partition has in line there. The
// smallest turn goes first, then the smaller number. So partitions take turns, whatever each has in line:
// with 10,000 runs of one, the first run of another goes after at most one of them; and a stream of new
// partitions cannot keep back one that is here, because they come in behind its next turn.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <belay/queue.hpp>
#include <belay/time.hpp>

namespace belay::model {

struct Queue {
    std::string name{};
    QueueLimits limits{};
    bool paused = false;
    std::string pause_reason{};
    std::string
        declared{};  // what the code said of it last (declaration_of); empty if it never did
    Time created_at{};
    Time updated_at{};
};

// 1 to 100 letters, digits, '.', '-', '_': what queues and schedules are called.
bool is_plain_name(std::string_view name);

// Throws Error{InvalidArgument} naming what cannot be used and what is allowed.
void check_queue(const std::string& name, const QueueLimits& limits);

// Limits as one text, equal if and only if they are.
std::string declaration_of(const QueueLimits& limits);

// "8 at once, 2 per worker, 100 per 1m", "no limits".
std::string limits_text(const QueueLimits& limits);

// The turn of a run that comes into line without having begun.
std::int64_t next_turn(std::int64_t last_served_in_lane, std::int64_t last_of_partition);

// Under which time a start at `now` is remembered: its token comes back one period after that.
Time counted_at(const RateLimit& rate, Time now);

// What a store counts in the transaction of a claim.
struct QueueLoad {
    std::int64_t running = 0;
    std::int64_t running_here = 0;       // in the worker that claims
    std::int64_t starts = 0;             // remembered ones later than now - period
    std::optional<Time> oldest_start{};  // the first of those
};

enum class HeldUpBy {
    Nothing,      // a slot is free
    Paused,       // the queue is
    Concurrency,  // as many run as may
    PerWorker,    // as many run here as may
    Rate,         // as many have begun in this period as may
};

struct QueueRoom {
    std::int64_t begun = 0;                   // so many that have begun may go on
    std::int64_t fresh = 0;                   // of which so many that have not
    HeldUpBy held_up_by = HeldUpBy::Nothing;  // why the next fresh one could not go
    std::optional<Time> next_token{};         // Rate: when
};

QueueRoom room_in(const Queue& queue, const QueueLoad& load, Time now);

// A run in line.
struct QueuePlace {
    Queue queue{};
    std::int64_t ahead = 0;  // in line before it
    std::int64_t running = 0;
    HeldUpBy held_up_by = HeldUpBy::Nothing;  // the first in line
    std::optional<Time> next_token{};
    bool has_begun = false;
};

// "It waits in queue `uploads` at position 3: 8 of 8 slots are taken." and what to do about it, if a
// person has to. No end of the sentence before it: it follows "Queued since …; ".
struct QueueSentence {
    std::string text{};
    std::string to_do{};
};
QueueSentence sentence_of(const QueuePlace& place, Time now);

}  // namespace belay::model
