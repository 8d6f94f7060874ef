// writer_shared.cpp — SqlWriter made for this store, and what it asks of it (store/sql/writer.hpp).
#include "core/store/sql/control.hpp"
#include "core/store/sql/deaths.hpp"
#include "core/store/sql/ending.hpp"
#include "core/store/sql/pruning.hpp"
#include "core/store/sql/queues.hpp"
#include "core/store/sql/saying.hpp"
#include "core/store/sql/schedules.hpp"
#include "core/store/sql/spending.hpp"
#include "core/store/sql/starting.hpp"
#include "core/store/sql/submission.hpp"
#include "core/store/sql/undoing.hpp"
#include "core/store/sql/waiting.hpp"
#include "core/store/sqlite/writer.hpp"

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
