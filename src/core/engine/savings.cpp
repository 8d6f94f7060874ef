#include "core/engine/savings.hpp"

#include <algorithm>

#include <boost/json.hpp>

#include "core/engine/writer.hpp"
#include "core/model/ledger.hpp"
#include "core/store/family.hpp"

namespace belay::engine {

namespace {

// Which pick-up was counted last: a run that only waited in between is picked up as well, and saved nothing.
boost::json::object mark_of(const model::Run& run, const model::Saved& now) {
    return {{"attempts", run.attempts}, {"recoveries", run.recoveries}, {"steps", now.steps}};
}

bool was_counted(const model::Run& run, const boost::json::object& mark) {
    if (!run.saved) return false;
    boost::json::error_code error;
    const auto before = boost::json::parse(*run.saved, error);
    if (error || !before.is_object()) return false;
    const auto* at = before.get_object().if_contains("at");
    if (at == nullptr || !at->is_object()) return false;
    // A death counts in `recoveries` until the run makes progress; a retry in `attempts`, for good.
    if (run.recoveries > 0) return at->get_object() == mark;
    const auto* attempts = at->get_object().if_contains("attempts");
    return attempts != nullptr && attempts->is_int64() && attempts->get_int64() >= run.attempts;
}

}  // namespace

void note_saved(Services& services, const model::Run& run,
                const std::vector<model::Stage>& history) {
    if (history.empty() || (run.recoveries == 0 && run.attempts <= 1)) return;
    model::Saved now = model::saved_by_pick_up(history);
    // A child that is over is one record of its parent: nothing in it is run and paid again. What is not over counts for
    // itself when it is picked up.
    const bool has_children =
        std::any_of(history.begin(), history.end(), [](const model::Stage& stage) {
            return stage.kind == model::StageKind::Child && stage.status == StageStatus::Succeeded;
        });
    const boost::json::object mark = mark_of(run, now);
    if ((now.steps == 0 && !has_children) || was_counted(run, mark)) return;
    if (has_children) model::add_to(now, store::family_of(services.store, run.no).done);
    model::Saved sum = model::saved_of(run);
    model::add_to(sum, now);
    boost::json::object text = model::saved_json(sum);
    text["at"] = mark;
    services.writer.push(store::NoteSaved{{run.no, run.epoch}, boost::json::serialize(text), {}},
                         {});
}

}  // namespace belay::engine
