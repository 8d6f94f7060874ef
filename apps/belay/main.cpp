// main.cpp — the `belay` binary: an App like anybody's, with the ingestion.
#include <belay/server.hpp>

#include "ingestion/cli/bundle.hpp"
#include "service/app/new_project.hpp"

int main(int argc, char** argv) {
    belay::App app{"belay", "Belay: durable workflows. Serves, looks at runs and acts on them."};
    app.command(belay::app::new_project());
    app.add(std::make_shared<belay::cli::IngestionBundle>());
    return app.run(argc, argv);
}
