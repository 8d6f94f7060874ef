#include "service/api/schema.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "core/base/text.hpp"
#include "core/model/status_words.hpp"

namespace belay::api {

namespace json = boost::json;

namespace {

template <class Words>
JsonSchema from_table(const Words& table) {
    std::vector<std::string_view> words;
    for (const auto& word : table) words.push_back(word.text);
    return words_schema(words);
}

bool is_of_type(const json::value& value, std::string_view type) {
    if (type == "null") return value.is_null();
    if (type == "string") return value.is_string();
    if (type == "boolean") return value.is_bool();
    if (type == "integer") return value.is_int64() || value.is_uint64();
    if (type == "number") return value.is_number();
    if (type == "array") return value.is_array();
    return type == "object" && value.is_object();
}

bool is_allowed_type(const json::value& value, const json::value& type) {
    if (type.is_string()) return is_of_type(value, type.get_string());
    const auto& types = type.as_array();
    return std::any_of(types.begin(), types.end(),
                       [&](const json::value& one) { return is_of_type(value, one.as_string()); });
}

using Violations = std::vector<std::string>;

void check_object(const json::object& object, const JsonSchema& schema, const std::string& path,
                  Violations& found) {
    const auto add = [&](Violations more) { found.insert(found.end(), more.begin(), more.end()); };
    if (const auto* required = schema.if_contains("required")) {
        for (const json::value& name : required->as_array()) {
            if (!object.contains(name.as_string()))
                found.push_back(fmt::format("{}: `{}` is missing", path, name.as_string().c_str()));
        }
    }
    const auto* properties = schema.if_contains("properties");
    const auto* additional = schema.if_contains("additionalProperties");
    for (const auto& [name, member] : object) {
        const std::string inner = fmt::format("{}.{}", path, std::string_view(name));
        const auto* known =
            properties != nullptr ? properties->as_object().if_contains(name) : nullptr;
        if (known != nullptr) {
            add(schema_violations(member, known->as_object(), inner));
        } else if (additional != nullptr && additional->is_object()) {
            add(schema_violations(member, additional->as_object(), inner));
        } else if (additional != nullptr && additional->is_bool() && !additional->as_bool()) {
            found.push_back(inner + ": is not in the schema");
        }
    }
}

}  // namespace

JsonSchema string_schema(std::string_view format) {
    JsonSchema schema{{"type", "string"}};
    if (!format.empty()) schema["format"] = format;
    return schema;
}

JsonSchema integer_schema(std::optional<std::int64_t> least, std::optional<std::int64_t> most) {
    JsonSchema schema{{"type", "integer"}};
    if (least) schema["minimum"] = *least;
    if (most) schema["maximum"] = *most;
    return schema;
}

JsonSchema words_schema(const std::vector<std::string_view>& words) {
    json::array values;
    for (const std::string_view word : words) values.emplace_back(word);
    return {{"type", "string"}, {"enum", std::move(values)}};
}

JsonSchema nullable(JsonSchema schema) {
    const auto type = schema.find("type");
    if (type == schema.end()) return schema;  // anything: null is among it
    if (type->value().is_string()) {
        type->value() = json::array{type->value(), "null"};
        if (auto* words = schema.if_contains("enum")) words->as_array().emplace_back(nullptr);
    }
    return schema;
}

JsonSchema run_status_schema() { return from_table(model::kRunStatusWords); }
JsonSchema stage_status_schema() { return from_table(model::kStageStatusWords); }

JsonSchema list_schema(std::string_view name, JsonSchema items) {
    return {{"type", "object"},
            {"properties",
             {{name, {{"type", "array"}, {"items", std::move(items)}}},
              {"next_cursor", nullable(string_schema())}}},
            {"required", json::array{json::value(name), "next_cursor"}},
            {"additionalProperties", false}};
}

JsonSchema counted_list_schema(std::string_view name, JsonSchema items) {
    JsonSchema schema = list_schema(name, std::move(items));
    schema["properties"].as_object()["total"] = integer_schema();
    return schema;
}

std::vector<std::string> schema_violations(const json::value& value, const JsonSchema& schema,
                                           const std::string& path) {
    Violations found;
    if (const auto* type = schema.if_contains("type");
        type != nullptr && !is_allowed_type(value, *type)) {
        found.push_back(fmt::format("{}: is {}, not {}", path, json::serialize(value).substr(0, 60),
                                    json::serialize(*type)));
        return found;
    }
    if (const auto* words = schema.if_contains("enum")) {
        const auto& allowed = words->as_array();
        if (std::find(allowed.begin(), allowed.end(), value) == allowed.end())
            found.push_back(fmt::format("{}: {} is not among {}", path, json::serialize(value),
                                        json::serialize(*words)));
    }
    if (const auto* format = schema.if_contains("format");
        format != nullptr && format->as_string() == "date-time" && value.is_string()) {
        const auto time = base::parse_time(value.as_string());
        if (!time || base::format_time(*time) != value.as_string())
            found.push_back(path + ": is not RFC 3339 in UTC with milliseconds");
    }
    if (value.is_object()) check_object(value.get_object(), schema, path, found);
    if (const auto* items = schema.if_contains("items"); items != nullptr && value.is_array()) {
        std::size_t i = 0;
        for (const json::value& item : value.get_array()) {
            auto more =
                schema_violations(item, items->as_object(), fmt::format("{}[{}]", path, i++));
            found.insert(found.end(), more.begin(), more.end());
        }
    }
    return found;
}

}  // namespace belay::api
