#include "core/store/sqlite/reader.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include <fmt/format.h>
#include <sqlite3.h>

#include "core/store/sql/reads.hpp"
#include "core/store/sql/saying.hpp"
#include "core/store/sqlite/db.hpp"
#include "core/store/sqlite/failure.hpp"
#include "core/store/sqlite/reader_locked.hpp"
#include "core/store/sqlite/rows.hpp"
#include "core/store/sqlite/schema.hpp"
#include "core/store/sqlite/sql.hpp"

namespace belay::store::sqlite {

struct Reader::Prepared {
    explicit Prepared(const Connection& connection) : db(connection) {}

    const Connection& db;
    Statement run_by_id{db, select_runs("WHERE run.public_id = ?1")};
    Statement run_by_no{db, select_runs("WHERE run.id = ?1")};
    Statement load_stages{db, sql::load_stages};
    Statement list_attempts{db, sql::list_attempts};
    Statement list_labels{db, sql::list_labels};
    Statement list_exposed{db, sql::list_exposed};
    Statement count_runs{db, sql::count_runs};
    Statement list_messages{db, sql::list_messages};
    Statement has_topic{db, sql::has_topic};
    Statement list_workers{db, sql::list_workers};
    Statement open_workflows{db, sql::open_workflows};
    Statement find_cached{db, sql::find_cached};
    Statement ask{db, sql::ask};
    Statement read_answer{db, sql::read_answer};
};

namespace {

// The index of the few runs that are in this state, with the condition that makes SQLite accept it.
// Left to itself it would rather walk over a million finished runs to find none that is queued.
std::string_view index_for(const RunFilter& filter) {
    const std::optional<RunStatus>& status = filter.status;
    if (filter.stalled)
        return "INDEXED BY workflow_runs_stalled WHERE pick.stall_reason IS NOT NULL";
    if (filter.asleep) return index_for({.status = RunStatus::Waiting});
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

// The parameters before it have numbers of their own.
constexpr std::size_t kFirstLabel = 12;

// Only the conditions that are asked for, so that SQLite can choose an index by them. The page is picked
// first and its runs are read then: reading more of them than are shown is what would cost.
std::string condition_of(const RunFilter& filter) {
    std::string pick{"WHERE run.id IN (SELECT pick.id FROM workflow_runs AS pick "};
    pick += index_for(filter);
    pick += " AND pick.id < ?1";
    if (filter.status) pick += " AND pick.status = ?3";
    if (!filter.workflow_key.empty()) pick += " AND pick.workflow_key = ?4";
    if (!filter.organization_id.empty()) pick += " AND pick.organization_id = ?5";
    if (!filter.text.empty()) {
        pick += " AND (instr(pick.public_id, ?6) OR instr(pick.workflow_key, ?6))";
    }
    if (filter.stalled) pick += " AND pick.stall_reason IS NOT NULL";
    if (filter.asleep)
        pick += " AND pick.status = 'waiting' AND coalesce(pick.wake_at, pick.created_at) = ?11";
    if (filter.since) pick += " AND pick.created_at >= ?7";
    if (filter.until) pick += " AND pick.created_at < ?8";
    if (filter.ended_since) pick += " AND pick.completed_at >= ?9";
    if (filter.ended_until) pick += " AND pick.completed_at < ?10";
    for (std::size_t i = 0; i < filter.labels.size(); ++i) {
        pick += fmt::format(
            " AND pick.id IN (SELECT workflow_run_id FROM workflow_labels WHERE name = ?{} AND "
            "value = ?{})",
            kFirstLabel + 2 * i, kFirstLabel + 2 * i + 1);
    }
    return pick + " ORDER BY pick.id DESC LIMIT ?2) ORDER BY run.id DESC";
}

}  // namespace

Reader::Reader(std::filesystem::path file, Duration busy_time_max, Blobs& blobs)
    : file_(std::move(file)), connection_(open_for_reading(file_, busy_time_max)) {
    connection_->use_blobs(&blobs);
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

std::vector<model::Run> Reader::ended_of(const std::vector<std::string>& ids) {
    return locked([&] {
        std::vector<model::Run> ended;
        for (const std::string& id : ids) {
            Rows row{prepared_->run_by_id, id};
            if (!row.next()) continue;
            model::Run run = read_run(*row);
            if (is_at_rest(run.status)) ended.push_back(std::move(run));
        }
        return ended;
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
        if (filter.asleep) list.bind(11, model::kNever);
        int at = kFirstLabel;
        for (const auto& [name, value] : filter.labels) {
            list.bind(at++, name);
            list.bind(at++, value);
        }
        Rows rows{list};
        return page_in(rows, limit);
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

std::vector<model::Death> Reader::deaths(RunNo run) {
    return locked([&] {
        Statement list{*connection_, sql::list_deaths};
        Rows rows{list, run.value};
        return deaths_in(rows);
    });
}

LabelsOfRuns Reader::labels(const std::vector<RunNo>& runs) {
    return locked([&] {
        LabelsOfRuns labels;
        for (const RunNo run : runs) {
            Rows rows{prepared_->list_labels, run.value};
            labels_in(rows, labels);
        }
        return labels;
    });
}

std::map<std::string, std::string> Reader::exposed(RunNo run) {
    return locked([&] {
        Rows rows{prepared_->list_exposed, run.value};
        return exposed_in(rows);
    });
}

RunCounts Reader::count_runs() {
    return locked([&] {
        Rows rows{prepared_->count_runs};
        return counts_in(rows);
    });
}

std::vector<model::Message> Reader::messages(std::string_view run_id, int limit) {
    return locked([&] {
        Rows rows{prepared_->list_messages, run_id, std::int64_t{limit}};
        return messages_in(rows);
    });
}

bool Reader::has_topic(std::string_view topic) {
    return locked([&] {
        Rows row{prepared_->has_topic, topic};
        return row.next();
    });
}

std::vector<model::Worker> Reader::workers() {
    return locked([&] {
        Rows rows{prepared_->list_workers};
        return workers_in(rows);
    });
}

std::vector<std::string> Reader::open_workflows() {
    return locked([&] {
        Rows rows{prepared_->open_workflows};
        return texts_in(rows);
    });
}

std::optional<Store::Cached> Reader::find_cached(std::string_view key, Time now) {
    return locked([&]() -> std::optional<Store::Cached> {
        Rows row{prepared_->find_cached, key, now};
        if (!row.next()) return std::nullopt;
        return Store::Cached{row->value(0), row->optional_text(1)};
    });
}

std::vector<model::LedgerRow> Reader::ledger(const model::LedgerFilter& filter) {
    return locked([&] { return ledger_in<Db>(*connection_, filter); });
}

std::set<std::string> Reader::named_blobs() {
    return locked([&] {
        std::set<std::string> named;
        Statement list{*connection_, sql::list_blobs};
        while (list.next()) {
            if (const auto ref = BlobRef::parse(list.text(0))) named.insert(ref->sha256);
        }
        return named;
    });
}

SqlResult Reader::query(std::string_view sql, std::span<const SqlValue> parameters) {
    return locked([&] { return sql_->query(sql, parameters); });
}

void Reader::interrupt() { sqlite3_interrupt(connection_->handle()); }

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
