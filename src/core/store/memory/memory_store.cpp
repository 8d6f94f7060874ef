#include "core/store/memory/memory_store.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include <belay/error.hpp>

#include "core/base/assert.hpp"
#include "core/store/memory/batch_pass.hpp"
#include "core/store/memory/memory_disk.hpp"

namespace belay::store {

namespace {

using Lock = std::lock_guard<std::recursive_mutex>;

// Takes everything back unless it is told that all went well.
class Transaction {
public:
    explicit Transaction(MemoryDisk& disk) : disk_(disk) {
        BELAY_ASSERT(!disk_.committing, "a body must not commit");
        disk_.committing = true;
    }
    ~Transaction() {
        roll_back();
        disk_.committing = false;
    }
    Transaction(const Transaction&) = delete;
    Transaction& operator=(const Transaction&) = delete;

    void roll_back() {
        disk_.tables.roll_back_to(0);
        disk_.sql.roll_back();
    }

    void commit() {
        disk_.sql.commit();
        disk_.tables.keep();
    }

private:
    MemoryDisk& disk_;
};

bool matches(const RunFilter& filter, const model::Run& run) {
    if (filter.status && run.status != *filter.status) return false;
    if (!filter.workflow_key.empty() && run.workflow_key != filter.workflow_key) return false;
    if (!filter.organization_id.empty() && run.organization_id != filter.organization_id)
        return false;
    if (filter.stalled && !run.stall) return false;
    if (filter.asleep && !(run.status == RunStatus::Waiting && run.wake_at == model::kNever))
        return false;
    if (filter.since && run.created_at < *filter.since) return false;
    if (filter.until && run.created_at >= *filter.until) return false;
    if (filter.ended_since && !(run.completed_at && *run.completed_at >= *filter.ended_since))
        return false;
    if (filter.ended_until && !(run.completed_at && *run.completed_at < *filter.ended_until))
        return false;
    return filter.text.empty() || run.id.find(filter.text) != std::string::npos ||
           run.workflow_key.find(filter.text) != std::string::npos;
}

bool has_all(const Labels& labels, const Labels& wanted) {
    return std::all_of(wanted.begin(), wanted.end(), [&](const auto& one) {
        const auto found = labels.find(one.first);
        return found != labels.end() && found->second == one.second;
    });
}

}  // namespace

std::shared_ptr<MemoryDisk> make_memory_disk() { return std::make_shared<MemoryDisk>(); }

MemoryStore::MemoryStore(std::shared_ptr<MemoryDisk> disk, bool execute) : disk_(std::move(disk)) {
    const Lock lock{disk_->mutex};
    if (execute) session_ = ++disk_->session;
    requests_seen_ = static_cast<std::int64_t>(disk_->tables.requests().size());
}

MemoryStore::~MemoryStore() = default;

void MemoryStore::commit(Batch& batch) {
    if (session_ == 0) {
        throw Error(ErrorCode::InvalidArgument, "this store was opened to read, not to execute");
    }
    const Lock lock{disk_->mutex};
    Transaction transaction{*disk_};
    memory::FailedBodies failed;
    while (true) {
        try {
            batch.woken.clear();
            memory::BatchPass pass{disk_->tables, disk_->sql, batch.now, session_ == disk_->session,
                                   failed,        batch.woken};
            for (std::size_t i = 0; i < batch.verbs.size(); ++i) pass.apply(i, batch.verbs[i]);
            break;
        } catch (const memory::TransactionLost& lost) {
            transaction.roll_back();
            failed.emplace(lost.body, lost.failure);
        }
    }
    transaction.commit();
}

void MemoryStore::reopen() {}

bool MemoryStore::changed_outside() {
    const Lock lock{disk_->mutex};
    const auto requests = static_cast<std::int64_t>(disk_->tables.requests().size());
    return std::exchange(requests_seen_, requests) != requests;
}

void MemoryStore::migrate(const Migrations& migrations) {
    const Lock lock{disk_->mutex};
    std::size_t& applied = disk_->migrated[migrations.owner];
    if (applied > migrations.scripts.size()) {
        throw Error(ErrorCode::SchemaTooNew,
                    fmt::format("the tables of {} are at number {}, this program knows {}",
                                migrations.owner, applied, migrations.scripts.size()));
    }
    while (applied < migrations.scripts.size()) {
        Transaction transaction{*disk_};
        disk_->sql.begin();
        disk_->sql.body().run_script(migrations.scripts[applied]);
        disk_->sql.body().check_deferred_keys();
        transaction.commit();
        ++applied;
    }
}

std::optional<model::Run> MemoryStore::find_run(std::string_view id) {
    const Lock lock{disk_->mutex};
    const model::Run* run = disk_->tables.run(id);
    return run == nullptr ? std::nullopt : std::optional{*run};
}

std::optional<model::Run> MemoryStore::find_run(RunNo no) {
    const Lock lock{disk_->mutex};
    const model::Run* run = disk_->tables.run(no);
    return run == nullptr ? std::nullopt : std::optional{*run};
}

std::vector<model::Run> MemoryStore::ended_of(const std::vector<std::string>& ids) {
    std::vector<model::Run> ended;
    for (const std::string& id : ids) {
        auto run = find_run(id);
        if (run && is_at_rest(run->status)) ended.push_back(*std::move(run));
    }
    return ended;
}

RunPage MemoryStore::list_runs(const RunFilter& filter) {
    const Lock lock{disk_->mutex};
    RunPage page;
    auto no = disk_->tables.last_run().value;
    if (filter.before) no = std::min(no, filter.before->value - 1);
    for (; no >= 1; --no) {
        const model::Run* found = disk_->tables.run(RunNo{no});
        if (found == nullptr || !matches(filter, *found)) continue;
        if (!has_all(disk_->tables.said(found->no).labels, filter.labels)) continue;
        const model::Run& run = *found;
        if (static_cast<int>(page.runs.size()) >= filter.limit) {
            if (!page.runs.empty()) page.next = page.runs.back().no;
            break;
        }
        page.runs.push_back(run);
    }
    return page;
}

std::vector<model::Stage> MemoryStore::stages(RunNo run) {
    const Lock lock{disk_->mutex};
    return disk_->tables.stages(run);
}

std::vector<model::Death> MemoryStore::deaths(RunNo run) {
    const Lock lock{disk_->mutex};
    return disk_->tables.deaths(run);
}

std::vector<model::Attempt> MemoryStore::attempts(RunNo run) {
    const Lock lock{disk_->mutex};
    return disk_->tables.attempts(run);
}

LabelsOfRuns MemoryStore::labels(const std::vector<RunNo>& runs) {
    const Lock lock{disk_->mutex};
    LabelsOfRuns labels;
    for (const RunNo run : runs) {
        if (Labels of = disk_->tables.said(run).labels; !of.empty())
            labels.emplace(run, std::move(of));
    }
    return labels;
}

std::map<std::string, std::string> MemoryStore::exposed(RunNo run) {
    const Lock lock{disk_->mutex};
    return disk_->tables.said(run).exposed;
}

RunCounts MemoryStore::count_runs() {
    const Lock lock{disk_->mutex};
    std::int64_t stalled = 0;
    for (const RunNo no : disk_->tables.all_runs()) {
        const model::Run& run = *disk_->tables.run(no);
        if (run.stall && !is_finished(run.status)) ++stalled;
    }
    const auto count = [&](RunStatus status) {
        return static_cast<std::int64_t>(disk_->tables.runs_with(status).size());
    };
    return {.queued = count(RunStatus::Queued),
            .running = count(RunStatus::Running),
            .waiting = count(RunStatus::Waiting),
            .paused = count(RunStatus::Paused),
            .succeeded = count(RunStatus::Succeeded),
            .failed = count(RunStatus::Failed),
            .canceled = count(RunStatus::Canceled),
            .stalled = stalled};
}

std::vector<model::Message> MemoryStore::messages(std::string_view run_id, int limit) {
    const Lock lock{disk_->mutex};
    std::vector<model::Message> out;
    for (const auto& [id, message] : disk_->tables.messages()) {
        if (static_cast<int>(out.size()) >= limit) break;
        if (message.sent.run_id != run_id) continue;
        model::Message& listed = out.emplace_back();
        listed.id = id;
        listed.topic = message.sent.topic;
        listed.misfit = message.misfit;
        if (!message.is_read || !message.misfit.empty()) listed.payload = message.sent.payload;
        listed.created_at = message.created_at;
        listed.expires_at = message.sent.expires_at;
        listed.read_at = message.read_at;
    }
    return out;
}

bool MemoryStore::has_topic(std::string_view topic) {
    const Lock lock{disk_->mutex};
    const auto& messages = disk_->tables.messages();
    return std::any_of(messages.begin(), messages.end(),
                       [&](const auto& entry) { return entry.second.sent.topic == topic; });
}

std::vector<model::Worker> MemoryStore::workers() {
    const Lock lock{disk_->mutex};
    const auto& worker = disk_->tables.worker();
    return worker ? std::vector{*worker} : std::vector<model::Worker>{};
}

std::vector<std::string> MemoryStore::open_workflows() {
    const Lock lock{disk_->mutex};
    std::set<std::string> keys;
    for (const auto status : {RunStatus::Queued, RunStatus::Waiting, RunStatus::Running}) {
        for (const RunNo no : disk_->tables.runs_with(status)) {
            keys.insert(disk_->tables.run(no)->workflow_key);
        }
    }
    return {keys.begin(), keys.end()};
}

std::optional<Store::Cached> MemoryStore::find_cached(std::string_view key, Time now) {
    const Lock lock{disk_->mutex};
    const memory::CachedAnswer* found = disk_->tables.cached(key);
    if (found == nullptr || found->expires_at <= now) return std::nullopt;
    return found->answer;
}

std::vector<model::LedgerRow> MemoryStore::ledger(const model::LedgerFilter& filter) {
    const Lock lock{disk_->mutex};
    model::LedgerSums sums;
    const auto add = [&](const model::LedgerRow& row) {
        if (!model::matches(filter, row.day, row.workflow_key, row.organization_id)) return;
        model::add_to(model::row_of(sums, row.day, row.workflow_key, row.organization_id), row);
    };
    for (const RunNo no : disk_->tables.all_runs()) {
        const model::Run& run = *disk_->tables.run(no);
        if (!run.completed_at) continue;
        model::LedgerRow row = model::ledger_row_of(run);
        for (const model::Stage& stage : disk_->tables.stages(no)) model::add_stage(row, stage);
        add(row);
    }
    for (const auto& [names, row] : disk_->tables.ledger()) add(row);
    return model::rows_of(sums);
}

SqlResult MemoryStore::query(std::string_view sql, std::span<const SqlValue> parameters) {
    const Lock lock{disk_->mutex};
    return disk_->sql.body().query(sql, parameters);
}

std::int64_t MemoryStore::ask(const ControlRequest& request) {
    const Lock lock{disk_->mutex};
    return disk_->tables.insert_request(request);
}

std::optional<Store::Answer> MemoryStore::answer(std::int64_t request_id) {
    const Lock lock{disk_->mutex};
    const auto& requests = disk_->tables.requests();
    const auto found = requests.find(request_id);
    return found == requests.end() ? std::nullopt : found->second.answer;
}

std::string MemoryStore::name() const { return "memory"; }

}  // namespace belay::store
