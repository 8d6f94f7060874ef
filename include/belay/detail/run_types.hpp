// run_types.hpp — the C++ types of a run's input and result, for whoever compares them.
//
// Internal to the headers.
#pragma once

#include <string>
#include <string_view>
#include <type_traits>
#include <typeinfo>

#include <boost/json/value.hpp>

#include <belay/codec.hpp>
#include <belay/schema.hpp>

namespace belay::detail {

// The C++ types of a run's input and result, as the code sees them that defines it, or that asks for it.
struct RunTypes {
    const std::type_info* input;
    const std::type_info* result;
    std::string (*result_schema)();  // JSON Schema
};
template <class In, class Out>
inline constexpr RunTypes kRunTypes{&typeid(In), &typeid(Out), &schema_of<Out>};

// The same of who submits by a text: what is no type of its own (JSON, nothing) fits everything.
template <class Out>
consteval auto asked_schema() -> std::string (*)() {
    if constexpr (std::is_void_v<Out> || std::is_same_v<Out, boost::json::value> || !Writable<Out>)
        return nullptr;
    else
        return &schema_of<Out>;
}
template <class In, class Out>
inline constexpr RunTypes kAskedTypes{
    &typeid(
        std::conditional_t<std::is_convertible_v<const In&, std::string_view>, std::string, In>),
    &typeid(Out), asked_schema<Out>()};

}  // namespace belay::detail
