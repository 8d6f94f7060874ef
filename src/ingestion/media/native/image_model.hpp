// image_model.hpp — a TensorFlow Lite model that tells what a picture shows.
#pragma once

#include <string>
#include <vector>

#include "ingestion/media/native/classifier_files.hpp"
#include "ingestion/media/native/image.hpp"
#include "ingestion/media/native/tflite_api.hpp"

namespace belay::media {

// Loaded once, in the helper; each job then uses its own copy of the process. Nothing is ever freed. One
// thread.
class ImageModel {
public:
    // Throws std::runtime_error if the files are not a model with one RGB picture in and a score per label out.
    explicit ImageModel(ClassifierFiles files);

    struct Score {
        int index = 0;  // of the class, background not counted
        double score = 0;
        const std::string* label = nullptr;
    };
    // The best `top` classes, best first. Throws std::runtime_error if the model fails.
    std::vector<Score> classify(const Image& image, int top);

    const std::string& name() const { return files_.settings.name; }
    int side() const { return width_ > height_ ? width_ : height_; }

private:
    void require_picture_input();
    void require_score_output();
    void add_scores(const Image& exact, std::vector<double>& sum);
    void put(const Image& exact);

    ClassifierFiles files_;
    TfLiteApi api_;
    void* interpreter_ = nullptr;
    void* input_ = nullptr;
    const void* output_ = nullptr;
    TfLiteApi::Type input_type_{};
    TfLiteApi::Type output_type_{};
    int width_ = 0, height_ = 0;
    int classes_ = 0;
};

}  // namespace belay::media
