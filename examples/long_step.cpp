// long_step.cpp — an import of a hundred pages that fails on its way, and goes on where it was.
#include <stdexcept>

#include <fmt/format.h>
#include <belay/belay.hpp>
#include <belay/testing.hpp>

int import_pages(belay::Attempt& attempt, int pages) {
    int page = attempt.checkpoint<int>().value_or(0);
    fmt::print("attempt {} begins after page {}\n", attempt.number(), page);
    while (page < pages) {
        if (page == 60 && attempt.number() == 1) throw std::runtime_error("the line broke");
        attempt.checkpoint(++page);
    }
    return page;
}

belay::Task<int> import(belay::Context& ctx, int pages) {
    co_return co_await ctx.step("import", import_pages, pages);
}

int main() {
    belay::testing::World world;
    belay::Engine& engine = world.engine();
    engine.define("IMPORT", import);
    engine.start();
    fmt::print("{} pages\n", engine.submit<int>("IMPORT", 100).result());
}
