// image_classification_test.cpp — the Upload row follows its run, whatever becomes of it.
#include "ingestion/workflows/image_classification.hpp"

#include <functional>
#include <set>

#include <gtest/gtest.h>

#include <belay/belay.hpp>
#include <boost/json.hpp>

#include "core/env/clock.hpp"
#include "core/env/memory_files.hpp"
#include "core/library/host.hpp"
#include "ingestion/ingest/tables.hpp"
#include "ingestion/ingest/uploads.hpp"
#include "ingestion/objects/filesystem_store.hpp"

namespace belay::workflows {
namespace {

class FakeClassifier final : public ai::Classifier {
public:
    ai::Classification classify(std::string_view image, int top, std::stop_token) override {
        ++calls;
        return answer(image, top);
    }
    std::string model() const override { return "fake"; }

    int calls = 0;
    std::function<ai::Classification(std::string_view, int)> answer =
        [](std::string_view, int) -> ai::Classification {
        return {"fake", {{"coral reef", 0.25, 973}, {"sea anemone", 0.5, 108}}};
    };
};

struct Bench {
    Bench()
        : engine(library::make_core(memory(), quiet(), &clock)), uploads(engine, store, keys()) {
        engine.migrate(ingest::kOwner, ingest::migrations());
        define_image_classification({engine, store, classifier});
        engine.start();
    }
    ingest::Ingested upload(const std::string& bytes) {
        const auto writer = store.begin(1 << 20);
        writer->write(bytes);
        return uploads.finish(*writer, {"acme", "reef.jpg", "image/jpeg", "image", false});
    }
    template <class T>
    T column(const std::string& name) {
        return engine.query("SELECT " + name + " FROM Upload")[0].get<T>(0);
    }
    static EngineOptions quiet() {
        EngineOptions options;
        options.log_to_stderr = false;
        return options;
    }
    static std::vector<std::string> keys() { return {std::string(kImageClassification)}; }

