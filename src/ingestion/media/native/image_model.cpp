#include "ingestion/media/native/image_model.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>
#include <stdexcept>

#include <fmt/format.h>

#include "ingestion/media/native/resize.hpp"

namespace belay::media {
namespace {

constexpr int kSideMax = 2048;  // of a model's input

Image view_of(const Image& image, const std::string& view, int width, int height) {
    if (view == "whole") return resized(image, width, height);
    if (view == "center") return resized(center_cropped(image, width, height), width, height);
    if (view == "center87") {
        const auto larger = resized(image, width * 8 / 7, height * 8 / 7);
        Image out(width, height);
        const int left = (larger.width - width) / 2, top = (larger.height - height) / 2;
        for (int y = 0; y < height; ++y) {
            std::memcpy(out.row(y), larger.row(top + y) + 3 * static_cast<std::size_t>(left),
                        3 * static_cast<std::size_t>(width));
        }
        return out;
    }
    throw std::runtime_error(fmt::format("classifier.json: there is no view called '{}'", view));
}

// Some models end before the last layer that makes probabilities of their numbers.
void make_probabilities(std::vector<double>& scores) {
    const double sum = std::accumulate(scores.begin(), scores.end(), 0.0);
    const auto [low, high] = std::minmax_element(scores.begin(), scores.end());
    if (*low >= 0 && *high <= 1.0001 && sum < 1.5) return;
    const double top = *high;
    double total = 0;
    for (auto& score : scores) total += score = std::exp(score - top);
    for (auto& score : scores) score /= total;
}

}  // namespace

ImageModel::ImageModel(ClassifierFiles files)
    : files_(std::move(files)), api_(TfLiteApi::load(files_.settings.library)) {
    void* model = api_.model_from_file(files_.settings.model.c_str());
    if (!model)
        throw std::runtime_error(
            fmt::format("{} is no TensorFlow Lite model", files_.settings.model));
    void* options = api_.options_create();
    api_.options_set_threads(options, 1);  // the helper forks: it may have no other thread
    interpreter_ = api_.interpreter_create(model, options);
    api_.options_delete(options);
    if (!interpreter_ || api_.allocate_tensors(interpreter_) != TfLiteApi::Ok) {
        throw std::runtime_error(fmt::format("{} cannot be run by TensorFlow Lite {}",
                                             files_.settings.model, api_.version()));
    }
    require_picture_input();
    require_score_output();
    for (const auto& view : files_.settings.views) view_of(Image(8, 8), view, 8, 8);
}

void ImageModel::require_picture_input() {
    if (api_.input_count(interpreter_) != 1)
        throw std::runtime_error("the model must take one picture");
    input_ = api_.input(interpreter_, 0);
    input_type_ = api_.tensor_type(input_);
    if (api_.tensor_dimensions(input_) != 4 || api_.tensor_dimension(input_, 0) != 1 ||
        api_.tensor_dimension(input_, 3) != 3) {
        throw std::runtime_error("the model must take a picture of 1 x height x width x 3");
    }
    height_ = api_.tensor_dimension(input_, 1);
    width_ = api_.tensor_dimension(input_, 2);
    if (width_ < 1 || height_ < 1 || width_ > kSideMax || height_ > kSideMax) {
        throw std::runtime_error(fmt::format("the model takes pictures of {}x{}", width_, height_));
    }
    const auto values = static_cast<std::size_t>(width_) * static_cast<std::size_t>(height_) * 3;
    const std::size_t each = input_type_ == TfLiteApi::Float32 ? 4 : 1;
    if ((input_type_ != TfLiteApi::Float32 && input_type_ != TfLiteApi::UInt8 &&
         input_type_ != TfLiteApi::Int8) ||
        api_.tensor_bytes(input_) != values * each) {
        throw std::runtime_error("the model must take numbers as float32, uint8 or int8");
    }
}

void ImageModel::require_score_output() {
    if (api_.output_count(interpreter_) < 1) throw std::runtime_error("the model gives nothing");
    output_ = api_.output(interpreter_, 0);
    output_type_ = api_.tensor_type(output_);
    if (output_type_ != TfLiteApi::Float32 && output_type_ != TfLiteApi::UInt8 &&
        output_type_ != TfLiteApi::Int8) {
        throw std::runtime_error("the model must give numbers as float32, uint8 or int8");
    }
    const std::size_t each = output_type_ == TfLiteApi::Float32 ? 4 : 1;
    classes_ = static_cast<int>(api_.tensor_bytes(output_) / each);
    if (static_cast<std::size_t>(classes_) != files_.labels.size()) {
        throw std::runtime_error(fmt::format("the model has {} classes, {} has {} labels", classes_,
                                             files_.settings.labels, files_.labels.size()));
    }
}

void ImageModel::put(const Image& exact) {
    void* data = api_.tensor_data(input_);
    if (input_type_ == TfLiteApi::UInt8) {
        std::memcpy(data, exact.rgb.data(), exact.rgb.size());
    } else if (input_type_ == TfLiteApi::Int8) {
        std::transform(exact.rgb.begin(), exact.rgb.end(), static_cast<std::int8_t*>(data),
                       [](int value) { return static_cast<std::int8_t>(value - 128); });
    } else {
        const auto mean = static_cast<float>(files_.settings.mean);
        const auto deviation = static_cast<float>(files_.settings.deviation);
        std::transform(exact.rgb.begin(), exact.rgb.end(), static_cast<float*>(data),
                       [&](int value) { return (static_cast<float>(value) - mean) / deviation; });
    }
}

void ImageModel::add_scores(const Image& exact, std::vector<double>& sum) {
    put(exact);
    if (api_.invoke(interpreter_) != TfLiteApi::Ok)
        throw std::runtime_error("the image model failed");
    const void* data = api_.tensor_data(output_);
    const auto quantization = api_.tensor_quantization(output_);
    std::vector<double> scores(static_cast<std::size_t>(classes_));
    for (std::size_t i = 0; i < scores.size(); ++i) {
        const auto quantized = [&](int value) {
            return (value - quantization.zero_point) * double{quantization.scale};
        };
        scores[i] = output_type_ == TfLiteApi::Float32 ? double{static_cast<const float*>(data)[i]}
                    : output_type_ == TfLiteApi::UInt8
                        ? quantized(static_cast<const std::uint8_t*>(data)[i])
                        : quantized(static_cast<const std::int8_t*>(data)[i]);
        if (!std::isfinite(scores[i]))
            throw std::runtime_error("the image model gave a score that is no number");
    }
    make_probabilities(scores);
    for (std::size_t i = 0; i < scores.size(); ++i) sum[i] += scores[i];
}

std::vector<ImageModel::Score> ImageModel::classify(const Image& image, int top) {
    std::vector<double> sum(static_cast<std::size_t>(classes_));
    const auto& views = files_.settings.views;
    for (const auto& view : views) add_scores(view_of(image, view, width_, height_), sum);
    const int first = files_.has_background ? 1 : 0;
    std::vector<Score> ranked;
    for (int i = first; i < classes_; ++i) {
        const auto at = static_cast<std::size_t>(i);
        ranked.push_back(
            {i - first, sum[at] / static_cast<double>(views.size()), &files_.labels[at]});
    }
    const auto wanted =
        std::min<std::size_t>(static_cast<std::size_t>(std::max(top, 1)), ranked.size());
    std::partial_sort(ranked.begin(), ranked.begin() + static_cast<std::ptrdiff_t>(wanted),
                      ranked.end(), [](const Score& a, const Score& b) {
                          return a.score != b.score ? a.score > b.score : a.index < b.index;
                      });
    ranked.resize(wanted);
    return ranked;
}

}  // namespace belay::media
