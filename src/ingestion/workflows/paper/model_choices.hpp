// model_choices.hpp — AI1, AI2 and AI4 by a model: what a paper is, who paid, and its entries. model_tasks.hpp has the rest.
#pragma once

#include <optional>
#include <string_view>

#include "ingestion/ai/extractor.hpp"

namespace belay::workflows {

// The prompt and schema of Analyst::kDocumentType, kExpenseType, kAccounting; nothing for another.
std::optional<ai::Task> choice_task(std::string_view task);

}  // namespace belay::workflows
