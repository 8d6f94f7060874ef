// run_list_over_http.hpp — a server's runs by the filters of a store, and the run that a person means by what they typed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <boost/json/value.hpp>

#include "core/store/store.hpp"
#include "service/cli/over_http.hpp"

namespace belay::cli {

struct ServerRunPage {
    std::vector<boost::json::value> runs{};  // as GET /api/runs has them, newest first
    std::optional<std::int64_t> next{};      // give it as `before` for the rest
};

// The runs that the filter means, at most its limit. What GET /api/runs cannot be asked for is picked here. Throws
// Error{InvalidArgument} for --organization, which is the token's.
ServerRunPage list_runs_of(const ServerClient& remote, const store::RunFilter& filter);

// As find_run() does: the run of that id, or the only one whose id begins with it. Gives its whole id.
std::string find_remote_run(const ServerClient& remote, const std::string& typed);

}  // namespace belay::cli
