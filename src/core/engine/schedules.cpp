#include "core/engine/schedules.hpp"

#include <set>

#include <fmt/format.h>

#include <belay/error.hpp>

#include "core/base/failpoint.hpp"
#include "core/base/text.hpp"
#include "core/engine/bodies.hpp"
#include "core/engine/outside.hpp"
#include "core/engine/writer.hpp"

namespace belay::engine {

namespace {

// A buffered tick goes when the run before it ends. Where that ends in another worker, which then dies
// before it looks, this is the net beneath.
constexpr Duration kLookAtBufferEvery{60'000};

// A command that does one thing on a server's database is over by then, and need not know all that the server does.
constexpr Duration kTellForeignAfter{60'000};

}  // namespace

void Schedules::start() {
    started_ = true;
    read();
}

void Schedules::read() {
    if (!started_) return;
    if (reading_) {
        again_ = true;
        return;
    }
    reading_ = true;
    again_ = false;
    services_.writer.push(store::ReadSchedules{}, [this](store::Verb& verb) {
        reading_ = false;
        have_read(std::get<store::ReadSchedules>(verb).outcome);
        if (again_) read();
    });
}

void Schedules::have_read(const std::vector<model::StoredSchedule>& rows) {
    if (!started_) return;
    std::set<std::string> there;
    for (const model::StoredSchedule& row : rows) {
        there.insert(row.schedule.name);
        const bool is_new = !entries_.contains(row.schedule.name);
        Entry& entry = entries_[row.schedule.name];
        if (is_new || entry.row.version != row.version) take(entry, row);
        look(entry);
    }
    for (auto at = entries_.begin(); at != entries_.end();) {
        if (there.contains(at->first)) {
            ++at;
            continue;
        }
        arm(at->second, std::nullopt);
        at = entries_.erase(at);
    }
}

void Schedules::take(Entry& entry, const model::StoredSchedule& row) {
    const bool same = entry.table && entry.row.schedule == row.schedule;
    entry.row = row;
    entry.look_at_buffer = row.buffered.has_value();
    if (same) return;
    entry.table.reset();
    if (!workflows_.contains(row.schedule.workflow_key)) {
        const bool is_told = entry.told_foreign == row.schedule.workflow_key;
        if (!is_told && !entry.tell_foreign_at)
            entry.tell_foreign_at = services_.now() + kTellForeignAfter;
        return;
    }
    entry.tell_foreign_at.reset();
    try {
        if (!is_declared(row)) {
            admit_from_outside(workflows_, row.schedule.workflow_key, row.schedule.organization_id,
                               row.schedule.input);
        }
        entry.table.emplace(row.schedule, zones_.find(row.schedule.zone));
    } catch (const Error& error) {
        services_.log(LogLevel::Failure, "schedule_refused",
                      fmt::format("the schedule `{}` does not fire here: {}", row.schedule.name,
                                  error.what()));
    }
}

void Schedules::look(Entry& entry) {
    if (!started_ || entry.ticking) return;
    if (!entry.table) return look_at_foreign(entry);
    const model::DueTicks due =
        model::due_ticks(*entry.table, entry.row.handled_until, services_.now());
    const bool has_moved = due.handled_until != entry.row.handled_until;
    const bool may_go = entry.look_at_buffer && entry.row.buffered;
    if (!due.fire.empty() || has_moved || may_go) return tick(entry, due);
    std::optional<Time> next = due.wake_at;
    if (entry.row.buffered) {
        const Time net = services_.now() + kLookAtBufferEvery;
        next = next ? std::min(*next, net) : net;
    }
    arm(entry, next);
}

void Schedules::look_at_foreign(Entry& entry) {
    if (entry.tell_foreign_at && *entry.tell_foreign_at <= services_.now()) {
        const model::Schedule& schedule = entry.row.schedule;
        services_.log(
            LogLevel::Warning, "schedule_refused",
            fmt::format(
                "the schedule `{}` is of workflow {}, which this program does not define: its "
                "ticks "
                "wait for one that does. Start that, or remove the schedule: belay schedules "
                "remove {}",
                schedule.name, schedule.workflow_key, schedule.name));
        entry.told_foreign = schedule.workflow_key;
        entry.tell_foreign_at.reset();
    }
    arm(entry, entry.tell_foreign_at);
}

void Schedules::tick(Entry& entry, const model::DueTicks& due) {
    entry.ticking = true;
    entry.look_at_buffer = false;
    arm(entry, std::nullopt);
    store::Tick tick;
    tick.schedule = entry.row.schedule.name;
    tick.version = entry.row.version;
    tick.ticks = due.fire;
    tick.handled_until = due.handled_until;
    tick.lost = due.lost;
    tick.code_version = services_.options.code_version;
    base::failpoint("tick.before");
    services_.writer.push(std::move(tick),
                          [this](store::Verb& verb) { ticked(std::get<store::Tick>(verb)); });
}

void Schedules::ticked(const store::Tick& tick) {
    base::failpoint("tick.after");
    if (tick.lost > 0 && tick.done) {
        services_.log(LogLevel::Warning, "schedule_ticks_lost",
                      fmt::format("the schedule `{}` let {} tick{} go that nobody was there for",
                                  tick.schedule, tick.lost, tick.lost == 1 ? "" : "s"));
    }
    for (const store::SubmitOutcome& started : tick.started) {
        if (started.kind == store::SubmitKind::Mismatch) {
            services_.log(
                LogLevel::Failure, "schedule_refused",
                fmt::format(
                    "a tick of the schedule `{}` has no run: the id `{}` belongs to another",
                    tick.schedule, started.run.id));
        }
    }
    // The runs are due: the end of this batch claims them.
    if (!tick.started.empty()) services_.bodies.has_submitted();
    const auto found = entries_.find(tick.schedule);
    if (found == entries_.end()) return;
    Entry& entry = found->second;
    entry.ticking = false;
    // Another worker was first, or someone changed it.
    if (!tick.done) return read();
    const bool look_at_buffer = entry.look_at_buffer;
    take(entry, tick.stands);
    entry.look_at_buffer = look_at_buffer;
    look(entry);
}

void Schedules::arm(Entry& entry, std::optional<Time> at) {
    if (entry.timer) timers_.cancel(*entry.timer);
    entry.timer.reset();
    if (!at) return;
    entry.timer = timers_.at(*at, [this, name = entry.row.schedule.name] {
        const auto found = entries_.find(name);
        if (found == entries_.end()) return;
        found->second.timer.reset();
        found->second.look_at_buffer = true;
        look(found->second);
    });
}

void Schedules::run_ended(const std::string& id) {
    if (!started_ || !id.starts_with("sched_")) return;
    for (auto& [name, entry] : entries_) {
        if (!entry.row.buffered && !entry.ticking) continue;
        if (id.compare(6, name.size(), name) != 0) continue;
        entry.look_at_buffer = true;
        look(entry);
    }
}

}  // namespace belay::engine
