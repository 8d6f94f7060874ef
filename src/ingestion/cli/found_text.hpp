// found_text.hpp — what a run found in a file, for a person at a terminal.
#pragma once

#include <string>
#include <string_view>

#include <boost/json/value.hpp>

#include "service/cli/screen.hpp"

namespace belay::cli {

// Below the line of the file: a receipt's merchant, date, total and items, an invoice's header and lines, a
// statement's rows, an image's labels; then why a person should look. Other results as JSON.
void print_found(const Screen& screen, std::string_view workflow_key,
                 const boost::json::value& result);

}  // namespace belay::cli
