// web_and_files_test.cpp — the defects of ../shared/spec/FACTS.md that happened to web pages, pictures and events, each as
// a test that would catch it. paper_test.cpp says more.
#include <atomic>
#include <memory>

#include <gtest/gtest.h>

#include <belay/belay.hpp>

#include "core/engine/core.hpp"
#include "core/env/random.hpp"
#include "core/library/host.hpp"
#include "ingestion/documents/door.hpp"
#include "ingestion/ingest/inbox_worker.hpp"
#include "ingestion/ingest/tables.hpp"
#include "ingestion/ingest/uploads.hpp"
#include "ingestion/workflows/image_classification.hpp"
#include "ingestion/workflows/web_document/web_bench.hpp"
#include "support/temp_dir.hpp"

namespace belay {
namespace {

EngineOptions quiet() {
    EngineOptions options;
    options.log_to_stderr = false;
    return options;
}

// Waits for the end of a run that must fail, and gives its message.
std::string failure(Engine& engine, const std::string& run) {
    try {
        engine.find(run).result();
    } catch (const Error& error) {
        return error.what();
    }
    return "it succeeded";
}

// ---- the engine

int flaky(Attempt& attempt, int number) {
    if (attempt.number() < 3) throw RetryAfter("not yet", Duration{0});
    return number;
}

Task<int> many_branches(Context& ctx, int width) {
    std::vector<int> numbers;
    for (int i = 0; i < width; ++i) numbers.push_back(i);
    const FanOptions options{.step = {.retry = {.attempts_max = 3}}};
    const auto done = co_await ctx.map("branch", options, numbers, flaky);
    int sum = 0;
    for (const int number : done) sum += number;
    co_return sum;
}

// "A stage row was written by select-then-update with no unique key: concurrent writers duplicate it."
TEST(Defect04, a_stage_has_one_row_however_many_write_at_once_and_the_table_refuses_a_second) {
    const test::TempDir folder;
    Engine engine{sqlite(folder.file("belay.db")), quiet()};
    engine.define("MANY", many_branches);
    engine.start();
    std::vector<belay::Run<int>> runs;
    for (int i = 0; i < 8; ++i) runs.push_back(engine.submit<int>("MANY", 50));
    for (const auto& run : runs) EXPECT_EQ(run.result(), 49 * 50 / 2);

    const auto count = [&](const std::string& what) {
        return engine.query("SELECT count(*) FROM " + what)[0].get<int>(0);
    };
    EXPECT_EQ(count("workflow_stage_runs WHERE stage_key LIKE 'branch_%'"), 8 * 50);
    EXPECT_EQ(count("(SELECT 1 FROM workflow_stage_runs GROUP BY workflow_run_id, path HAVING "
                    "count(*) > 1)"),
              0);
    EXPECT_EQ(count("(SELECT 1 FROM workflow_stage_runs WHERE stage_key LIKE 'branch_%' "
                    "GROUP BY workflow_run_id, stage_key HAVING count(*) > 1)"),
              0);

    // Not only this code: whoever writes a second row is told no.
    EXPECT_THROW(engine.transact([](Tx& tx) {
        tx.exec(
            "INSERT INTO workflow_stage_runs (workflow_run_id, path, position, stage_key, status) "
            "SELECT workflow_run_id, path, position, stage_key, status FROM workflow_stage_runs "
            "LIMIT 1");
    }),
                 std::exception);
}

// ---- web documents

struct WebDefects : workflows::WebBench {
    WebDefects() : core(library::make_core(memory(), quiet(), &clock)), engine(core) {
        define(engine);
        engine.start();
    }
    documents::Requested request(const std::string& path, bool index) {
        documents::FetchRequest one;
        one.url = url(path);
        one.index = index;
        return documents::request_documents(engine, "default", {one}).front();
    }
    // "fetch_content succeeded, …" of the only run of that workflow.
    std::string story(const std::string& workflow_key) {
        store::RunFilter filter;
        filter.workflow_key = workflow_key;
        std::string told;
        for (const auto& stage :
             core->store().stages(core->store().list_runs(filter).runs.at(0).no))
            told += fmt::format("{}{} {}", told.empty() ? "" : ", ", stage.stage_key,
                                to_string(stage.status));
        return told;
    }

