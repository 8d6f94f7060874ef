// schedules.hpp — schedules, and ticks that become runs, for every store that speaks SQL.
//
// A tick's run and the note that it was dealt with are one commit, and the row's version is looked at in it:
// of two that found the same tick the second finds another version.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/base/limits.hpp"
#include "core/store/child_end.hpp"
#include "core/store/sql/queue_reads.hpp"
#include "core/store/sql/queue_rows.hpp"
#include "core/store/sql/writer.hpp"
#include "core/store/tick.hpp"

namespace belay::store {

template <class Db>
class SqlWriter<Db>::Port final : public TickPort {
public:
    explicit Port(SqlWriter& writer) : writer_(writer) {}

    bool has_unfinished(const std::string& schedule) override {
        return !writer_.unfinished_of(schedule).empty();
    }
    void cancel_unfinished(const std::string& schedule) override {
        writer_.cancel_unfinished_of(schedule);
    }
    SubmitOutcome start(const model::NewRun& run) override {
        return writer_.submit(run, "", false);
    }

private:
    SqlWriter& writer_;
};

template <class Db>
std::optional<model::StoredSchedule> SqlWriter<Db>::find_schedule(const std::string& name) {
    Statement find{self().db(), Db::schedule_by_name()};
    Rows row{find, name};
    return row.next() ? std::optional(schedule_in(*row)) : std::nullopt;
}

template <class Db>
void SqlWriter<Db>::put_schedule(const model::StoredSchedule& row) {
    Statement put{self().db(), Db::put_schedule};
    put_schedule_in(put, row);
    put.step_to_end();
}

template <class Db>
void SqlWriter<Db>::apply(ChangeSchedule& verb) {
    flush();
    tell_schedules();
    verb.outcome = ChangeResult::Done;
    verb.why.clear();
    verb.stands.reset();
    const std::string& name = verb.schedule.name;
    const auto refuse = [&](std::string why) {
        verb.outcome = ChangeResult::Refused;
        verb.why = std::move(why);
    };
    const auto row = find_schedule(name);
    const bool makes = verb.kind == ChangeKind::Declare || verb.kind == ChangeKind::Set;
    if (!row && !makes) {
        verb.outcome = ChangeResult::NotFound;
        return;
    }
    if (!row) {
        Statement count{self().db(), "SELECT count(*) FROM workflow_schedules"};
        Rows schedules{count};
        schedules.next();
        if (schedules->integer(0) >= static_cast<std::int64_t>(base::kSchedulesMax)) {
            return refuse(
                fmt::format("there are {} schedules, which is the most", schedules->integer(0)));
        }
    }
    if (makes && !verb.schedule.queue.empty() && !find_queue(verb.schedule.queue)) {
        return refuse(unknown_queue(verb.schedule.queue));
    }
    if (verb.kind == ChangeKind::Remove) {
        Statement{self().db(), Db::remove_schedule}.run(name);
        return;
    }
    const auto schedule = changed(verb, row, now_);
    if (schedule) put_schedule(*schedule);
    verb.stands = schedule ? schedule : row;
}

template <class Db>
void SqlWriter<Db>::apply(ReadSchedules& verb) {
    flush();
    verb.outcome = all_schedules<Db>(self().db());
}

template <class Db>
void SqlWriter<Db>::apply(Tick& verb) {
    flush();
    verb.done = false;
    verb.started.clear();
    auto row = find_schedule(verb.schedule);
    if (!row || row->version != verb.version) return;
    Port port{*this};
    if (fire(verb, *row, port, now_)) put_schedule(*row);
}

template <class Db>
std::vector<RunNo> SqlWriter<Db>::unfinished_of(const std::string& schedule) {
    std::vector<RunNo> runs;
    Statement list{self().db(), Db::list_scheduled};
    Rows rows{list, schedule};
    while (rows.next()) runs.push_back(RunNo{rows->integer(0)});
    return runs;
}

template <class Db>
void SqlWriter<Db>::cancel_unfinished_of(const std::string& schedule) {
    for (const RunNo run : unfinished_of(schedule)) {
        Statement request{self().db(), Db::cancel_scheduled};
        std::int64_t signals = 0;
        {
            Rows told{request, run.value, now_};
            if (told.next()) {
                signals = told->integer(0);
                tell_holder(run, *told, 1);
            }
        }
        note_canceled({run, signals});
        cancel_children(run, "");
    }
}

}  // namespace belay::store
