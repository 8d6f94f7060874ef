// turns_test.cpp — papers of many organizations at one helper, with a reader that reads when the test says so.
#include <condition_variable>
#include <mutex>
#include <thread>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "ingestion/workflows/paper/paper_bench.hpp"

namespace belay::workflows {
namespace {

using samples::Language;

// Pages are read one by one, as they are let through.
class Reading {
public:
    void wait() {
        std::unique_lock lock{mutex_};
        changed_.wait(lock, [&] { return allowed_ > 0; });
        --allowed_;
    }
    void allow(int pages) {
        const std::lock_guard lock{mutex_};
        allowed_ += pages;
        changed_.notify_all();
    }

private:
    std::mutex mutex_;
    std::condition_variable changed_;
    int allowed_ = 0;
};

int waiting(const isolate::Turns& turns, const std::string& organization) {
    int count = 0;
    for (const auto& entry : turns.entries())
        count += entry.waits && entry.asker.organization == organization ? 1 : 0;
    return count;
}

// Who has the one place.
std::string working(const isolate::Turns& turns) {
    for (const auto& entry : turns.entries())
        if (!entry.waits && !entry.asker.run.empty()) return entry.asker.organization;
    return {};
}

template <class Condition>
void until(Condition condition) {
    while (!condition()) std::this_thread::yield();
}

// Far more pages than the engine has threads: each of them held one once, and whoever came later waited for those.
TEST(PaperTurns, hundreds_of_pages_that_wait_hold_no_other_organization_up) {
    Reading reading;
    PaperBench b;
    b.reader.before_page = [&](int) { reading.wait(); };
    const auto other_place = b.turns.wait({"test"}, {});
    const auto sheet =
        samples::pages_of(samples::make_invoice(1, Language::English, 5).sheets).front();
    std::vector<media::Page> pages(100, sheet);
    for (std::size_t i = 0; i < pages.size(); ++i) pages[i].number = static_cast<int>(i) + 1;
    const auto heavy = b.upload("a heavy paper", pages, "invoice", "heavy", "heavy");
    until([&] { return waiting(b.turns, "heavy") == 99; });

    const auto receipt = samples::make_receipt(2, Language::Swedish);
    const auto file =
        b.upload("a receipt", samples::pages_of(receipt.sheets), "receipt", "small", "other");
    until([&] { return waiting(b.turns, "other") == 1; });
    reading.allow(1);

    until([&] { return working(b.turns) == "other"; });
    EXPECT_EQ(waiting(b.turns, "heavy"), 99) << "it waited for one page, not for all";
    reading.allow(1'000);
    EXPECT_NO_THROW(b.result(file));
    EXPECT_NO_THROW(b.result(heavy));
}

TEST(PaperTurns, waiting_for_a_turn_is_no_time_out_however_long_it_takes) {
    PaperBench b;
    std::vector<isolate::Turns::Turn> places;
    for (int i = 0; i < 2; ++i) places.push_back(*b.turns.wait({"test"}, {}));
    const auto receipt = samples::make_receipt(2, Language::Swedish);
    const auto file = b.upload("a receipt", samples::pages_of(receipt.sheets), "receipt");
    until([&] { return waiting(b.turns, "acme") == 1; });

    b.clock.advance(std::chrono::hours{24 * 7});
    places.clear();

    EXPECT_NO_THROW(b.result(file));
    EXPECT_EQ(b.value<int>("SELECT count(*) FROM workflow_stage_runs WHERE status = 'failed'"), 0);
}

}  // namespace
}  // namespace belay::workflows
