#include "ingestion/ai/local_classifier.hpp"

#include <gtest/gtest.h>

#include <belay/error.hpp>

#include "ingestion/isolate/failure.hpp"

namespace belay::ai {
namespace {

isolate::PoolOptions with_belay_media() {
    isolate::PoolOptions options;
    options.program = BELAY_MEDIA_PROGRAM;
    options.environment = {{"BELAY_CLASSIFIER_FOLDER", "/no/such/folder"}};
    return options;
}

TEST(LocalClassifier, what_cannot_get_better_is_not_tried_again) {
    isolate::Pool pool{with_belay_media()};
    LocalClassifier classifier{pool};
    try {
        classifier.classify("not a picture", 5);
        FAIL();
    } catch (const NonRetryable& error) {
        EXPECT_NE(std::string{error.what()}.find("no image model is installed"), std::string::npos);
    }
    EXPECT_EQ(classifier.model(), "local");
}

TEST(LocalClassifier, a_helper_that_is_not_there_may_come_back) {
    auto options = with_belay_media();
    options.program = "/no/such/belay-media";
    isolate::Pool pool{options};
    LocalClassifier classifier{pool};
    EXPECT_THROW(classifier.classify("x", 5), isolate::JobFailed);
}

}  // namespace
}  // namespace belay::ai
