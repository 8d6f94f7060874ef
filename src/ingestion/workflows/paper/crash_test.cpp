// crash_test.cpp — a document of twenty pages, and a process that is killed while it reads them.
#include <csignal>
#include <set>
#include <thread>

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ingestion/workflows/paper/paper_bench.hpp"

namespace belay::workflows {
namespace {

namespace json = boost::json;

constexpr std::string_view kBytes = "twenty pages";

std::vector<media::Page> twenty_pages() {
    return samples::pages_of(
        samples::make_invoice(9, samples::Language::English, 22 + 34 * 19).sheets);
}

constexpr int kReadBefore = 6;

// Never returns: six pages are read and recorded, then the process is killed while it reads the others.
void first_life(const std::string& folder) {
    PaperBench b{{}, folder};
    b.reader.before_page = [&](int page) {
        if (page <= kReadBefore) return;
        while (b.count("page_readings") < kReadBefore) std::this_thread::yield();
        ::kill(::getpid(), SIGKILL);
    };
    b.engine.start();
    const auto file = b.upload(std::string(kBytes), twenty_pages(), "invoice");
    b.failure(file.workflow_run_id);
    ::_exit(3);
}

TEST(PaperCrash, pages_that_were_read_before_a_kill_are_not_read_again) {
    const BenchFolder folder;
    // Forked before this process has a second thread.
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) first_life(folder.path);
    int status = 0;
    ::waitpid(child, &status, 0);
    ASSERT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);

    PaperBench b{{}, folder.path};
    const auto run =
        b.engine
            .query("SELECT workflow_run_id, id FROM unified_files WHERE file_type <> 'pdf_page'")[0]
            .get<std::string>(0);
    const std::set<int> recorded = [&] {
        std::set<int> out;
        for (const SqlRow row : b.engine.query("SELECT page_number FROM page_readings"))
            out.insert(row.get<int>(0));
        return out;
    }();
    b.reader.documents[std::string(kBytes)] = twenty_pages();
    b.engine.start();
    const json::value result = b.engine.find<json::value>(run).result();

    PaperBench undisturbed;
    const auto expected =
        undisturbed.result(undisturbed.upload(std::string(kBytes), twenty_pages(), "invoice"));

    EXPECT_EQ(result, expected);
    EXPECT_GE(recorded.size(), static_cast<std::size_t>(kReadBefore));
    for (int page = 1; page <= 20; ++page) {
        const int again = b.reader.reads.contains(page) ? b.reader.reads[page] : 0;
        EXPECT_LE(again, 1) << "page " << page;
        if (recorded.contains(page)) {
            EXPECT_EQ(again, 0) << "page " << page << " was recorded";
        }
    }
    EXPECT_EQ(b.reader.pdfs_read, 0);
}

}  // namespace
}  // namespace belay::workflows
