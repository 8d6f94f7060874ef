// input_check.hpp — where an input is not what a workflow takes, as an address in it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

namespace belay::api {

// The first member that no struct of the schema has: the codec would leave it out in silence, and whoever sent it
// has misspelt it. "$.peices: there is no such member; there are item, pieces".
std::optional<std::string> misspelt_member(const boost::json::value& input,
                                           const boost::json::object& schema);

// The place that a sentence of the codec speaks of: "the input of SELL: $.pieces: expected …" → "$.pieces"; "$" if it
// names none.
std::string place_in(std::string_view sentence);

}  // namespace belay::api
