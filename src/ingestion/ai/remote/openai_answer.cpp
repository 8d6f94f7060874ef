#include "ingestion/ai/remote/openai_answer.hpp"

#include <boost/json.hpp>

namespace belay::ai::remote {

Cost openai_cost(const boost::json::value& answer, const Prices& prices, const std::string& model) {
    const auto* object = answer.if_object();
    const auto* usage = object ? object->if_contains("usage") : nullptr;
    const auto tokens = [&](const char* name) -> std::int64_t {
        const auto* count =
            usage && usage->is_object() ? usage->get_object().if_contains(name) : nullptr;
        return count && count->is_int64() ? count->get_int64() : 0;
    };
    return priced(prices, model, tokens("prompt_tokens"), tokens("completion_tokens"));
}

}  // namespace belay::ai::remote
