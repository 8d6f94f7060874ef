// workers_ai.hpp — the classifier of Cloudflare Workers AI: @cf/microsoft/resnet-50 over HTTP.
#pragma once

#include <string>

#include "ingestion/ai/classifier.hpp"
#include "ingestion/ai/remote/endpoint.hpp"

namespace belay::ai::remote {

struct WorkersAiOptions {
    std::string account_id;
    std::string api_token;
    std::string base_url = "https://api.cloudflare.com/client/v4";
    std::string model = "@cf/microsoft/resnet-50";
    std::size_t image_bytes_max =
        10 * 1024 * 1024;  // larger ones are refused here, before they travel
    Duration time_max = std::chrono::minutes{1};
};

class WorkersAiClassifier final : public Classifier {
public:
    // Throws Error{InvalidArgument} naming the option that cannot be. `client` and `clock` outlive this.
    WorkersAiClassifier(WorkersAiOptions options, http::Client& client, const env::Clock& clock);

    Classification classify(std::string_view image, int top, std::stop_token stop = {}) override;
    std::string model() const override { return options_.model; }

private:
    WorkersAiOptions options_;
    Endpoint endpoint_;
};

}  // namespace belay::ai::remote
