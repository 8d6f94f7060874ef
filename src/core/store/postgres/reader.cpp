#include "core/store/postgres/reader.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include <belay/error.hpp>

#include "core/base/text.hpp"
#include "core/store/postgres/body_sql.hpp"
#include "core/store/postgres/db.hpp"
#include "core/store/postgres/dialect.hpp"
#include "core/store/postgres/failure.hpp"
#include "core/store/postgres/heart.hpp"
#include "core/store/postgres/reader_read.hpp"
#include "core/store/postgres/rows.hpp"
#include "core/store/postgres/sql.hpp"
#include "core/store/sql/reads.hpp"
#include "core/store/sql/saying.hpp"

namespace belay::store::postgres {

struct Reader::Prepared {
    explicit Prepared(Connection& connection) : db(connection) {}

    Connection& db;
    Statement run_by_id{db, "run_by_id", select_runs("WHERE run.public_id = $1")};
    Statement run_by_no{db, "run_by_no", select_runs("WHERE run.id = $1")};
    Statement ended_of{db, "ended_of",
                       select_runs("WHERE run.public_id = ANY($1::text[]) AND run.status IN "
                                   "('paused', 'succeeded', 'failed', 'canceled')")};
    Statement load_stages{db, "load_stages", std::string(sql::load_stages)};
    Statement list_attempts{db, "list_attempts", std::string(sql::list_attempts)};
    Statement list_labels{db, "list_labels", std::string(sql::list_labels)};
    Statement list_exposed{db, "list_exposed", std::string(sql::list_exposed)};
    Statement count_runs{db, "count_runs", std::string(sql::count_runs)};
    Statement ask{db, "ask", std::string(sql::ask)};
    Statement notify{db, "notify", "SELECT pg_notify($1, $2)"};
    Statement read_answer{db, "read_answer", std::string(sql::read_answer)};
    Statement list_messages{db, "list_messages", std::string(sql::list_messages)};
    Statement has_topic{db, "has_topic", std::string(sql::has_topic)};
    Statement list_workers{db, "list_known_workers", std::string(sql::list_known_workers)};
    Statement open_workflows{db, "open_workflows", std::string(sql::open_workflows)};
    Statement find_cached{db, "find_cached", std::string(sql::find_cached)};
    Statement open_questions{db, "open_questions", std::string(sql::open_questions)};
    Statement told_runs{db, "told_runs", std::string(sql::told_runs)};
    Statement told_runs_of{db, "told_runs_of", std::string(sql::told_runs_of)};
};

namespace {

// The condition of the partial index that holds the few runs in this state.
std::string_view index_for(const RunFilter& filter) {
    const std::optional<RunStatus>& status = filter.status;
    if (filter.stalled) return "WHERE pick.stall_reason IS NOT NULL";
    if (filter.asleep) return "WHERE pick.status IN ('queued', 'waiting')";
    if (!status) return "WHERE true";
    switch (*status) {
        case RunStatus::Queued:
        case RunStatus::Waiting:
            return "WHERE pick.status IN ('queued', 'waiting')";
        case RunStatus::Running:
            return "WHERE pick.status = 'running'";
        case RunStatus::Paused:
        case RunStatus::Failed:
        case RunStatus::Canceled:
            return "WHERE pick.status IN ('paused', 'failed', 'canceled')";
        case RunStatus::Succeeded:
            return "WHERE true";
    }
    return "WHERE true";
}

// Only the conditions that are asked for, so that PostgreSQL can choose an index by them.
std::string condition_of(const RunFilter& filter, Parameters& parameters) {
    std::string pick{"WHERE run.id IN (SELECT pick.id FROM workflow_runs AS pick "};
    pick += index_for(filter);
    const auto add = [&](const std::string& condition, const auto& value) {
        parameters.add(value);
        std::string text = condition;
        const std::string number = "$" + std::to_string(parameters.size());
        for (auto at = text.find('#'); at != std::string::npos;
             at = text.find('#', at + number.size())) {
            text.replace(at, 1, number);
        }
        pick += " AND " + text;
    };
    add("pick.id < #",
        filter.before ? filter.before->value : std::numeric_limits<std::int64_t>::max());
    if (filter.status) add("pick.status = #", to_string(*filter.status));
    if (!filter.workflow_key.empty()) add("pick.workflow_key = #", filter.workflow_key);
    if (!filter.organization_id.empty()) add("pick.organization_id = #", filter.organization_id);
    if (!filter.text.empty()) {
        add("(strpos(pick.public_id, #::text) > 0 OR strpos(pick.workflow_key, #::text) > 0)",
            filter.text);
    }
    if (filter.asleep)
        add("pick.status = 'waiting' AND coalesce(pick.wake_at, pick.created_at) = #",
            model::kNever);
    if (filter.since) add("pick.created_at >= #", *filter.since);
    if (filter.until) add("pick.created_at < #", *filter.until);
    if (filter.ended_since) add("pick.completed_at >= #", *filter.ended_since);
    if (filter.ended_until) add("pick.completed_at < #", *filter.ended_until);
    for (const auto& [name, value] : filter.labels) {
        parameters.add(std::string_view(name));
        add(fmt::format("pick.id IN (SELECT workflow_run_id FROM workflow_labels "
                        "WHERE name = ${} AND value = #)",
                        parameters.size()),
            std::string_view(value));
    }
    parameters.add(std::int64_t{std::max(filter.limit, 0)} +
                   1);  // one more, to know whether there is more
    return pick + " ORDER BY pick.id DESC LIMIT $" + std::to_string(parameters.size()) +
           ") ORDER BY run.id DESC";
}

}  // namespace

Reader::Reader(ConnectOptions options, std::string name)
    : options_(std::move(options)), name_(std::move(name)) {}

Reader::~Reader() = default;

void Reader::connect() {
    prepared_.reset();
    connection_.reset();
    connection_ = std::make_unique<Connection>(options_);
    prepared_ = std::make_unique<Prepared>(*connection_);
}

std::optional<model::Run> Reader::find_run(std::string_view id) {
    return read([&] {
        Rows row{prepared_->run_by_id, id};
        return row.next() ? std::optional(read_run(row)) : std::nullopt;
    });
}

std::optional<model::Run> Reader::find_run(RunNo no) {
    return read([&] {
        Rows row{prepared_->run_by_no, no.value};
        return row.next() ? std::optional(read_run(row)) : std::nullopt;
    });
}

std::vector<model::Run> Reader::ended_of(const std::vector<std::string>& ids) {
    return read([&] {
        TextArray asked;
        for (const std::string& id : ids) asked.add(std::string_view(id));
        Parameters parameters;
        asked.give(parameters);
        prepared_->ended_of.send(parameters);
        Rows row{connection_->finish().back()};
        std::vector<model::Run> ended;
        while (row.next()) ended.push_back(read_run(row));
        return ended;
    });
}

RunPage Reader::list_runs(const RunFilter& filter) {
    return read([&] {
        const auto limit = std::max(filter.limit, 0);
        Parameters parameters;
        const std::string list = select_runs(condition_of(filter, parameters));
        Rows rows{connection_->run(list, parameters)};
        return page_in(rows, limit);
    });
}

std::vector<model::Stage> Reader::stages(RunNo run) {
    return read([&] {
        IntegerArray ids;
        ids.add(run.value);
        Parameters parameters;
        ids.give(parameters);
        prepared_->load_stages.send(parameters);
        Rows rows{connection_->finish().back()};
        std::vector<model::Stage> stages;
        while (rows.next()) stages.push_back(read_stage(rows));
        return stages;
    });
}

std::vector<model::Attempt> Reader::attempts(RunNo run) {
    return read([&] {
        std::vector<model::Attempt> attempts;
        Rows rows{prepared_->list_attempts, run.value};
        while (rows.next()) attempts.push_back(read_attempt(rows));
        return attempts;
    });
}

std::vector<model::Death> Reader::deaths(RunNo run) {
    return read([&] {
        Statement list{*connection_, sql::list_deaths};
        Rows rows{list, run.value};
        return deaths_in(rows);
    });
}

LabelsOfRuns Reader::labels(const std::vector<RunNo>& runs) {
    return read([&] {
        IntegerArray ids;
        for (const RunNo run : runs) ids.add(run.value);
        Parameters parameters;
        ids.give(parameters);
        prepared_->list_labels.send(parameters);
        Rows rows{connection_->finish().back()};
        LabelsOfRuns labels;
        labels_in(rows, labels);
        return labels;
    });
}

std::map<std::string, std::string> Reader::exposed(RunNo run) {
    return read([&] {
        Rows rows{prepared_->list_exposed, run.value};
        return exposed_in(rows);
    });
}

RunCounts Reader::count_runs() {
    return read([&] {
        Rows rows{prepared_->count_runs};
        return counts_in(rows);
    });
}

std::vector<model::Message> Reader::messages(std::string_view run_id, int limit) {
    return read([&] {
        Rows rows{prepared_->list_messages, run_id, std::int64_t{limit}};
        return messages_in(rows);
    });
}

bool Reader::has_topic(std::string_view topic) {
    return read([&] {
        Rows row{prepared_->has_topic, topic};
        return row.next();
    });
}

std::vector<model::Worker> Reader::workers() {
    return read([&] {
        Rows rows{prepared_->list_workers};
        return workers_in(rows);
    });
}

std::vector<std::string> Reader::open_workflows() {
    return read([&] {
        Rows rows{prepared_->open_workflows};
        return texts_in(rows);
    });
}

std::optional<Store::Cached> Reader::find_cached(std::string_view key, Time now) {
    return read([&]() -> std::optional<Store::Cached> {
        Rows row{prepared_->find_cached, key, now};
        if (!row.next()) return std::nullopt;
        return Store::Cached{std::string(row.text(0)), row.optional_text(1)};
    });
}

std::vector<model::LedgerRow> Reader::ledger(const model::LedgerFilter& filter) {
    return read([&] { return ledger_in<Db>(*connection_, filter); });
}

SqlResult Reader::query(std::string_view sql, std::span<const SqlValue> parameters) {
    const Translated statement = translate(sql);
    const Parameters values = parameters_of(statement, parameters, sql);
    return read([&] {
        try {
            connection_->send("BEGIN READ ONLY");
            connection_->send(
                fmt::format("SET LOCAL statement_timeout = {}", query_time_max().count()));
            connection_->send(statement.sql, values);
            connection_->send("COMMIT");
            const auto results = connection_->finish();
            return result_of(results[2], true);
        } catch (const PgError& error) {
            if (connection_->lost()) throw;
            connection_->run("ROLLBACK");
            if (error.state() == "25006") {
                throw Error(ErrorCode::InvalidArgument,
                            "a query only reads; write inside a transaction");
            }
            if (is_of_store(error)) throw;
            if (error.state() == "57014") {
                throw Error(ErrorCode::InvalidArgument,
                            fmt::format("the query was ended after {}: ask for less, or give it "
                                        "an index",
                                        base::format_duration(query_time_max())));
            }
            throw Error(ErrorCode::InvalidArgument, error.what());
        }
    });
}

// The server ends it before this process gives up the connection: otherwise it would go on there, for nobody.
Duration Reader::query_time_max() const { return options_.reply_time_max * 9 / 10; }

std::int64_t Reader::ask(const ControlRequest& request) {
    return read(
        [&] {
            // One transaction: whoever hears of it finds it.
            Parameters parameters;
            parameters.add(request.kind);
            parameters.add(request.run_id);
            parameters.add(request.payload);
            parameters.add(request.created_at);
            prepared_->ask.send(parameters);
            Parameters notice;
            notice.add(channel_of(options_.schema));
            notice.add("--r");
            prepared_->notify.send(notice);
            const auto results = connection_->finish();
            return results[results.size() - 2].integer(0, 0);
        },
        false);
}

std::vector<ControlRequest> Reader::questions(Time since) {
    return read([&] {
        std::vector<ControlRequest> open;
        Rows row{prepared_->open_questions, since};
        while (row.next()) {
            open.push_back({row.integer(0), std::string(row.text(1)), std::string(row.text(2)),
                            row.value(3), row.time(4)});
        }
        return open;
    });
}

std::optional<Store::Answer> Reader::answer(std::int64_t request_id) {
    return read([&]() -> std::optional<Store::Answer> {
        Rows row{prepared_->read_answer, request_id};
        if (!row.next()) return std::nullopt;
        return Store::Answer{.ok = row.integer(0) != 0, .text = std::string(row.text(1))};
    });
}

std::int64_t Reader::newest_request() {
    return read([&] {
        return connection_->run("SELECT coalesce(max(id), 0) FROM control_requests").integer(0, 0);
    });
}

std::vector<RunNews> Reader::told(const std::string& worker, const SomeRuns& runs) {
    return read([&] {
        std::vector<RunNews> out;
        Parameters parameters;
        parameters.add(worker);
        if (!runs.any()) {
            IntegerArray ids;
            for (const std::int64_t run : runs.runs()) ids.add(run);
            ids.give(parameters);
        }
        (runs.any() ? prepared_->told_runs : prepared_->told_runs_of).send(parameters);
        Rows row{connection_->finish().back()};
        while (row.next()) {
            out.push_back({RunNo{row.integer(0)}, row.integer(1), row.integer(2) != 0,
                           row.integer(3) != 0, row.integer(4) != 0, std::string(row.text(5))});
        }
        return out;
    });
}

}  // namespace belay::store::postgres
