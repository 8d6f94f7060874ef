// own_organization.hpp — for whom a command works on a data directory: --organization, or BELAY_ORGANIZATION.
#pragma once

#include <string>

#include <belay/options.hpp>

#include "service/cli/command.hpp"

namespace belay::cli {

inline std::string own_organization(const World& world) {
    const auto named = world.environment("BELAY_ORGANIZATION");
    return named && !named->empty() ? *named : EngineOptions{}.organization_id;
}

}  // namespace belay::cli
