// aborting.cpp — `belay` and one workflow more, which takes its process down whenever it is executed.
#include <cstdlib>

#include <belay/server.hpp>

#include "ingestion/cli/bundle.hpp"

namespace {

belay::Task<void> abort_always(belay::Context& ctx) {
    co_await ctx.step("harmless", [] {});
    co_await ctx.step("abort", [] { std::abort(); });
}

}  // namespace

int main(int argc, char** argv) {
    belay::App app{"belay", "Belay, and a workflow that kills it."};
    app.add(std::make_shared<belay::cli::IngestionBundle>());
    app.define("ABORT", abort_always);
    return app.run(argc, argv);
}
