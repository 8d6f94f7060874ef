// checkpoint_test.cpp — what specification 001 promises, counted: no page is fetched twice, no model is paid twice.
#include <gtest/gtest.h>

#include <belay/belay.hpp>
#include <belay/testing.hpp>

#include "core/library/host.hpp"
#include "ingestion/workflows/web_document/web_bench.hpp"

namespace belay::workflows {
namespace {

using Counts = WebBench::Counts;
using documents::FetchInput;

FetchInput input_for(const std::string& url) {
    FetchInput input;
    input.url = url;
    return input;
}

TEST(Checkpoints, a_death_at_any_durable_point_changes_nothing_that_comes_out) {
    WebBench b;
    belay::testing::CrashOptions options;
    options.define = [&](Engine& engine) { b.define(engine); };
    options.ignore_columns = {"created_at", "updated_at", "fetched_at", "indexed_at"};

    const auto report =
        belay::testing::crash_everywhere("FETCH_AND_INDEX", input_for(b.url("/page/one")), options);

    EXPECT_TRUE(report.passed()) << report.text();
    EXPECT_GE(report.commits, 7);
}

// Dies when the n-th commit is on the disk, starts again, and lets the run end.
Counts counts_after_death_at(WebBench& b, std::int64_t n, bool& died) {
    belay::testing::World world;
    b.counts = {};
    b.define(world.engine());
    world.engine().start();
    world.fail_commit(n, belay::testing::Fault::CrashAfter);
    SubmitOptions once;
    once.id = "index-it";
    const auto submit = [&] {
        return world.engine().submit<IndexResult>("FETCH_AND_INDEX", input_for(b.url("/page/one")),
                                                  once);
    };
    try {
        submit();
        world.run_until_quiet();
    } catch (const Error&) {  // nobody was told
    }
    died = world.crashed();
    if (died) world.restart();
    // A submission is a commit as well: where nobody died, the death that is planned must not meet it.
    const IndexResult result =
        died ? submit().result() : world.engine().find<IndexResult>(once.id).result();
    EXPECT_EQ(result.facts.content_type, "guide");
    return b.counts;
}

TEST(Checkpoints, a_death_after_any_commit_costs_no_page_and_no_model_call) {
    WebBench b;
    bool died = true;
    std::int64_t deaths = 0;
    for (std::int64_t n = 1; died; ++n) {
        SCOPED_TRACE(fmt::format("dying after commit {}", n));
        const Counts counts = counts_after_death_at(b, n, died);
        EXPECT_EQ(counts.pages, 1);
        EXPECT_EQ(counts.embeddings, 1);
        EXPECT_EQ(counts.metadata, 1);
        deaths += died;
        ASSERT_LT(n, 100);
    }
    EXPECT_GE(deaths, 7);  // five steps, the child, extract_metadata
}

// ---- 100 documents, 5 failed embeddings and 3 failed extractions: the table of the specification, counted

struct Batch : WebBench {
    static EngineOptions quiet() {
        EngineOptions options;
        options.log_to_stderr = false;
        options.pool_threads_max = 4;
        return options;
    }
    Batch() : engine(library::make_core(memory(), quiet(), &clock)) {
        define(engine);
        engine.start();
    }
    Engine engine;
};

TEST(Checkpoints, a_batch_of_100_documents_with_5_percent_failures_pays_for_nothing_twice) {
    Batch b;
    constexpr int kDocuments = 100, kEmbeddingFailures = 5, kMetadataFailures = 3;
    std::vector<documents::FetchRequest> requests(kDocuments);
    for (int i = 0; i < kDocuments; ++i) {
        requests[static_cast<std::size_t>(i)].url = b.url(fmt::format("/page/{}", i));
        requests[static_cast<std::size_t>(i)].index = true;
    }
    b.refuse("/v1/embeddings", kEmbeddingFailures);
    {
        const std::lock_guard lock{b.mutex};
        b.refusals["/v1/chat/completions"] = kMetadataFailures;
    }

    const auto runs = documents::request_documents(b.engine, "default", requests);
    // All of them end before one is tried again: a second try must not meet a refusal meant for a first.
    std::vector<std::string> failed;
    for (const auto& run : runs) {
        try {
            b.engine.find(run.workflow_run_id).result();
        } catch (const Error&) {
            failed.push_back(run.workflow_run_id);
        }
    }
    for (const auto& id : failed) b.engine.retry(id);
    int succeeded = 0;
    for (const auto& run : runs) {
        b.engine.find(run.workflow_run_id).result();
        ++succeeded;
    }

    EXPECT_EQ(std::ssize(failed), kEmbeddingFailures + kMetadataFailures);
    EXPECT_EQ(succeeded, kDocuments);
    EXPECT_EQ(b.counts, (Counts{kDocuments, kDocuments, kDocuments}));
    // As one giant step: whatever fails, everything before it is done again.
    const int extra = kEmbeddingFailures + kMetadataFailures;
    fmt::print(
        "                       one giant step    with checkpoints (counted)\n"
        "HTTP fetches           {:>14}    {:>16}\n"
        "embedding calls        {:>14}    {:>16}\n"
        "metadata calls         {:>14}    {:>16}\n"
        "wasted fetches         {:>14}    {:>16}\n"
        "wasted embeddings      {:>14}    {:>16}\n"
        "wasted money           {:>14}    {:>16}\n",
        kDocuments + extra, b.counts.pages, kDocuments + kMetadataFailures, b.counts.embeddings,
        kDocuments, b.counts.metadata, extra, b.counts.pages - kDocuments, kMetadataFailures,
        b.counts.embeddings - kDocuments, fmt::format("${:.4f}", kMetadataFailures * 0.0001),
        fmt::format("${:.4f}", (b.counts.embeddings - kDocuments) * 0.0001));
}

}  // namespace
}  // namespace belay::workflows
