#include "ingestion/ai/local_classifier.hpp"

#include <utility>

#include <belay/error.hpp>

#include "ingestion/isolate/call.hpp"
#include "ingestion/media/jobs.hpp"

namespace belay::ai {
namespace {

// Whether the same bytes would fail the same way again.
bool is_final(const isolate::JobFailed& failure) {
    switch (failure.code()) {
        case isolate::FailureCode::Rejected:
        case isolate::FailureCode::OutOfMemory:
        case isolate::FailureCode::OutputTooLarge:
            return true;
        default:
            return false;
    }
}

}  // namespace

LocalClassifier::LocalClassifier(isolate::Pool& pool, LocalClassifierOptions options)
    : pool_(pool), options_(std::move(options)),
      model_(std::make_shared<const std::string>("local")) {}

Classification LocalClassifier::classify(std::string_view image, int top, std::stop_token stop) {
    std::vector<isolate::Blob> inputs;
    inputs.push_back(isolate::Blob::of(image));
    try {
        const media::ClassifyImage::Arguments arguments{.top = top};
        auto reply = isolate::call<media::ClassifyImage>(pool_, arguments, std::move(inputs),
                                                         options_.limits, std::move(stop),
                                                         {.kind = isolate::JobKind::Short});
        Classification answer{.model = std::move(reply.value.model)};
        for (auto& label : reply.value.labels) {
            answer.labels.push_back({std::move(label.label), label.score, label.index});
        }
        answer = validated(std::move(answer), top);
        if (const auto known = model_.load(); *known != answer.model) {
            model_.store(std::make_shared<const std::string>(answer.model));
        }
        return answer;
    } catch (const isolate::JobFailed& failure) {
        if (is_final(failure)) throw NonRetryable(failure.what());
        throw;
    }
}

std::string LocalClassifier::model() const { return *model_.load(); }

}  // namespace belay::ai
