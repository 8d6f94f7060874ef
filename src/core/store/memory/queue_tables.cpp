// queue_tables.cpp — the memory store's rows of queues and schedules.
#include "core/store/memory/tables.hpp"

namespace belay::store::memory {

namespace {

// Puts a row into a map and gives the note that takes it back.
template <class Map>
std::function<void()> replaced(Map& map, const typename Map::key_type& key,
                               std::optional<typename Map::mapped_type> value) {
    std::optional<typename Map::mapped_type> before;
    if (const auto found = map.find(key); found != map.end()) before = found->second;
    const auto put = [&map, key](const std::optional<typename Map::mapped_type>& row) {
        if (row) {
            map[key] = *row;
        } else {
            map.erase(key);
        }
    };
    put(value);
    return [put, before] { put(before); };
}

}  // namespace

std::int64_t Tables::last_turn(const Lane& lane, const std::string& partition) const {
    const auto found = turns_.find({lane, partition});
    return found == turns_.end() || found->second.empty() ? 0 : *found->second.rbegin();
}

std::int64_t Tables::served_turn(const Lane& lane) const {
    const auto found = served_.find(lane);
    return found == served_.end() ? 0 : found->second;
}

const std::map<Time, std::int64_t>& Tables::starts(const std::string& queue) const {
    static const std::map<Time, std::int64_t> none;
    const auto found = starts_.find(queue);
    return found == starts_.end() ? none : found->second;
}

const model::Run* Tables::dedupe(const model::NewRun& asked) const {
    if (asked.dedupe_id.empty()) return nullptr;
    const auto found = dedupe_.find(asked.dedupe_id);
    if (found == dedupe_.end()) return nullptr;
    for (const RunNo no : found->second) {
        const model::Run* one = run(no);
        if (one->queue == asked.queue && one->organization_id == asked.organization_id) return one;
    }
    return nullptr;
}

std::vector<RunNo> Tables::unfinished_of(const std::string& schedule) const {
    const auto found = unfinished_.find(schedule);
    if (found == unfinished_.end()) return {};
    return {found->second.begin(), found->second.end()};
}

void Tables::put_queue(const model::Queue& queue) {
    undo_.push_back(replaced(queues_, queue.name, queue));
}

void Tables::remove_queue(const std::string& name) {
    undo_.push_back(replaced(queues_, name, std::nullopt));
    undo_.push_back(replaced(starts_, name, std::nullopt));
    undo_.emplace_back([this, before = served_] { served_ = before; });
    std::erase_if(served_, [&](const auto& lane) { return lane.first.first == name; });
}

void Tables::put_schedule(const model::StoredSchedule& schedule) {
    undo_.push_back(replaced(schedules_, schedule.schedule.name, schedule));
}

void Tables::remove_schedule(const std::string& name) {
    undo_.push_back(replaced(schedules_, name, std::nullopt));
}

void Tables::serve_turn(const Lane& lane, std::int64_t turn) {
    undo_.push_back(replaced(served_, lane, std::max(turn, served_turn(lane))));
}

void Tables::take_token(const std::string& queue, Time counted_at) {
    auto after = starts(queue);
    ++after[counted_at];
    undo_.push_back(replaced(starts_, queue, std::move(after)));
}

}  // namespace belay::store::memory
