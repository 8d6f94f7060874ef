// run_list_over_http.hpp — a server's runs by the filters of a store, and the run that a person means by what they typed.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <boost/json/value.hpp>

#include "core/store/store.hpp"
#include "service/cli/over_http.hpp"

namespace belay::cli {

struct Session;

struct ServerRunPage {
    std::vector<boost::json::value> runs{};  // as GET /api/runs has them, newest first
    std::optional<std::int64_t> next{};      // give it as `before` for the rest
};

// The server that was named, asked for the runs of `organization` (empty: of whom else the command line speaks for).
// Null: a store is meant.
std::unique_ptr<ServerClient> remote_for(const Session& session, const std::string& organization);

// The runs that the filter means, at most its limit. What GET /api/runs cannot be asked for is picked here. Of an
// organization that is not the token's there are none.
ServerRunPage list_runs_of(const ServerClient& remote, const store::RunFilter& filter);

// As find_run() does: the run of that id, or the only one whose id begins with it. Gives its whole id.
std::string find_remote_run(const ServerClient& remote, const std::string& typed);

}  // namespace belay::cli
