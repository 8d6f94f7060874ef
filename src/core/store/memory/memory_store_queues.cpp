// memory_store_queues.cpp — how queues and schedules of a memory store stand, for people.
#include <algorithm>
#include <map>

#include "core/store/memory/memory_disk.hpp"
#include "core/store/memory/memory_store.hpp"
#include "core/store/memory/queue_load.hpp"

namespace belay::store {

namespace {

using Lock = std::lock_guard<std::recursive_mutex>;

}  // namespace

std::vector<QueueInfo> MemoryStore::queues(Time now, std::string_view organization) {
    const Lock lock{disk_->mutex};
    const memory::Tables& tables = disk_->tables;
    std::vector<QueueInfo> out;
    for (const auto& [name, queue] : tables.queues()) {
        QueueInfo info;
        info.name = name;
        info.limits = queue.limits;
        info.paused = queue.paused;
        info.pause_reason = queue.pause_reason;
        for (const RunStatus status :
             {RunStatus::Queued, RunStatus::Running, RunStatus::Waiting, RunStatus::Paused}) {
            for (const RunNo no : tables.runs_with(status)) {
                const model::Run& run = *tables.run(no);
                if (run.queue != name) continue;
                if (!organization.empty() && run.organization_id != organization) continue;
                const bool in_line =
                    run.turn && (status == RunStatus::Queued || status == RunStatus::Waiting);
                if (in_line) {
                    ++info.in_line;
                    info.oldest_at =
                        std::min(info.oldest_at.value_or(run.created_at), run.created_at);
                } else {
                    ++(status == RunStatus::Queued    ? info.delayed
                       : status == RunStatus::Running ? info.running
                       : status == RunStatus::Waiting ? info.waiting
                                                      : info.paused_runs);
                }
            }
        }
        if (queue.limits.rate) {
            info.tokens_left = std::max<std::int64_t>(
                0, queue.limits.rate->starts - memory::load_of(tables, queue, "", now).starts);
        }
        out.push_back(std::move(info));
    }
    return out;
}

std::optional<model::QueuePlace> MemoryStore::place_in_queue(RunNo no, Time now) {
    const Lock lock{disk_->mutex};
    const memory::Tables& tables = disk_->tables;
    const model::Run* run = tables.run(no);
    if (run == nullptr || !run->turn) return std::nullopt;
    if (run->status != RunStatus::Queued && run->status != RunStatus::Waiting) return std::nullopt;
    model::QueuePlace place;
    place.queue = memory::queue_or_free(tables, run->queue);
    place.has_begun = *run->turn == 0;
    for (const memory::LinePlace& other : tables.lines().at(run->queue)) {
        if (other < memory::line_place(*run)) ++place.ahead;
    }
    model::QueueLoad load = memory::load_of(tables, place.queue, "", now);
    std::map<std::string, std::int64_t> by_worker;
    for (const RunNo other : tables.runs_with(RunStatus::Running)) {
        const model::Run& running = *tables.run(other);
        if (running.queue == run->queue) ++by_worker[running.worker];
    }
    load.running_here = 0;
    for (const auto& [worker, count] : by_worker) {
        load.running_here = load.running_here == 0 ? count : std::min(load.running_here, count);
    }
    const model::QueueRoom room = model::room_in(place.queue, load, now);
    place.running = load.running;
    place.held_up_by = room.held_up_by;
    place.next_token = room.next_token;
    if (place.has_begun && room.held_up_by == model::HeldUpBy::Rate) {
        place.held_up_by = model::HeldUpBy::Nothing;
        place.next_token.reset();
    }
    return place;
}

std::vector<model::StoredSchedule> MemoryStore::schedules() {
    const Lock lock{disk_->mutex};
    std::vector<model::StoredSchedule> out;
    for (const auto& [name, schedule] : disk_->tables.schedules()) out.push_back(schedule);
    return out;
}

}  // namespace belay::store
