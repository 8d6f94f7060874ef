// schema.hpp — what a type looks like as JSON, for those who do not have its C++: a JSON Schema (2020-12).
//
// Made from the same description as the codec (codec.hpp), so it cannot say something else. A workflow's input
// and output are described by it: GET /api/workflows, the form on the page, `NAME submit`.
//
//   struct Order {
//       std::string item;
//       int pieces = 1;  // "default": 1
//       static constexpr belay::Doc kDocs[] = {{"item", "what is sold"}, {"pieces", "how many"}};
//   };
//   BOOST_DESCRIBE_STRUCT(Order, (), (item, pieces))
//
// No member is `required`: what is left out keeps the default that its struct gives it, which the schema names.
// `additionalProperties` is false: the codec ignores what it does not know, so that old records can be read, but
// at a door from outside a member of that name is a misspelt one, and is refused.
//
// A type with a belay::Codec of its own is anything, unless the Codec says more:
//     static constexpr std::string_view kSchema = R"({"type": "string", "pattern": "^[0-9.]+ [A-Z]{3}$"})";
#pragma once

#include <string>
#include <string_view>
#include <type_traits>

#include <belay/codec.hpp>
#include <belay/detail/schema.hpp>

namespace belay {

// A text for people about one member; see above.
struct Doc {
    std::string_view member{};
    std::string_view text{};
};

// The schema as compact JSON. void is null.
template <class T>
std::string schema_of() {
    detail::SchemaFrame frame;
    if constexpr (std::is_void_v<T>) {
        return frame.text(detail::schema_type("null"));
    } else {
        using Plain = std::remove_cvref_t<T>;
        detail::require_form<Plain, detail::Use::Write>();
        if constexpr (Writable<Plain>)
            return frame.text(detail::schema_value<Plain>(frame, nullptr));
        else
            return {};
    }
}

}  // namespace belay
