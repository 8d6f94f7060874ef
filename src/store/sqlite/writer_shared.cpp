// writer_shared.cpp — SqlWriter made for this store, and what it asks of it (store/sql_writer.hpp).
#include "store/sql_control.hpp"
#include "store/sql_ending.hpp"
#include "store/sql_pruning.hpp"
#include "store/sql_queues.hpp"
#include "store/sql_schedules.hpp"
#include "store/sql_starting.hpp"
#include "store/sql_submission.hpp"
#include "store/sql_waiting.hpp"
#include "store/sqlite/writer.hpp"

namespace belay::store::sqlite {

std::vector<Signaled> Writer::cancel_inside(RunNo run, const std::string& from,
                                            const std::string& to) {
    std::vector<Signaled> told;
    if (!Rows{statements_.has_open_child, run.value, from, to}.next()) return told;
    Rows rows{statements_.cancel_children, run.value, from, to, now_};
    while (rows.next()) told.push_back({RunNo{rows->integer(0)}, rows->integer(1)});
    return told;
}

bool Writer::may_have_tombstones() {
    if (!has_tombstones_) {
        Rows row{statements_.has_tombstones};
        row.next();
        has_tombstones_ = row->integer(0) != 0;
    }
    return *has_tombstones_;
}

void Writer::note_deleted(RunNo run) {
    has_tombstones_ = true;
    statements_.set_last_deleted.run(run.value);
    number_may_be_free_ = true;
}

// Nothing: the database gives the next one, which is above all that there are.
std::optional<std::int64_t> Writer::next_run_no() {
    if (!number_may_be_free_) return std::nullopt;
    Rows row{statements_.run_floor};
    if (!row.next()) {
        number_may_be_free_ = false;
        return std::nullopt;
    }
    return row->integer(0) + 1;
}

}  // namespace belay::store::sqlite

namespace belay::store {

template class SqlWriter<sqlite::Db>;

}  // namespace belay::store
