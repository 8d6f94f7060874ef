// writer_schedule.cpp — schedules, and ticks that become runs.
//
// A tick's run and the note that it was dealt with are one commit, and the row's version is looked at in it:
// of two that found the same tick the second finds another version.
#include <fmt/format.h>

#include "base/limits.hpp"
#include "store/child_end.hpp"
#include "store/postgres/writer.hpp"
#include "store/tick.hpp"

namespace belay::store::postgres {

namespace {

// Lent to fire() for one verb.
template <class HasUnfinished, class Cancel, class Start>
class Port final : public TickPort {
public:
    Port(HasUnfinished has_unfinished, Cancel cancel, Start start)
        : has_unfinished_(std::move(has_unfinished)), cancel_(std::move(cancel)),
          start_(std::move(start)) {}

    bool has_unfinished(const std::string& schedule) override { return has_unfinished_(schedule); }
    void cancel_unfinished(const std::string& schedule) override { cancel_(schedule); }
    SubmitOutcome start(const model::NewRun& run) override { return start_(run); }

private:
    HasUnfinished has_unfinished_;
    Cancel cancel_;
    Start start_;
};

}  // namespace

std::optional<model::StoredSchedule> Writer::find_schedule(const std::string& name) {
    Statement find{connection_, select_schedules("WHERE name = $1 FOR UPDATE")};
    Rows row{find, name};
    return row.next() ? std::optional(read_schedule(row)) : std::nullopt;
}

void Writer::put_schedule(const model::StoredSchedule& row) {
    Statement put{connection_, sql::put_schedule};
    bind_schedule(put, row);
    put.step_to_end();
}

void Writer::apply(ChangeSchedule& verb) {
    flush();
    news_.requests = true;  // others read the schedules again
    verb.outcome = ChangeResult::Done;
    verb.why.clear();
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
        const auto count = connection_.run("SELECT count(*) FROM workflow_schedules").integer(0, 0);
        if (count >= static_cast<std::int64_t>(base::kSchedulesMax)) {
            return refuse(fmt::format("there are {} schedules, which is the most", count));
        }
    }
    if (makes && !verb.schedule.queue.empty() && !find_queue(verb.schedule.queue)) {
        return refuse(unknown_queue(verb.schedule.queue));
    }
    if (verb.kind == ChangeKind::Remove) {
        Statement{connection_, sql::remove_schedule}.run(name);
        return;
    }
    if (const auto schedule = changed(verb, row, now_)) put_schedule(*schedule);
}

void Writer::apply(ReadSchedules& verb) {
    flush();
    verb.outcome.clear();
    Rows all{connection_.run(select_schedules("ORDER BY name"))};
    while (all.next()) verb.outcome.push_back(read_schedule(all));
}

void Writer::apply(Tick& verb) {
    flush();
    verb.done = false;
    verb.started.clear();
    auto row = find_schedule(verb.schedule);
    if (!row || row->version != verb.version) return;

    const auto unfinished = [this](const std::string& schedule) {
        std::vector<RunNo> runs;
        Statement list{connection_, sql::list_scheduled};
        Rows rows{list, schedule};
        while (rows.next()) runs.push_back(RunNo{rows.integer(0)});
        return runs;
    };
    const auto cancel = [&](const std::string& schedule) {
        for (const RunNo run : unfinished(schedule)) {
            Statement request{connection_, sql::cancel_scheduled};
            std::int64_t signals = 0;
            {
                Rows told{request, run.value, now_};
                if (told.next()) {
                    signals = told.integer(0);
                    note_for_others(told.text(1), told.text(2));
                }
            }
            if (HeldRun* held = runs_.find(run)) held->cancel_requested = true;
            woken_->push_back({run, signals, "", "", true});
            cancel_children(run, "");
        }
    };
    Port port{[&](const std::string& schedule) { return !unfinished(schedule).empty(); }, cancel,
              [this](const model::NewRun& run) { return submit(run, "", false); }};
    if (fire(verb, *row, port, now_)) put_schedule(*row);
}

}  // namespace belay::store::postgres
