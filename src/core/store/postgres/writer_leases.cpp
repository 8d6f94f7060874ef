// writer_leases.cpp — who may write for a run: the locks that a batch takes, and the epochs that it reads under them.
//
// A batch first locks its worker's row FOR KEY SHARE, then the run rows that it will change, in the order of their
// numbers, then reads the epochs; whoever takes a running run away locks that worker's row FOR UPDATE, and changes its
// mark. docs/internals/leases.md has the races.
#include <algorithm>

#include "core/store/postgres/writer.hpp"

namespace belay::store::postgres {

namespace {

bool speaks_for_run(const Verb& verb, std::int64_t& run) {
    return std::visit(
        [&](const auto& v) {
            if constexpr (requires { v.lease; }) {
                run = v.lease.run.value;
                return true;
            } else {
                return false;
            }
        },
        verb);
}

// What a batch will lock before it reads.
struct Locks {
    std::vector<std::int64_t> read{};  // runs whose lease is checked
    IntegerArray runs{};
    TextArray ids{};
    IntegerArray ending{};
    bool any = false;

    void add_run(std::int64_t run) {
        runs.add(run);
        any = true;
    }
    void add_id(const std::string& id) {
        ids.add(std::string_view(id));
        any = true;
    }
};

Locks locks_of(const Batch& batch) {
    Locks locks;
    for (const Verb& verb : batch.verbs) {
        std::int64_t run = 0;
        if (speaks_for_run(verb, run)) {
            locks.read.push_back(run);
            const auto* record = std::get_if<Record>(&verb);
            if (record == nullptr || record->body || record->touch_run || record->progress ||
                record->skip_inside) {
                locks.add_run(run);
            }
        }
        if (std::holds_alternative<End>(verb)) locks.ending.add(run);
        if (const auto* await = std::get_if<Await>(&verb);
            await != nullptr && !await->child_id.empty()) {
            locks.add_id(await->child_id);
        }
        if (const auto* send = std::get_if<Send>(&verb)) locks.add_id(send->message.run_id);
        if (const auto* wake = std::get_if<Wake>(&verb)) locks.add_run(wake->run.value);
        if (const auto* control = std::get_if<Control>(&verb)) locks.add_id(control->run_id);
    }
    std::sort(locks.read.begin(), locks.read.end());
    locks.read.erase(std::unique(locks.read.begin(), locks.read.end()), locks.read.end());
    return locks;
}

}  // namespace

void Writer::begin(const Batch& batch) {
    begin_anew();
    const Locks locks = locks_of(batch);
    connection_.send("BEGIN");
    if (!locks.read.empty() && !worker_.empty()) {
        TextArray names;
        names.add(std::string_view(worker_));
        Parameters parameters;
        names.give(parameters);
        statements_.lock_workers.send(parameters);
    }
    if (locks.any) {
        Parameters parameters;
        locks.runs.give(parameters);
        locks.ids.give(parameters);
        locks.ending.give(parameters);
        statements_.lock_runs.send(parameters);
    }
    if (locks.read.empty()) {
        connection_.finish();
        return;
    }
    ask_held(locks.read);
    const auto results = connection_.finish();
    if (!worker_.empty()) {
        Rows own{results[1]};
        runs_.learn_mark(own.next() ? own.text(1) : "");
    }
    lock_others(learn_held(results.back()), locks.read);
}

void Writer::read_held(const std::vector<std::int64_t>& runs) {
    ask_held(runs);
    lock_others(learn_held(connection_.finish().back()), runs);
}

void Writer::ask_held(const std::vector<std::int64_t>& runs) {
    IntegerArray ids;
    for (const std::int64_t run : runs) ids.add(run);
    Parameters parameters;
    ids.give(parameters);
    statements_.held_run.send(parameters);
}

// Gives the other workers that hold some of them.
std::vector<std::string> Writer::learn_held(const Result& held) {
    std::vector<std::string> others;
    Rows row{held};
    while (row.next()) {
        const RunNo run{row.integer(0)};
        if (row.text(2) != to_string(RunStatus::Running)) {
            runs_.forget(run);
            continue;
        }
        const bool is_others = row.text(8) != worker_;
        if (is_others) others.emplace_back(row.text(8));
        HeldRun* held = runs_.refresh(run, {.epoch = row.integer(1),
                                            .recoveries = row.integer(3),
                                            .cancel_requested = row.integer(4) != 0,
                                            .pause_requested = row.integer(5) != 0,
                                            .signals = row.integer(6),
                                            .is_awaited = row.integer(7) != 0});
        // Who takes it changes the mark of its holder, not this worker's.
        if (is_others) held->mark = kNoMark;
    }
    return others;
}

// Runs that another holds: what was read of them counts only under that one's lock.
void Writer::lock_others(std::vector<std::string> names, const std::vector<std::int64_t>& runs) {
    if (names.empty()) return;
    std::sort(names.begin(), names.end());
    names.erase(std::unique(names.begin(), names.end()), names.end());
    lock_workers(names);
    ask_held(runs);
    learn_held(connection_.finish().back());
}

void Writer::lock_workers(const std::vector<std::string>& names) {
    TextArray array;
    for (const std::string& name : names) array.add(std::string_view(name));
    Parameters parameters;
    array.give(parameters);
    statements_.bury_workers.send(parameters);
    statements_.lock_workers.send(parameters);
    connection_.finish();
}

HeldRun* Writer::held(const Lease& lease) {
    HeldRun* run = runs_.find(lease.run);
    if (run == nullptr) {
        // Forgotten in this batch, by an end or a body that was taken back.
        flush();
        read_held({lease.run.value});
        run = runs_.find(lease.run);
        if (run == nullptr) return nullptr;
    }
    return run->epoch == lease.epoch ? run : nullptr;
}

// The mark as it is now. What was read before it was learnt does not count under it.
void Writer::learn_mark() {
    Rows row{statements_.mark_of_worker, worker_};
    runs_.learn_mark(row.next() ? row.text(0) : "");
}

// Not waited for. Their rows are locked.
void Writer::mark_workers(const std::vector<std::string>& names) {
    TextArray array;
    for (const std::string& name : names) array.add(std::string_view(name));
    Parameters parameters;
    array.give(parameters);
    statements_.mark_workers.send(parameters);
}

}  // namespace belay::store::postgres
