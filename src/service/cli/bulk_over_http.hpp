// bulk_over_http.hpp — one thing asked of every run of a server that is like that: runs_bulk.hpp over HTTP.
#pragma once

#include "service/cli/over_http.hpp"
#include "service/cli/runs_bulk.hpp"

namespace belay::cli {

BulkCount count_remote_bulk(const ServerClient& remote, const Bulk& bulk);
BulkOutcome bulk_by_server(const ServerClient& remote, const Bulk& bulk);

}  // namespace belay::cli
