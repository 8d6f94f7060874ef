// queue.cpp — two organizations share a queue: two slots, fair turns, a rate, and a pause while it works.
#include <algorithm>

#include <fmt/format.h>
#include <belay/belay.hpp>
#include <belay/testing.hpp>

using namespace std::chrono_literals;

std::vector<std::string> begun;

std::string read_page(const std::string& name) {
    begun.push_back(name);
    return name + " read";
}

belay::Task<std::string> upload(belay::Context& ctx, std::string name) {
    co_return co_await ctx.step("read", read_page, name);
}

int main() {
    belay::testing::World world;
    belay::Engine& engine = world.engine();
    engine.define("UPLOAD", upload);

    // At most two at once, and ten in any minute. Someone may change that while it works.
    engine.queue("uploads",
                 {.concurrency = 2, .rate = belay::RateLimit{.starts = 10, .period = 1min}});

    // One organization sends a hundred files; then another sends one.
    std::vector<std::string> files;
    for (int i = 1; i <= 100; ++i) files.push_back(fmt::format("acme-{}", i));
    engine.submit_many<std::string>("UPLOAD", files, {.queue = "uploads", .partition = "acme"});
    const auto one = engine.submit<std::string>("UPLOAD", "globex-1",
                                                {.queue = "uploads", .partition = "globex"});
    // The same again while it waits is the same run.
    const belay::SubmitOptions once{
        .queue = "uploads", .partition = "globex", .dedupe_id = "monthly"};
    const auto first = engine.submit<std::string>("UPLOAD", "globex-2", once);
    const auto again = engine.submit<std::string>("UPLOAD", "globex-2", once);
    engine.start();

    const std::string read = one.result();
    const auto before = std::find(begun.begin(), begun.end(), "globex-1") - begun.begin();
    fmt::print("{}, {} behind acme's 100\n", read, before < 4 ? "not" : "far");
    fmt::print("one run: {}\n", first.id() == again.id());

    world.advance(59s);
    fmt::print("in the first minute {} began\n", begun.size());
    world.advance(2s);
    fmt::print("then {}\n", begun.size());

    engine.pause_queue("uploads", "the scanner is cleaned");
    world.advance(10min);
    const belay::QueueInfo stands = engine.queues().front();
    fmt::print("paused with {} in line: {}\n", stands.in_line, stands.pause_reason);

    engine.set_queue("uploads", {.concurrency = 50});  // no rate any more
    engine.resume_queue("uploads");
    world.run_until_quiet();
    fmt::print("all {} done\n", begun.size());
}