    std::shared_ptr<engine::Core> core;
    Engine engine;
};

// "A failed embedding was caught and recorded as 'skipped': the resume the document promises never happened."
TEST(Defect07, a_failed_embedding_is_a_failed_stage_and_a_retry_resumes_there) {
    WebDefects b;
    b.refuse("/v1/embeddings");
    const auto one = b.request("/page/one", false);
    EXPECT_NE(failure(b.engine, one.workflow_run_id).find("refused by the test"),
              std::string::npos);

    EXPECT_EQ(b.story("FETCH_DOCUMENT"),
              "resolve_document succeeded, fetch_content succeeded, generate_embedding failed");
    EXPECT_EQ(b.engine.query("SELECT ingestion_status FROM documents")[0].get<std::string>(0),
              "ERROR");

    b.engine.retry(one.workflow_run_id);
    b.engine.find(one.workflow_run_id).result();
    EXPECT_EQ(b.counts, (workflows::WebBench::Counts{1, 1, 0})) << "the page was fetched again";
    EXPECT_EQ(b.engine.query("SELECT ingestion_status FROM documents")[0].get<std::string>(0),
              "FETCHED");
}

// "A step that calls other steps is one checkpoint again." A step cannot: its function gets no Context, and one that
// returns a Task is refused by the compiler (tests/compile_fail/step_of_a_task.cpp). Here: whoever starts the fetch, its
// five checkpoints are five records.
TEST(Defect08, a_fetch_inside_another_workflow_still_has_its_five_checkpoints) {
    WebDefects b;
    b.refuse("/v1/chat/completions");
    const auto one = b.request("/page/one", true);
    failure(b.engine, one.workflow_run_id);

    EXPECT_EQ(b.story("FETCH_DOCUMENT"),
              "resolve_document succeeded, fetch_content succeeded, generate_embedding succeeded, "
              "save_document succeeded, extract_links succeeded");
    EXPECT_EQ(b.story("FETCH_AND_INDEX"), "FETCH_DOCUMENT succeeded, extract_metadata failed");

    b.engine.retry(one.workflow_run_id);
    b.engine.find(one.workflow_run_id).result();
    EXPECT_EQ(b.counts, (workflows::WebBench::Counts{1, 1, 1}));
}

// ---- pictures and events

class BrokenClassifier final : public ai::Classifier {
public:
    ai::Classification classify(std::string_view, int, std::stop_token) override {
        throw NonRetryable("the model cannot be loaded");
    }
    std::string model() const override { return "broken"; }
};

// "A classification failure was only broadcast: after a reload the page said 'Classifying…' for ever."
TEST(Defect09, a_failed_classification_is_still_known_after_a_restart) {
    const test::TempDir folder;
    env::SystemClock clock;
    env::SystemFiles files;
    objects::FilesystemStore store{folder.file("objects"), files, clock};
    BrokenClassifier classifier;
    const auto open = [&] {
        auto engine = std::make_unique<Engine>(sqlite(folder.file("belay.db")), quiet());
        engine->migrate(ingest::kOwner, ingest::migrations());
        workflows::define_image_classification({*engine, store, classifier});
        engine->start();
        return engine;
    };
    {
        const auto engine = open();
        ingest::Uploads uploads{*engine, store, {std::string(workflows::kImageClassification)}};
        const auto writer = store.begin(1 << 20);
        writer->write("a picture");
        const auto file =
            uploads.finish(*writer, {"acme", "reef.jpg", "image/jpeg", "image", false});
        EXPECT_NE(failure(*engine, file.workflow_run_id).find("cannot be loaded"),
                  std::string::npos);
    }

    const auto again = open();
    const SqlRows rows = again->query("SELECT status, classification_error FROM Upload");

    ASSERT_EQ(rows.size(), 1u);
    EXPECT_EQ(rows[0].get<std::string>(0), "classification_failed");
    EXPECT_NE(rows[0].get<std::string>(1).find("cannot be loaded"), std::string::npos);
}

// "A redelivered event with an equal time restarted a finished run. Equal = duplicate."
TEST(Defect10, an_event_told_again_with_an_equal_time_does_not_touch_the_run_it_started) {
    env::ManualClock clock;
    env::MemoryFiles files;
    objects::FilesystemStore store{"/objects", files, clock};
    std::atomic<int> executed = 0;
    Engine engine{library::make_core(memory(), quiet(), &clock)};
    engine.migrate(ingest::kOwner, ingest::migrations());
    engine.define("IMAGE_CLASSIFICATION",
                  [&executed](Context&, ingest::FileInput input) -> Task<std::string> {
                      ++executed;
                      co_return input.file_id;
                  });
    engine.start();
    env::SeededRandom random{7};
    ingest::Inbox inbox{engine, clock, random};
    ingest::InboxWorker worker{inbox, store, {"IMAGE_CLASSIFICATION"}};
    objects::Description description;
    description.content_type = "image/jpeg";
    const auto object =
        store.put(objects::Key{"acme/photo.jpg"}, "\xFF\xD8\xFF\xE0 a picture", description);
    const auto told = [&] {
        ingest::Notice notice;
        notice.kind = ingest::NoticeKind::Created;
        notice.source = "r2";
        notice.action = "PutObject";
        notice.key = "acme/photo.jpg";
        notice.etag = object.etag;
        notice.at = Time{} + std::chrono::hours{500'000};
        notice.body = "{}";
        std::vector<ingest::Notice> one;
        one.push_back(std::move(notice));
        const std::string id = inbox.receive({"acme", true}, std::move(one)).front().id;
        worker.handle_due();
        return *ingest::find_message(ingest::ask_engine(engine), "", id);
    };
    const std::string run = told().workflow_run_id;
    engine.find(run).result();
    clock.advance(std::chrono::hours{1});

    const auto again = told();

    EXPECT_EQ(again.status, "done");
    EXPECT_EQ(again.workflow_run_id, run);
    engine.find(run).result();
    EXPECT_EQ(executed, 1) << "it ran again";
    EXPECT_EQ(engine.query("SELECT count(*) FROM unified_files")[0].get<int>(0), 1);
}

}  // namespace
}  // namespace belay
