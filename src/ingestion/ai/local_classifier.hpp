// local_classifier.hpp — the classifier that needs no network: the job classify_image of belay-media.
#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <string>

#include "ingestion/ai/classifier.hpp"
#include "ingestion/isolate/job.hpp"
#include "ingestion/isolate/pool.hpp"

namespace belay::ai {

struct LocalClassifierOptions {
    // For one picture. The worst that passes the limits on pixels, a progressive JPEG of 100 million, takes 3 s; a
    // machine under load gives a job less than a core.
    isolate::Limits limits{.cpu_time = std::chrono::seconds{9},
                           .wall_time = std::chrono::seconds{60},
                           .output_bytes = 1u << 20};
};

// The pool must outlive it. Throws, beside what the interface says, isolate::JobFailed for what may pass: a
// crash, a time-out, a stop.
class LocalClassifier final : public Classifier {
public:
    explicit LocalClassifier(isolate::Pool& pool, LocalClassifierOptions options = {});

    Classification classify(std::string_view image, int top, std::stop_token stop = {}) override;

    // Until the first answer it is not known which model is installed: then "local".
    std::string model() const override;

private:
    isolate::Pool& pool_;
    const LocalClassifierOptions options_;
    // Replaced whole when an answer names another model, so readers never see half a name.
    std::atomic<std::shared_ptr<const std::string>> model_;
};

}  // namespace belay::ai
