// openai_answer.hpp — the parts that all of OpenAI's answers have.
#pragma once

#include <string>

#include <boost/json/value.hpp>

#include "ingestion/ai/price.hpp"

namespace belay::ai::remote {

// What {"usage": {"prompt_tokens", "completion_tokens"}} says, priced; nothing used if it is missing.
Cost openai_cost(const boost::json::value& answer, const Prices& prices, const std::string& model);

}  // namespace belay::ai::remote
