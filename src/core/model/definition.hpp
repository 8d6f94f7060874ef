// definition.hpp — what a workflow says of itself, as a row that other processes read.
#pragma once

#include <string>
#include <vector>

#include <belay/time.hpp>

namespace belay::model {

struct Definition {
    std::string workflow_key{};
    std::string code_version{};
    std::string summary{};
    std::string input_schema{};   // JSON Schema, as text
    std::string output_schema{};  // the same
    bool exposed = true;
    std::vector<std::string> editable{};
    Time described_at{};  // when a worker of that version started last

    friend bool operator==(const Definition&, const Definition&) = default;
};

}  // namespace belay::model