    env::ManualClock clock;
    env::MemoryFiles files;
    objects::FilesystemStore store{"/objects", files, clock};
    FakeClassifier classifier;
    Engine engine;
    ingest::Uploads uploads;
};

TEST(ImageClassification, a_picture_gets_its_labels_best_first) {
    Bench b;

    const auto run = b.engine.find<ImageResult>(b.upload("a picture").workflow_run_id);

    const ImageResult result = run.result();
    ASSERT_EQ(result.labels.size(), 2u);
    EXPECT_EQ(result.labels[0].label, "sea anemone");
    EXPECT_EQ(b.column<std::string>("status"), "classified");
    EXPECT_EQ(b.column<std::string>("classification_model"), "fake");
    EXPECT_EQ(b.column<std::string>("classification_top_label"), "sea anemone");
    EXPECT_EQ(b.column<double>("classification_top_score"), 0.5);
    EXPECT_EQ(b.column<std::string>("classification_json"), to_json(result.labels));
    EXPECT_TRUE(b.column<std::optional<Time>>("completed_at"));
    EXPECT_EQ(b.classifier.calls, 1);
}

TEST(ImageClassification, what_cannot_be_classified_says_why_on_its_upload) {
    Bench b;
    b.classifier.answer = [](auto, auto) -> ai::Classification {
        throw NonRetryable("reef.jpg is not a picture");
    };

    const auto run = b.engine.find<ImageResult>(b.upload("no picture").workflow_run_id);

    EXPECT_THROW(run.result(), Error);
    EXPECT_EQ(b.column<std::string>("status"), "classification_failed");
    EXPECT_NE(b.column<std::string>("classification_error").find("is not a picture"),
              std::string::npos);
}

TEST(ImageClassification, a_retry_goes_on_at_the_step_that_failed) {
    Bench b;
    const auto good = b.classifier.answer;
    b.classifier.answer = [](auto, auto) -> ai::Classification { throw NonRetryable("no model"); };
    const auto run = b.engine.find<ImageResult>(b.upload("a picture").workflow_run_id);
    EXPECT_THROW(run.result(), Error);

    b.classifier.answer = good;
    b.engine.retry(run.id());

    EXPECT_EQ(run.result().labels.size(), 2u);
    EXPECT_EQ(b.column<std::string>("status"), "classified");
    EXPECT_FALSE(b.column<std::optional<std::string>>("classification_error"));
}

TEST(ImageClassification, while_a_retry_runs_its_upload_is_running_without_the_old_error) {
    Bench b;
    const auto good = b.classifier.answer;
    b.classifier.answer = [](auto, auto) -> ai::Classification { throw NonRetryable("no model"); };
    const auto run = b.engine.find<ImageResult>(b.upload("a picture").workflow_run_id);
    EXPECT_THROW(run.result(), Error);
    std::string status;
    std::optional<std::string> error = "unread";
    std::optional<Time> end = Time{};
    b.classifier.answer = [&](std::string_view bytes, int top) {
        status = b.column<std::string>("status");
        error = b.column<std::optional<std::string>>("classification_error");
        end = b.column<std::optional<Time>>("completed_at");
        return good(bytes, top);
    };
    EventStream events = b.engine.watch();

    b.engine.retry(run.id());
    run.result();

    EXPECT_EQ(status, "workflow_running");
    EXPECT_FALSE(error) << *error;
    EXPECT_FALSE(end);
    int started = 0;
    while (const auto event = events.next(std::chrono::seconds{1})) {
        started += event->type == "classification_workflow_started";
        if (event->type == "run_ended") break;
    }
    EXPECT_EQ(started, 1);
}

TEST(ImageClassification, progress_is_told_once_each_in_the_words_of_the_specification) {
    Bench b;
    EventStream events = b.engine.watch();

    const auto run = b.engine.find<ImageResult>(b.upload("a picture").workflow_run_id);
    run.result();

    std::vector<std::string> told;
    while (const auto event = events.next(std::chrono::seconds{1})) {
        if (event->type == "workflow_progress") {
            const auto data = boost::json::parse(event->data).as_object();
            const auto& progress = data.at("progress").as_object();
            EXPECT_EQ(data.at("workflowId").as_string(), run.id());
            EXPECT_FALSE(progress.at("message").as_string().empty());
            told.push_back(std::string(progress.at("status").as_string()) + " " +
                           std::string(progress.at("step").as_string()));
        }
        if (event->type == "run_ended") break;
    }
    EXPECT_EQ(told, (std::vector<std::string>{"running load-image", "running classify-image",
                                              "running persist-classification",
                                              "classified persist-classification"}));
}

TEST(ImageClassification, the_same_bytes_under_another_name_have_their_own_row_and_events) {
    Bench b;
    b.classifier.answer = [](auto, auto) -> ai::Classification { throw NonRetryable("no model"); };
    const auto run = b.engine.find<ImageResult>(b.upload("a picture").workflow_run_id);
    EXPECT_THROW(run.result(), Error);
    const auto writer = b.store.begin(1 << 20);
    writer->write(std::string_view("a picture"));
    const auto copy = b.uploads.finish(*writer, {"acme", "copy.jpg", "image/jpeg", "image", false});
    EXPECT_EQ(copy.status, "classification_failed");
    b.classifier.answer = [](auto, auto) -> ai::Classification {
        return {"fake", {{"reef", 0.5, std::nullopt}}};
    };
    EventStream events = b.engine.watch();

    b.engine.retry(run.id());
    run.result();

    std::set<std::string> names;
    while (const auto event = events.next(std::chrono::seconds{1})) {
        if (event->type == "classification_updated")
            names.insert(std::string(boost::json::parse(event->data).at("name").as_string()));
        if (event->type == "run_ended") break;
    }
    EXPECT_EQ(names, (std::set<std::string>{"reef.jpg", "copy.jpg"}));
    const auto rows =
        b.engine.query("SELECT status, classification_json FROM Upload WHERE name = 'copy.jpg'");
    EXPECT_EQ(rows[0].get<std::string>(0), "classified");
    EXPECT_EQ(rows[0].get<std::string>(1), R"([{"label":"reef","score":0.5}])")
        << "no index where the provider tells none";
}

TEST(ImageClassification, a_run_goes_on_with_a_copy_when_the_file_that_it_loaded_is_deleted) {
    Bench b;
    bool gone = false;
    b.classifier.answer = [&](auto, auto) -> ai::Classification {
        if (!gone) {
            gone = true;
            const auto first =
                b.engine.query("SELECT id FROM unified_files")[0].get<std::string>(0);
            const auto writer = b.store.begin(1 << 20);
            writer->write(std::string_view("a picture"));
            b.uploads.finish(*writer, {"acme", "copy.jpg", "image/jpeg", "image", false});
            b.uploads.remove("acme", first);
            throw NonRetryable("not now");
        }
        return {"fake", {{"reef", 0.5, std::nullopt}}};
    };
    const auto run = b.engine.find<ImageResult>(b.upload("a picture").workflow_run_id);
    EXPECT_THROW(run.result(), Error);

    b.engine.retry(run.id());

    EXPECT_EQ(run.result().labels.front().label, "reef");
    EXPECT_EQ(
        b.engine.query("SELECT status FROM Upload WHERE name = 'copy.jpg'")[0].get<std::string>(0),
        "classified");
}

}  // namespace
}  // namespace belay::workflows
