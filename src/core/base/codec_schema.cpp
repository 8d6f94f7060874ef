// codec_schema.cpp — the pieces that schemas of types are made of (belay/schema.hpp).
#include <belay/schema.hpp>

#include <algorithm>

#include <fmt/format.h>
#include <boost/json.hpp>

namespace belay::detail {

namespace json = boost::json;

// ---- recursive types

json::value* SchemaFrame::reference(const void* type) {
    const auto is_it = [type](const Open& one) { return one.type == type; };
    if (const auto known = std::find_if(named_.begin(), named_.end(), is_it); known != named_.end())
        return &known->reference;
    const auto open = std::find_if(open_.begin(), open_.end(), is_it);
    if (open == open_.end()) return nullptr;
    if (open->reference.is_null()) {
        const auto so_far = std::count_if(open_.begin(), open_.end(),
                                          [](const Open& one) { return !one.reference.is_null(); });
        const auto number = definitions_.size() + static_cast<std::size_t>(so_far) + 1;
        open->reference = json::object{{"$ref", fmt::format("#/$defs/type{}", number)}};
    }
    return &open->reference;
}

json::value SchemaFrame::leave(json::value schema) {
    Open ended = std::move(open_.back());
    open_.pop_back();
    if (ended.reference.is_null()) return schema;
    const json::string& where = ended.reference.as_object().at("$ref").as_string();
    definitions_[std::string_view(where).substr(std::string_view("#/$defs/").size())] =
        std::move(schema);
    named_.push_back(std::move(ended));
    return named_.back().reference;
}

std::string SchemaFrame::text(json::value schema) const {
    if (!definitions_.empty()) schema.as_object()["$defs"] = definitions_;
    return json::serialize(schema);
}

// ---- values

json::value schema_type(std::string_view type) { return json::object{{"type", type}}; }

json::value schema_integer(bool is_signed, std::size_t bytes) {
    json::object schema{{"type", "integer"}};
    const auto bits = static_cast<unsigned>(bytes * 8);
    // The bounds of 64 bits are no help to anybody, and no double holds them.
    if (!is_signed) schema["minimum"] = 0;
    if (bits < 64) {
        if (is_signed) schema["minimum"] = -(std::int64_t{1} << (bits - 1));
        schema["maximum"] = (std::int64_t{1} << (is_signed ? bits - 1 : bits)) - 1;
    }
    return schema;
}

json::value schema_span(std::string_view what) {
    return json::object{{"type", "integer"}, {"description", what}};
}

json::value schema_bytes() {
    return json::object{{"type", "string"}, {"contentEncoding", "base64"}};
}

json::value schema_words(const EnumName* names, std::size_t count) {
    json::array words;
    for (std::size_t i = 0; i < count; ++i) words.emplace_back(names[i].name);
    return json::object{{"type", "string"}, {"enum", std::move(words)}};
}

// ---- what is made of others

json::value schema_array(json::value items, bool unique) {
    json::object schema{{"type", "array"}, {"items", std::move(items)}};
    if (unique) schema["uniqueItems"] = true;
    return schema;
}

json::value schema_map(json::value values) {
    return json::object{{"type", "object"}, {"additionalProperties", std::move(values)}};
}

json::value schema_tuple(std::vector<json::value> items) {
    const auto size = static_cast<std::int64_t>(items.size());
    return json::object{{"type", "array"},
                        {"prefixItems", json::array(items.begin(), items.end())},
                        {"minItems", size},
                        {"maxItems", size}};
}

json::value schema_nullable(json::value schema, bool boxed) {
    if (boxed) schema = schema_tuple({std::move(schema)});
    json::object& is = schema.as_object();
    if (is.empty()) return schema;  // anything: null is among it
    if (json::value* type = is.if_contains("type"); type != nullptr && type->is_string()) {
        *type = json::array{*type, "null"};
        if (json::value* words = is.if_contains("enum")) words->as_array().emplace_back(nullptr);
        return schema;
    }
    return json::object{{"anyOf", {std::move(schema), {{"type", "null"}}}}};
}

json::value schema_variant(const std::string_view* names, std::vector<json::value> values) {
    json::array alternatives;
    for (std::size_t i = 0; i < values.size(); ++i) {
        const json::value name =
            names[i].empty() ? json::value(static_cast<std::int64_t>(i)) : json::value(names[i]);
        alternatives.push_back(json::object{
            {"type", "object"},
            {"properties", {{"type", {{"const", name}}}, {"value", std::move(values[i])}}},
            {"required", json::array{"type"}},
            {"additionalProperties", false}});
    }
    return json::object{{"oneOf", std::move(alternatives)}};
}

json::value schema_object(json::object properties) {
    return json::object{
        {"type", "object"}, {"properties", std::move(properties)}, {"additionalProperties", false}};
}

void schema_member(json::object& properties, std::string_view name, json::value schema,
                   const std::string& otherwise, std::string_view doc) {
    // A member of a struct says its own defaults; nothing, no text and no elements go without saying.
    const bool says_something = !otherwise.empty() && otherwise != "null" && otherwise != "\"\"" &&
                                otherwise != "[]" && otherwise.front() != '{';
    if (schema.is_object()) {
        json::object& is = schema.get_object();
        if (says_something) is["default"] = json::parse(otherwise);
        if (!doc.empty()) is["description"] = doc;
    }
    properties[name] = std::move(schema);
}

json::value schema_parsed(std::string_view text) {
    boost::system::error_code error;
    json::value schema = json::parse(text, error);
    if (error || !schema.is_object()) {
        throw Error(ErrorCode::InvalidArgument,
                    fmt::format("a Codec's kSchema is not a JSON object: {}", text));
    }
    return schema;
}

}  // namespace belay::detail
