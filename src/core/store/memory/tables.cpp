#include "core/store/memory/tables.hpp"

#include <algorithm>

#include "core/base/assert.hpp"

namespace belay::store::memory {

namespace {

bool can_be_claimed(const model::Run& run) {
    return run.status == RunStatus::Queued || run.status == RunStatus::Waiting;
}

}  // namespace

LinePlace line_place(const model::Run& run) {
    const std::int64_t turn = run.turn.value_or(0);
    return {turn > 0, -run.priority, turn, run.no};
}

Time due_at(const model::Run& run) { return run.wake_at.value_or(run.created_at); }

const model::Run* Tables::run(RunNo no) const {
    const auto found = rows_.find(no);
    return found == rows_.end() ? nullptr : &found->second.run;
}

const model::Run* Tables::run(std::string_view id) const {
    const auto found = by_id_.find(id);
    return found == by_id_.end() ? nullptr : run(found->second);
}

const model::Stage* Tables::stage(RunNo run, std::string_view path) const {
    const auto row = rows_.find(run);
    if (row == rows_.end()) return nullptr;
    const auto found = row->second.stages.find(path);
    return found == row->second.stages.end() ? nullptr : &found->second;
}

std::vector<model::Stage> Tables::stages(RunNo run) const {
    std::vector<model::Stage> out;
    if (const auto row = rows_.find(run); row != rows_.end()) {
        for (const auto& [path, stage] : row->second.stages) out.push_back(stage);
    }
    std::stable_sort(out.begin(), out.end(),
                     [](const auto& a, const auto& b) { return a.position < b.position; });
    return out;
}

std::vector<model::Attempt> Tables::attempts(RunNo run) const {
    const auto row = rows_.find(run);
    return row == rows_.end() ? std::vector<model::Attempt>{} : row->second.attempts;
}

std::vector<model::Death> Tables::deaths(RunNo run) const {
    std::vector<model::Death> out;
    if (const auto row = rows_.find(run); row != rows_.end()) {
        for (const auto& [key, death] : row->second.deaths) out.push_back(death);
    }
    std::stable_sort(out.begin(), out.end(), [](const auto& a, const auto& b) {
        return std::pair(a.epoch, a.last_seen) < std::pair(b.epoch, b.last_seen);
    });
    return out;
}

void Tables::put_death(RunNo run, const model::Death& death) {
    auto& deaths = rows_.at(run).deaths;
    undo_.emplace_back([&deaths, before = deaths] { deaths = before; });
    deaths[{death.epoch, death.worker}] = death;
}

model::Said Tables::said(RunNo run) const {
    const auto row = rows_.find(run);
    return row == rows_.end() ? model::Said{} : row->second.said;
}

void Tables::add_said(RunNo run, const model::Said& more) {
    model::Said& said = rows_.at(run).said;
    undo_.emplace_back([&said, before = said] { said = before; });
    for (const auto& [name, value] : more.labels) said.labels.insert_or_assign(name, value);
    for (const auto& [name, value] : more.exposed) said.exposed.insert_or_assign(name, value);
}

const std::set<RunNo>& Tables::runs_with(RunStatus status) const {
    static const std::set<RunNo> none;
    const auto found = by_status_.find(status);
    return found == by_status_.end() ? none : found->second;
}

RunNo Tables::insert_run(model::Run run) {
    const RunNo before = last_run_;
    run.no = last_run_ = RunNo{last_run_.value + 1};
    by_id_.emplace(run.id, run.no);
    index(run);
    rows_[run.no].run = run;
    if (run.parent) children_[run.parent].insert(run.no);
    undo_.emplace_back([this, before, no = run.no] {
        const auto row = rows_.find(no);
        if (const RunNo parent = row->second.run.parent) children_[parent].erase(no);
        unindex(row->second.run);
        by_id_.erase(row->second.run.id);
        rows_.erase(row);
        last_run_ = before;
    });
    return run.no;
}

void Tables::put_run(const model::Run& run) {
    undo_.emplace_back([this, before = rows_.at(run.no).run] { replace(before.no, before); });
    replace(run.no, run);
}

void Tables::put_stage(RunNo run, const model::Stage& stage) {
    auto& stages = rows_.at(run).stages;
    if (const auto found = stages.find(stage.path); found != stages.end()) {
        undo_.emplace_back([&stages, before = found->second] { stages[before.path] = before; });
        found->second = stage;
    } else {
        undo_.emplace_back([&stages, path = stage.path] { stages.erase(path); });
        stages.emplace(stage.path, stage);
    }
}

void Tables::remove_stage(RunNo run, const std::string& path) {
    Row& row = rows_.at(run);
    undo_.emplace_back([&row, stages = row.stages, attempts = row.attempts] {
        row.stages = stages;
        row.attempts = attempts;
    });
    row.stages.erase(path);
    std::erase_if(row.attempts, [&](const auto& attempt) { return attempt.path == path; });
}

void Tables::add_attempt(RunNo run, const model::Attempt& attempt) {
    auto& attempts = rows_.at(run).attempts;
    undo_.emplace_back([&attempts] { attempts.pop_back(); });
    attempts.push_back(attempt);
}

std::int64_t Tables::insert_request(ControlRequest request) {
    request.id = ++last_request_;
    requests_.emplace(request.id, Request{std::move(request), std::nullopt});
    return last_request_;
}

void Tables::answer_request(std::int64_t id, Store::Answer answer) {
    const auto found = requests_.find(id);
    if (found == requests_.end() || found->second.answer) return;
    undo_.emplace_back([this, id] { requests_.at(id).answer.reset(); });
    found->second.answer = std::move(answer);
}

std::vector<std::pair<RunNo, std::string>> Tables::waiters(RunNo run) const {
    const auto found = waiters_.find(run);
    if (found == waiters_.end()) return {};
    return {found->second.begin(), found->second.end()};
}

std::vector<std::pair<RunNo, std::string>> Tables::awaited_by(RunNo waiter) const {
    std::vector<std::pair<RunNo, std::string>> found;
    for (const auto& [run, waiters] : waiters_) {
        for (const auto& [who, path] : waiters) {
            if (who == waiter) found.emplace_back(run, path);
        }
    }
    return found;
}

std::vector<std::pair<RunNo, std::string>> Tables::came(RunNo waiter) const {
    const auto found = came_.find(waiter);
    if (found == came_.end()) return {};
    return {found->second.begin(), found->second.end()};
}

std::vector<RunNo> Tables::children(RunNo run) const {
    const auto found = children_.find(run);
    if (found == children_.end()) return {};
    return {found->second.begin(), found->second.end()};
}

void Tables::add_message(model::NewMessage message, Time now) {
    const std::int64_t id = ++last_message_;
    messages_.emplace(id, Message{id, std::move(message), now, false, {}});
    undo_.emplace_back([this, id] { messages_.erase(id); });
}

void Tables::read_message(std::int64_t id, Time now, std::string misfit) {
    Message& message = messages_.at(id);
    message.is_read = true;
    message.read_at = now;
    message.misfit = std::move(misfit);
    undo_.emplace_back([this, id] {
        messages_.at(id).is_read = false;
        messages_.at(id).read_at.reset();
        messages_.at(id).misfit.clear();
    });
}

void Tables::forget_history(RunNo run) {
    Row& row = rows_.at(run);
    undo_.emplace_back([&row, stages = row.stages, attempts = row.attempts] {
        row.stages = stages;
        row.attempts = attempts;
    });
    row.stages.clear();
    row.attempts.clear();
}

void Tables::put_worker(model::Worker worker) {
    undo_.emplace_back([this, before = worker_] { worker_ = before; });
    worker_ = std::move(worker);
}

void Tables::add_waiter(RunNo run, RunNo waiter, const std::string& path) {
    if (!waiters_[run].emplace(waiter, path).second) return;
    undo_.emplace_back([this, run, waiter, path] { waiters_[run].erase({waiter, path}); });
}

void Tables::remove_waiters(RunNo run) {
    undo_.emplace_back([this, run, before = waiters_[run]] { waiters_[run] = before; });
    waiters_.erase(run);
}

void Tables::put_came(RunNo waiter, RunNo run, const std::string& path) {
    if (!came_[waiter].emplace(run, path).second) return;
    undo_.emplace_back([this, waiter, run, path] { came_[waiter].erase({run, path}); });
}

void Tables::remove_came(RunNo waiter, RunNo run, const std::string& path) {
    const auto found = came_.find(waiter);
    if (found == came_.end() || found->second.erase({run, path}) == 0) return;
    undo_.emplace_back([this, waiter, run, path] { came_[waiter].emplace(run, path); });
}

void Tables::roll_back_to(Mark mark) {
    BELAY_ASSERT(mark <= undo_.size(), "what was kept cannot be taken back");
    while (undo_.size() > mark) {
        undo_.back()();
        undo_.pop_back();
    }
}

void Tables::replace(RunNo no, const model::Run& run) {
    model::Run& row = rows_.at(no).run;
    BELAY_ASSERT(row.id == run.id, "run {} cannot change its id", no);
    unindex(row);
    row = run;
    index(row);
}

void Tables::index(const model::Run& run) {
    by_status_[run.status].insert(run.no);
    if (!run.schedule.empty() && !run.completed_at) unfinished_[run.schedule].insert(run.no);
    if (!run.dedupe_id.empty() && !run.completed_at) dedupe_[run.dedupe_id].insert(run.no);
    if (!can_be_claimed(run)) return;
    if (!run.turn) {
        due_.emplace(due_at(run), run.no);
        return;
    }
    lines_[run.queue].insert(line_place(run));
    turns_[{{run.queue, run.priority}, run.partition}].insert(*run.turn);
}

void Tables::unindex(const model::Run& run) {
    by_status_[run.status].erase(run.no);
    if (!run.schedule.empty()) unfinished_[run.schedule].erase(run.no);
    if (!run.dedupe_id.empty()) dedupe_[run.dedupe_id].erase(run.no);
    if (!can_be_claimed(run)) return;
    if (!run.turn) {
        due_.erase({due_at(run), run.no});
        return;
    }
    auto& line = lines_[run.queue];
    line.erase(line_place(run));
    if (line.empty()) lines_.erase(run.queue);
    auto& turns = turns_[{{run.queue, run.priority}, run.partition}];
    turns.erase(turns.find(*run.turn));
}

}  // namespace belay::store::memory
