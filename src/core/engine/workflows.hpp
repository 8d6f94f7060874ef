// workflows.hpp — what code runs under which key. Filled before the engine starts, read-only afterwards.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>

#include <belay/detail/workflow.hpp>

namespace belay::engine {

using Workflows = std::map<std::string, std::unique_ptr<belay::detail::Workflow>, std::less<>>;

}  // namespace belay::engine
