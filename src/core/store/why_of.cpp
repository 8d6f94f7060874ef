#include "core/store/why_of.hpp"

#include "core/model/awaited.hpp"

namespace belay::store {

namespace {

// One is told of; a fan may wait for a hundred thousand.
constexpr std::size_t kChildrenRead = 20;

}  // namespace

model::Why why_of(Store& store, const model::Run& run,
                  const std::optional<model::Executor>& executor, Time now) {
    const auto stages = store.stages(run.no);
    model::Around around;
    around.executor = executor;
    if (!is_finished(run.status)) {
        around.workers = store.workers();
        around.place = store.place_in_queue(run.no, now);
        around.knows_children = true;
        for (const std::string& id : model::awaited_children(stages)) {
            if (around.children.size() == kChildrenRead) break;
            if (auto child = store.find_run(id)) around.children.push_back(*std::move(child));
        }
    }
    return model::why(run, stages, store.attempts(run.no), around, now);
}

}  // namespace belay::store
