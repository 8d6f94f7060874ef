#include "service/app/program.hpp"

#include "service/cli/version.hpp"

namespace belay::app {

cli::Settings settings_of(const Program& program) {
    cli::Settings all = cli::server_settings();
    for (const auto& bundle : program.bundles) {
        const cli::Settings more = bundle->settings();
        all.insert(all.end(), more.begin(), more.end());
    }
    return all;
}

std::string code_version_of(const Program& program) {
    return program.name == "belay" ? std::string(cli::version()) : program.version;
}

void prepare(const Program& program, Engine& engine) {
    for (const auto& one : program.prepare) one(engine);
}

}  // namespace belay::app
