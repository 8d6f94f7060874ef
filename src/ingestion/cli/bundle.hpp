// bundle.hpp — the ingestion as what an App adds to its server: files, papers and web pages.
//
// A room that brings workflows, routes or uploads is named in bundle.cpp and nowhere else.
#pragma once

#include <memory>

#include <belay/server.hpp>

#include "service/app/bundle.hpp"

namespace belay::cli {

class IngestionBundle final : public Bundle, public app::CommandAdder {
public:
    void add_commands(CLI::App& app, Session& session) override;
    std::vector<Setting> settings() const override;
    std::vector<std::string> views() const override;
    // Null with a bare database: there is no folder that files belong in.
    std::unique_ptr<ServedBundle> serve(const BundleParts& parts) override;
};

}  // namespace belay::cli
