// app.cpp — belay::App: what a program defines, and its command line.
#include <belay/server.hpp>

#include "service/app/own_commands.hpp"
#include "service/app/program.hpp"
#include "service/app/serve.hpp"
#include "service/app/submit.hpp"
#include "service/cli/run.hpp"

namespace belay {

App::App(std::string name, std::string summary, std::string version)
    : program_(std::make_unique<app::Program>()) {
    app::check_name(name);
    program_->name = std::move(name);
    program_->summary = std::move(summary);
    program_->version = std::move(version);
}
App::~App() = default;

App& App::prepare(std::function<void(Engine&)> function) {
    program_->prepare.push_back(std::move(function));
    return *this;
}
App& App::route(HttpRoute route) {
    program_->routes.push_back(std::move(route));
    return *this;
}
App& App::gauge(Gauge gauge) {
    program_->gauges.push_back(std::move(gauge));
    return *this;
}
App& App::command(Command command) {
    program_->commands.push_back(std::move(command));
    return *this;
}
App& App::look(PageLook look) {
    program_->look = std::move(look);
    return *this;
}
App& App::add(std::shared_ptr<Bundle> bundle) {
    program_->bundles.push_back(std::move(bundle));
    return *this;
}

int App::run(int argc, const char* const* argv) {
    return cli::run(argc, argv, app::commands_of(*program_), app::names_of(*program_));
}

}  // namespace belay
