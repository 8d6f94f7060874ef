#include "store/sqlite/reader.hpp"

#include <algorithm>
#include <utility>

#include "store/sqlite/failure.hpp"
#include "store/sqlite/reader_locked.hpp"
#include "store/sqlite/rows.hpp"
#include "store/sqlite/schema.hpp"
#include "store/sqlite/sql.hpp"

namespace belay::store::sqlite {

struct Reader::Prepared {
    explicit Prepared(const Connection& connection) : db(connection) {}

    const Connection& db;
    Statement run_by_id{db, select_runs("WHERE run.public_id = ?1")};
    Statement run_by_no{db, select_runs("WHERE run.id = ?1")};
    Statement load_stages{db, sql::load_stages};
    Statement list_attempts{db, sql::list_attempts};
    Statement count_runs{db, sql::count_runs};
    Statement ask{db, sql::ask};
    Statement read_answer{db, sql::read_answer};
};

namespace {

// The index of the few runs that are in this state, with the condition that makes SQLite accept it.
// Left to itself it would rather walk over a million finished runs to find none that is queued.
std::string_view index_for(const std::optional<RunStatus>& status) {
    if (!status) return "WHERE TRUE";
    switch (*status) {
        case RunStatus::Queued:
        case RunStatus::Waiting:
            return "INDEXED BY workflow_runs_due WHERE pick.status IN ('queued', 'waiting')";
        case RunStatus::Running:
            return "INDEXED BY workflow_runs_running WHERE pick.status = 'running'";
        case RunStatus::Paused:
        case RunStatus::Failed:
        case RunStatus::Canceled:
            return "INDEXED BY workflow_runs_stopped WHERE (pick.status = 'paused' "
                   "OR pick.status = 'failed' OR pick.status = 'canceled')";
        case RunStatus::Succeeded:
            return "WHERE TRUE";
    }
    return "WHERE TRUE";
}

// Only the conditions that are asked for, so that SQLite can choose an index by them. The page is picked
// first and its runs are read then: reading more of them than are shown is what would cost.
std::string condition_of(const RunFilter& filter) {
    std::string pick{"WHERE run.id IN (SELECT pick.id FROM workflow_runs AS pick "};
    pick += index_for(filter.status);
    pick += " AND pick.id < ?1";
    if (filter.status) pick += " AND pick.status = ?3";
    if (!filter.workflow_key.empty()) pick += " AND pick.workflow_key = ?4";
    if (!filter.organization_id.empty()) pick += " AND pick.organization_id = ?5";
    if (!filter.text.empty()) {
        pick += " AND (instr(pick.public_id, ?6) OR instr(pick.workflow_key, ?6))";
    }
    if (filter.since) pick += " AND pick.created_at >= ?7";
    if (filter.until) pick += " AND pick.created_at < ?8";
    if (filter.ended_since) pick += " AND pick.completed_at >= ?9";
    if (filter.ended_until) pick += " AND pick.completed_at < ?10";
    return pick + " ORDER BY pick.id DESC LIMIT ?2) ORDER BY run.id DESC";
}

std::int64_t* count_of(RunCounts& counts, std::string_view status) {
    const auto known = run_status(status);
    if (!known) return nullptr;
    switch (*known) {
        case RunStatus::Queued:
            return &counts.queued;
        case RunStatus::Running:
            return &counts.running;
        case RunStatus::Waiting:
            return &counts.waiting;
        case RunStatus::Paused:
            return &counts.paused;
        case RunStatus::Succeeded:
            return &counts.succeeded;
        case RunStatus::Failed:
            return &counts.failed;
        case RunStatus::Canceled:
            return &counts.canceled;
    }
    return nullptr;
}

}  // namespace

Reader::Reader(std::filesystem::path file, Duration busy_time_max)
    : file_(std::move(file)), connection_(open_for_reading(file_, busy_time_max)) {
    explained(file_, [&] { prepared_ = std::make_unique<Prepared>(*connection_); });
    sql_ = std::make_unique<SqlBody>(connection_->handle());
}

Reader::~Reader() = default;

std::optional<model::Run> Reader::find_run(std::string_view id) {
    return locked([&] {
        Rows row{prepared_->run_by_id, id};
        return row.next() ? std::optional(read_run(*row)) : std::nullopt;
    });
}

std::optional<model::Run> Reader::find_run(RunNo no) {
    return locked([&] {
        Rows row{prepared_->run_by_no, no.value};
        return row.next() ? std::optional(read_run(*row)) : std::nullopt;
    });
}

RunPage Reader::list_runs(const RunFilter& filter) {
    return locked([&] {
        const auto limit = std::max(filter.limit, 0);
        Statement list{*connection_, select_runs(condition_of(filter))};
        list.bind(1,
                  filter.before ? filter.before->value : std::numeric_limits<std::int64_t>::max());
        list.bind(2, std::int64_t{limit} + 1);  // one more, to know whether there is more
        if (filter.status) list.bind(3, to_string(*filter.status));
        if (!filter.workflow_key.empty()) list.bind(4, filter.workflow_key);
        if (!filter.organization_id.empty()) list.bind(5, filter.organization_id);
        if (!filter.text.empty()) list.bind(6, filter.text);
        if (filter.since) list.bind(7, *filter.since);
        if (filter.until) list.bind(8, *filter.until);
        if (filter.ended_since) list.bind(9, *filter.ended_since);
        if (filter.ended_until) list.bind(10, *filter.ended_until);
        RunPage page;
        while (list.next()) {
            if (static_cast<int>(page.runs.size()) == limit) {
                if (limit > 0) page.next = page.runs.back().no;
                break;
            }
            page.runs.push_back(read_run(list));
        }
        return page;
    });
}

std::vector<model::Stage> Reader::stages(RunNo run) {
    return locked([&] {
        std::vector<model::Stage> stages;
        Rows rows{prepared_->load_stages, run.value};
        while (rows.next()) stages.push_back(read_stage(*rows));
        return stages;
    });
}

std::vector<model::Attempt> Reader::attempts(RunNo run) {
    return locked([&] {
        std::vector<model::Attempt> attempts;
        Rows rows{prepared_->list_attempts, run.value};
        while (rows.next()) attempts.push_back(read_attempt(*rows));
        return attempts;
    });
}

RunCounts Reader::count_runs() {
    return locked([&] {
        RunCounts counts;
        std::int64_t all = 0;
        std::int64_t others = 0;
        Rows rows{prepared_->count_runs};
        while (rows.next()) {
            if (std::int64_t* count = count_of(counts, rows->text(0))) {
                others += * count = rows->integer(1);
            } else {
                all = rows->integer(1);
            }
        }
        counts.succeeded = all - others;
        return counts;
    });
}

SqlResult Reader::query(std::string_view sql, std::span<const SqlValue> parameters) {
    return locked([&] { return sql_->query(sql, parameters); });
}

std::int64_t Reader::ask(const ControlRequest& request) {
    return locked([&] {
        prepared_->ask.run(request.kind, request.run_id, request.payload, request.created_at);
        return connection_->last_row_id();
    });
}

std::optional<Store::Answer> Reader::answer(std::int64_t request_id) {
    return locked([&]() -> std::optional<Store::Answer> {
        Rows row{prepared_->read_answer, request_id};
        if (!row.next()) return std::nullopt;
        return Store::Answer{.ok = row->integer(0) != 0, .text = std::string(row->text(1))};
    });
}

}  // namespace belay::store::sqlite
