// schema.hpp — whether a JSON value is what a schema asked for.
//
// The part of JSON Schema that prompts use: type (one or several), properties, required, items, enum, const,
// minimum, maximum, minLength, maxLength, minItems, maxItems, additionalProperties, anyOf, nullable; title,
// description and examples are for the model. A schema with anything else is refused when it is loaded, so
// nobody relies on a rule that is not checked.
#pragma once

#include <optional>
#include <string>

#include <boost/json/value.hpp>

namespace belay::ai {

class Schema {
public:
    // Throws Error{InvalidArgument} naming the place and what is not understood there.
    explicit Schema(boost::json::value schema);

    // The first thing that is wrong with `value`, with its place ("$.lines[2].amount: a number is needed, not
    // a string"); nothing if it is right.
    std::optional<std::string> problem(const boost::json::value& value) const;

    const boost::json::value& json() const { return schema_; }

private:
    boost::json::value schema_;
};

}  // namespace belay::ai
