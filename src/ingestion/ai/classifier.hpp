// classifier.hpp — what a picture shows: one interface, local and remote providers behind it.
#pragma once

#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include <boost/describe.hpp>

namespace belay::ai {

struct Label {
    std::string label{};
    double score = 0;  // 0 to 1
    std::optional<int>
        index{};  // of the class in the model (ImageNet: 0 to 999), where the provider tells it

    friend bool operator==(const Label&, const Label&) = default;
};
BOOST_DESCRIBE_STRUCT(Label, (), (label, score, index))

// Ranked, best first, never empty.
struct Classification {
    std::string model{};
    std::vector<Label> labels{};
};
BOOST_DESCRIBE_STRUCT(Classification, (), (model, labels))

class Classifier {
public:
    Classifier() = default;
    Classifier(const Classifier&) = delete;
    Classifier& operator=(const Classifier&) = delete;
    virtual ~Classifier() = default;

    // The best `top` labels of the picture in these bytes (a file's: JPEG, PNG, WebP or GIF). Throws
    // NonRetryable when another attempt cannot help (not a picture, no model installed), RetryAfter when the
    // provider said when, another std::exception otherwise. Any thread; blocks.
    virtual Classification classify(std::string_view image, int top, std::stop_token stop = {}) = 0;

    // The model's name as it is recorded beside its results.
    virtual std::string model() const = 0;
};

// What every provider's answer must pass before anyone sees it: at least one label; every label has a name in
// UTF-8 and a score from 0 to 1. Sorts it best first and cuts it to `top`. Throws std::runtime_error that names
// the model and what is wrong: an empty answer is a failure.
Classification validated(Classification answer, int top);

}  // namespace belay::ai
