// executing.hpp — an engine of this process's own on a data directory, for commands that do the work themselves.
#pragma once

#include <memory>
#include <string>

#include <belay/engine.hpp>

#include "ingestion/cli/ingesting.hpp"
#include "ingestion/cli/web_documents.hpp"
#include "service/cli/command.hpp"

namespace belay::cli {

struct ExecutingOptions {
    std::size_t threads = 5;  // steps at once
    WebOptions web{};
};

class Executing {
public:
    // Takes the store's lock, and defines every workflow. Throws Error{InvalidArgument} without a data directory,
    // Error{StoreLocked} naming who executes there.
    Executing(const Place& place, World& world, ExecutingOptions options);

    // Also goes on with what an earlier process left.
    void start() { engine_->start(); }

    Engine& engine() { return *engine_; }
    const std::string& organization() const { return organization_; }

private:
    std::string organization_;
    // In this order: the engine's steps use the others, so it goes first; but only who holds the store's lock may tidy
    // up among the objects, so it comes first too.
    std::unique_ptr<Ingesting> ingesting_;
    std::unique_ptr<WebDocuments> web_;
    std::unique_ptr<Engine> engine_;
};

}  // namespace belay::cli
