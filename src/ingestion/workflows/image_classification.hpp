// image_classification.hpp — IMAGE_CLASSIFICATION: what does this picture show?
//
//   load-image              the file's row leads to bytes that are whole and are still the ones uploaded
//   classify-image          the model's ranked labels; an empty answer is a failure
//   persist-classification  onto the Upload row, in the transaction of the stage
//
// The Upload row follows the run by hooks, in the same commits: workflow_running when it starts, and
// classification_failed with the reason however it fails. (Specification 000.)
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <boost/describe.hpp>

#include <belay/engine.hpp>

#include "ingestion/ai/classifier.hpp"
#include "ingestion/ai/patience.hpp"
#include "ingestion/isolate/turns.hpp"
#include "ingestion/objects/store.hpp"

namespace belay::workflows {

inline constexpr std::string_view kImageClassification = "IMAGE_CLASSIFICATION";

// The run's result.
struct ImageResult {
    std::vector<ai::Label> labels{};  // best first, never empty
};
BOOST_DESCRIBE_STRUCT(ImageResult, (), (labels))

// What the steps use; all of it outlives the engine's work.
struct ImageServices {
    Engine& engine;
    objects::Store& object_store;
    ai::Classifier& classifier;
    isolate::Turns* turns = nullptr;  // at the helper that the classifier asks; null: it asks none
    Duration model_patience = ai::kModelPatience;  // of a model that is asked over the network
};

// Before Engine::start. The tables are those of ingest::migrations().
void define_image_classification(ImageServices services);

}  // namespace belay::workflows
