// queue_load.hpp — a queue's load, counted from the memory store's rows.
#pragma once

#include <string>

#include "core/model/queue.hpp"
#include "core/store/memory/tables.hpp"

namespace belay::store::memory {

// One that does not exist has no limits.
model::Queue queue_or_free(const Tables& tables, const std::string& name);

model::QueueLoad load_of(const Tables& tables, const model::Queue& queue, const std::string& worker,
                         Time now);

}  // namespace belay::store::memory
