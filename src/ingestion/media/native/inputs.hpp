// inputs.hpp — what most jobs are given: one file.
#pragma once

#include <string_view>

#include "ingestion/isolate/registry.hpp"

namespace belay::media {

// The job's one input. Throws Reject{bad_request} if it got none or several.
inline std::string_view only_input(const isolate::Request& request) {
    if (request.inputs.size() != 1)
        throw isolate::Reject("bad_request", "this job takes exactly one file");
    return request.inputs.front();
}

}  // namespace belay::media
