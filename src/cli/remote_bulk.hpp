// remote_bulk.hpp — one thing asked of every run of a server that is like that: runs_bulk.hpp over HTTP.
#pragma once

#include "cli/remote.hpp"
#include "cli/runs_bulk.hpp"

namespace belay::cli {

BulkCount count_remote_bulk(const Remote& remote, const Bulk& bulk);
BulkOutcome bulk_by_server(const Remote& remote, const Bulk& bulk);

}  // namespace belay::cli
