// columns.hpp — rows of a batch as arrays, a parameter for each column: what one statement writes with unnest, whatever
// their number. The order of the parameters is that of the statement's .sql file.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/model/run.hpp"
#include "core/model/stage.hpp"
#include "core/store/postgres/connection.hpp"
#include "core/store/postgres/lanes.hpp"

namespace belay::store::postgres {

// record_stage.sql and insert_stages.sql
class StageColumns {
public:
    void add(RunNo no, const model::Stage& stage, const std::optional<std::string>& result);
    std::int64_t count() const { return run_.count(); }
    Parameters parameters() const;

private:
    IntegerArray run_, position_, attempt_, started_, finished_, next_, before_;
    TextArray path_, key_, kind_, status_, message_, error_, output_, cost_;
};

// insert_plain_stages.sql
class PlainStageColumns {
public:
    // Whether it has nothing but what these columns hold.
    static bool can_hold(const model::Stage& stage);
    void add(RunNo no, const model::Stage& stage);
    std::int64_t count() const { return run_.count(); }
    Parameters parameters() const;

private:
    IntegerArray run_, position_, started_, finished_;
    TextArray path_, key_, output_;
};

// insert_run.sql and insert_runs.sql, from runs as they will be
class RunColumns {
public:
    void add(const model::Run& run);
    Parameters parameters(Time now) const;

private:
    IntegerArray no_, wake_at_, epoch_, started_at_, parent_, deadline_at_, priority_, turn_;
    TextArray id_, workflow_key_, input_, organization_, source_, file_, hash_, version_, status_,
        worker_, parent_path_, origin_, seed_, queue_, partition_, dedupe_, schedule_;
};

// insert_attempts.sql
Parameters attempts_of(const std::vector<std::pair<RunNo, const model::Attempt*>>& attempts);
// touch_runs.sql
Parameters touches_of(const std::map<std::int64_t, Touch>& touches, Time now);
// end_runs.sql
Parameters ends_of(const std::vector<Lanes::Ending>& ends, Time now);
// wait_run.sql
Parameters waits_of(const std::vector<Lanes::Waiting>& waits, Time now);
// insert_runs.sql, of submissions that have their outcome. In the order of their ids: two workers that submit the same
// ones do not wait for each other in a circle.
Parameters runs_of(std::vector<Submit*> submits, Time now);
// put_label.sql, once for each label of those
std::vector<Parameters> labels_of(const std::vector<Submit*>& submits);

}  // namespace belay::store::postgres
