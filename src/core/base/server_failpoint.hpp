// server_failpoint.hpp — the failpoints that only the server passes; tests/e2e dies at each.
#pragma once

#include <string_view>
#include <vector>

namespace belay::base {

const std::vector<std::string_view>& server_failpoint_names();

}  // namespace belay::base
