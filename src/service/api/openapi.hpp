// openapi.hpp — the table of routes as an OpenAPI 3.1 document.
#pragma once

#include <string>

#include <boost/json/object.hpp>

#include "service/api/route.hpp"

namespace belay::api {

boost::json::object openapi(const Routes& routes, const std::string& version);

// The schema of {"error": {"code", "message"}}.
JsonSchema error_schema();

}  // namespace belay::api
