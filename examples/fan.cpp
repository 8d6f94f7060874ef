// fan.cpp — pages read side by side; one cannot be read, and the others are not lost with it.
#include <fmt/format.h>
#include <belay/belay.hpp>
#include <belay/testing.hpp>

std::string read_page(int page) {
    if (page == 3) throw belay::NonRetryable("the scan is black");
    return fmt::format("text of page {}", page);
}

// Every page must be read: the first that cannot be stops the others.
belay::Task<int> strict(belay::Context& ctx, std::vector<int> pages) {
    const auto texts = co_await ctx.map("ocr_page", pages, read_page);
    co_return static_cast<int>(texts.size());
}

// Whatever can be read is used; what cannot is reported.
belay::Task<std::string> lenient(belay::Context& ctx, std::vector<int> pages) {
    const auto texts = co_await ctx.map("ocr_page", pages, read_page).collect();
    std::size_t read = 0;
    std::string review;
    for (const auto& text : texts) {
        if (text)
            ++read;
        else
            review += text.error;
    }
    co_return fmt::format("{} of {} pages; review: {}", read, texts.size(), review);
}

int main() {
    belay::testing::World world;
    belay::Engine& engine = world.engine();
    engine.define("STRICT", strict);
    engine.define("LENIENT", lenient);
    engine.start();
    const std::vector<int> pages{1, 2, 3, 4};
    fmt::print("{}\n", engine.submit<std::string>("LENIENT", pages).result());
    try {
        engine.submit<int>("STRICT", pages).result();
    } catch (const belay::Error& error) {
        fmt::print("{}\n", error.what());
    }
}
