// fork.cpp — a reading went wrong; a fork goes on from there with the text put right, and pays for nothing twice.
#include <fmt/format.h>
#include <belay/belay.hpp>

int readings = 0;

std::string read_receipt(const std::string&) {
    ++readings;
    return "T0TAL 12.50";  // the scanner took an O for a zero
}

double find_total(const std::string& text) {
    const auto at = text.find("TOTAL ");
    if (at == std::string::npos) throw belay::NonRetryable("no total in: " + text);
    return std::stod(text.substr(at + 6));
}

belay::Task<double> receipt(belay::Context& ctx, std::string file) {
    const auto text = co_await ctx.step("ocr", read_receipt, file);
    co_return co_await ctx.step("find_total", find_total, text);
}

int main() {
    belay::Engine engine{belay::memory(), {.log_to_stderr = false}};
    engine.define("RECEIPT", receipt);
    engine.start();
    const auto run = engine.submit<double>("RECEIPT", std::string("lunch.jpg"), {.id = "lunch"});
    try {
        run.result();
    } catch (const belay::Error& error) {
        fmt::print("{}\n", error.what());
    }
    belay::ForkOptions edited;
    edited.outputs["ocr"] = R"("TOTAL 12.50")";
    edited.id = "lunch-2";
    const auto fork = engine.fork<double>("lunch", edited);
    fmt::print("{}: {:.2f}, after {} reading\n", fork.id(), fork.result(), readings);
}
