// ending.hpp — a run's last row, and its end hook in the same commit, for every store that speaks SQL.
#pragma once

#include <optional>
#include <string>

#include "core/store/body_failure.hpp"
#include "core/store/sql/writer.hpp"

namespace belay::store {

template <class Db>
WriteOutcome SqlWriter<Db>::end(End& verb, const std::string& current_stage) {
    const RunNo no = verb.lease.run;
    const std::string last = verb.current_stage.empty() ? current_stage : verb.current_stage;
    store_progress(no, verb.progress);
    flush();
    Statement& update = self().statements_.end_run;
    update.bind(1, no.value);
    update.bind(2, verb.lease.epoch);
    update.bind(3, to_string(verb.status));
    update.bind_or_null(4, last);
    if (verb.result) {
        Db::bind_value(update, 5, *verb.result);
    } else {
        update.bind(5, nullptr);
    }
    if (verb.failure) {
        update.bind(6, verb.failure->code);
        update.bind(7, verb.failure->message);
        update.bind_or_null(8, verb.failure->stage);
        update.bind_or_null(9, verb.failure->path);
    } else {
        for (int index = 6; index <= 9; ++index) update.bind(index, nullptr);
    }
    update.bind(10, is_finished(verb.status) ? std::optional<Time>(now_) : std::nullopt);
    update.bind(11, now_);
    if (update.step_to_end() != 1) return Fenced{};
    if (verb.status == RunStatus::Canceled)
        self().statements_.cancel_open_stages.run(no.value, now_);

    if (verb.on_end) {
        std::string ignored;
        if (const BodyResult failed = run_body(verb.on_end, ignored))
            return outcome_of<WriteOutcome>(*failed);
    }
    return Applied{};
}

}  // namespace belay::store
