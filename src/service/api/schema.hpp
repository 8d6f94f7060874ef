// schema.hpp — the JSON Schema of a C++ type, from its Boost.Describe description.
//
// One description serves the reader, the writer and /openapi.json. A struct's members are all
// required in an answer (what does not exist is null); in a request those that are optional may be
// left out. Types with another JSON form than their members specialize Schema.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <boost/describe.hpp>
#include <boost/json.hpp>
#include <boost/mp11.hpp>

#include <belay/status.hpp>
#include <belay/time.hpp>

namespace belay::api {

enum class SchemaFor { Request, Response };

using JsonSchema = boost::json::object;

JsonSchema string_schema(std::string_view format = {});
JsonSchema integer_schema(std::optional<std::int64_t> least = {},
                          std::optional<std::int64_t> most = {});
JsonSchema words_schema(const std::vector<std::string_view>& words);
// The same, or null.
JsonSchema nullable(JsonSchema schema);
JsonSchema run_status_schema();
JsonSchema stage_status_schema();

template <class T>
struct Schema;

template <class T>
JsonSchema schema_of(SchemaFor use = SchemaFor::Response) {
    return Schema<T>::make(use);
}

// A list in its envelope: {"runs": […], "next_cursor"}.
JsonSchema list_schema(std::string_view name, JsonSchema items);

template <>
struct Schema<std::string> {
    static JsonSchema make(SchemaFor) { return string_schema(); }
};
template <>
struct Schema<bool> {
    static JsonSchema make(SchemaFor) { return {{"type", "boolean"}}; }
};
template <>
struct Schema<double> {
    static JsonSchema make(SchemaFor) { return {{"type", "number"}}; }
};
template <class T>
requires(std::is_integral_v<T> && !std::is_same_v<T, bool>) struct Schema<T> {
    static JsonSchema make(SchemaFor) { return integer_schema(); }
};
template <>
struct Schema<Time> {
    static JsonSchema make(SchemaFor) { return string_schema("date-time"); }
};
template <>
struct Schema<RunStatus> {
    static JsonSchema make(SchemaFor) { return run_status_schema(); }
};
template <>
struct Schema<StageStatus> {
    static JsonSchema make(SchemaFor) { return stage_status_schema(); }
};
// Any JSON at all.
template <>
struct Schema<boost::json::value> {
    static JsonSchema make(SchemaFor) { return {}; }
};
// Any JSON object.
template <>
struct Schema<boost::json::object> {
    static JsonSchema make(SchemaFor) { return {{"type", "object"}}; }
};
template <class T>
struct Schema<std::optional<T>> {
    static JsonSchema make(SchemaFor use) { return nullable(Schema<T>::make(use)); }
};
template <class T>
struct Schema<std::vector<T>> {
    static JsonSchema make(SchemaFor use) {
        return {{"type", "array"}, {"items", Schema<T>::make(use)}};
    }
};
template <class T, class Less>
struct Schema<std::map<std::string, T, Less>> {
    static JsonSchema make(SchemaFor use) {
        return {{"type", "object"}, {"additionalProperties", Schema<T>::make(use)}};
    }
};

namespace detail {
template <class T>
inline constexpr bool kIsOptional = false;
template <class T>
inline constexpr bool kIsOptional<std::optional<T>> = true;
}  // namespace detail

template <class T>
requires(boost::describe::has_describe_members<T>::value&& std::is_class_v<T>) struct Schema<T> {
    static JsonSchema make(SchemaFor use) {
        boost::json::object properties;
        boost::json::array required;
        using Members = boost::describe::describe_members<T, boost::describe::mod_public |
                                                                 boost::describe::mod_inherited>;
        boost::mp11::mp_for_each<Members>([&](auto member) {
            using M = std::remove_cvref_t<decltype(std::declval<T&>().*member.pointer)>;
            properties.emplace(member.name, Schema<M>::make(use));
            if (use == SchemaFor::Response || !detail::kIsOptional<M>)
                required.emplace_back(member.name);
        });
        JsonSchema schema{{"type", "object"}, {"properties", std::move(properties)}};
        if (!required.empty()) schema["required"] = std::move(required);
        schema["additionalProperties"] = false;
        return schema;
    }
};

template <class T>
requires(boost::describe::has_describe_enumerators<T>::value&& std::is_enum_v<T>) struct Schema<T> {
    static JsonSchema make(SchemaFor) {
        std::vector<std::string_view> words;
        boost::mp11::mp_for_each<boost::describe::describe_enumerators<T>>(
            [&](auto enumerator) { words.emplace_back(enumerator.name); });
        return words_schema(words);
    }
};

// The same with "total", which the first page has.
JsonSchema counted_list_schema(std::string_view name, JsonSchema items);

// Where `value` breaks `schema`, as sentences with paths; empty if it does not. Knows what the
// functions above make: enough for the tests that hold every answer against its schema.
std::vector<std::string> schema_violations(const boost::json::value& value,
                                           const JsonSchema& schema, const std::string& path = "$");

}  // namespace belay::api
