// classify_job.cpp — what a picture shows, by the model that the helper loaded before it forked.
#include <algorithm>
#include <optional>
#include <stdexcept>

#include "ingestion/isolate/registry.hpp"
#include "ingestion/media/jobs.hpp"
#include "ingestion/media/native/image.hpp"
#include "ingestion/media/native/image_model.hpp"
#include "ingestion/media/native/inputs.hpp"
#include "ingestion/media/native/register.hpp"

namespace belay::media {
namespace {

// One per helper: made by the warm-up, copied into every job by fork.
std::optional<ImageModel> model;

void warm_up() {
    model.emplace(find_classifier());
    // The first run prepares what every later one uses; done here, no job pays for it.
    model->classify(Image(model->side(), model->side()), 1);
}

ClassifyImage::Result classify(const ClassifyImage::Arguments& arguments,
                               const isolate::Request& request) {
    const auto image = decode_image(only_input(request), {}, 2 * model->side());
    ClassifyImage::Result result{.model = model->name()};
    for (const auto& score : model->classify(image, std::clamp(arguments.top, 1, 1000))) {
        result.labels.push_back({*score.label, score.score, score.index});
    }
    return result;
}

}  // namespace

void register_classify_job(isolate::Registry& registry) {
    registry.add<ClassifyImage>(classify, {.warm_up = warm_up});
}

}  // namespace belay::media
