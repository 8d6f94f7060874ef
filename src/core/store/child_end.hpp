// child_end.hpp — what every store records of a child that is over, and why it refuses a message.
#pragma once

#include <optional>
#include <string>

#include "core/model/message.hpp"
#include "core/model/run.hpp"
#include "core/model/stage.hpp"

namespace belay::store {

// Makes `stage` the record of how the run it awaits ended: its result, its failure, or that it does not
// exist (any more). False, and nothing changed, if that run is not over.
bool record_child_end(model::Stage& stage, const std::string& child_id,
                      const std::optional<model::Run>& child, Time now);

// The child's id is taken by a run of another workflow or with another input.
void record_mismatch(model::Stage& stage, const std::string& child_id, Time now);

// The child was to wait in a queue that does not exist.
void record_unknown_queue(model::Stage& stage, const std::string& queue, Time now);
// A sentence for whoever named it.
std::string unknown_queue(const std::string& queue);

// Why a run cannot be sent this message: a sentence, empty if it can. It need not exist.
std::string refuses_message(const std::optional<model::Run>& run, const model::NewMessage& message);
// Until when it waits to be read: a message for a run that does not exist yet does not wait for ever.
std::optional<Time> expiry_of(const std::optional<model::Run>& run,
                              const model::NewMessage& message, Time now);
std::string too_many_unread(const std::string& run_id);

}  // namespace belay::store
