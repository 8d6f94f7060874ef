#include "ingestion/ai/schema.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include <fmt/format.h>
#include <boost/json.hpp>

#include <belay/error.hpp>

#include "core/base/utf8.hpp"

namespace belay::ai {
namespace {

namespace json = boost::json;

constexpr int kDepthMax = 64;
constexpr std::array<std::string_view, 7> kTypes{"object",  "array",   "string", "number",
                                                 "integer", "boolean", "null"};
constexpr std::array<std::string_view, 6> kForTheModel{"title",   "description", "examples",
                                                       "default", "$schema",     "name"};

std::string_view view(const json::string& text) { return {text.data(), text.size()}; }
std::string_view view(json::string_view text) { return {text.data(), text.size()}; }

std::string shown(const json::value& value) {
    return base::truncate(base::to_valid_utf8(json::serialize(value)), 60);
}

[[noreturn]] void refuse(const std::string& place, const std::string& why) {
    throw Error(ErrorCode::InvalidArgument, fmt::format("schema {}: {}", place, why));
}

void check(const json::value& schema, const std::string& place, int depth);

void check_type(const json::value& type, const std::string& place) {
    const auto is_known = [](const json::value& name) {
        return name.is_string() &&
               std::ranges::find(kTypes, view(name.get_string())) != kTypes.end();
    };
    const bool is_right = type.is_array() ? !type.get_array().empty() &&
                                                std::ranges::all_of(type.get_array(), is_known)
                                          : is_known(type);
    if (!is_right) refuse(place, fmt::format("`type` is {}", shown(type)));
}

void check_keyword(std::string_view name, const json::value& value, const std::string& place,
                   int depth) {
    const auto need = [&](bool is_right, std::string_view what) {
        if (!is_right) refuse(place, fmt::format("`{}` must be {}", name, what));
    };
    if (name == "type") {
        check_type(value, place);
    } else if (name == "properties") {
        need(value.is_object(), "an object");
        for (const auto& [property, below] : value.get_object())
            check(below, fmt::format("{}.{}", place, view(property)), depth + 1);
    } else if (name == "required") {
        need(value.is_array() &&
                 std::ranges::all_of(value.get_array(),
                                     [](const json::value& v) { return v.is_string(); }),
             "an array of names");
    } else if (name == "items") {
        check(value, place + "[]", depth + 1);
    } else if (name == "anyOf") {
        need(value.is_array() && !value.get_array().empty(), "an array of schemas");
        for (const auto& choice : value.get_array()) check(choice, place + "|", depth + 1);
    } else if (name == "additionalProperties") {
        if (!value.is_bool()) check(value, place + ".*", depth + 1);
    } else if (name == "enum") {
        need(value.is_array() && !value.get_array().empty(), "an array of values");
    } else if (name == "minimum" || name == "maximum") {
        need(value.is_number(), "a number");
    } else if (name == "minLength" || name == "maxLength" || name == "minItems" ||
               name == "maxItems") {
        need(value.is_int64() && value.get_int64() >= 0, "a count");
    } else if (name == "nullable") {
        need(value.is_bool(), "true or false");
    } else if (name != "const" && std::ranges::find(kForTheModel, name) == kForTheModel.end()) {
        refuse(place, fmt::format("`{}` is not understood", name));
    }
}

void check(const json::value& schema, const std::string& place, int depth) {
    if (depth > kDepthMax) refuse(place, "it is nested too deeply");
    if (!schema.is_object()) refuse(place, "an object is needed");
    for (const auto& [name, value] : schema.get_object())
        check_keyword(view(name), value, place, depth);
}

bool has_type(const json::value& value, std::string_view type) {
    if (type == "object") return value.is_object();
    if (type == "array") return value.is_array();
    if (type == "string") return value.is_string();
    if (type == "boolean") return value.is_bool();
    if (type == "null") return value.is_null();
    if (type == "number") return value.is_number();
    if (value.is_double()) return std::floor(value.get_double()) == value.get_double();
    return value.is_number();
}

std::string_view name_of(const json::value& value) {
    switch (value.kind()) {
        case json::kind::object:
            return "an object";
        case json::kind::array:
            return "an array";
        case json::kind::string:
            return "a string";
        case json::kind::bool_:
            return "true or false";
        case json::kind::null:
            return "null";
        default:
            return "a number";
    }
}

// 1 and 1.0 are the same number in JSON Schema.
bool equal(const json::value& a, const json::value& b) {
    if (a.is_number() && b.is_number()) return a.to_number<double>() == b.to_number<double>();
    return a == b;
}

using Problem = std::optional<std::string>;

class Check {
public:
    Problem value(const json::object& schema, const json::value& value, const std::string& place,
                  int depth) {
        if (depth > kDepthMax) return fmt::format("{}: it is nested too deeply", place);
        if (value.is_null() && is_nullable(schema)) return std::nullopt;
        for (const auto& step : {&Check::type, &Check::values, &Check::range, &Check::size})
            if (auto wrong = (this->*step)(schema, value, place)) return wrong;
        if (auto wrong = choices(schema, value, place, depth)) return wrong;
        if (value.is_object()) return members(schema, value.get_object(), place, depth);
        if (value.is_array()) return elements(schema, value.get_array(), place, depth);
        return std::nullopt;
    }

private:
    static bool is_nullable(const json::object& schema) {
        const auto* nullable = schema.if_contains("nullable");
        return nullable != nullptr && nullable->get_bool();
    }

    Problem type(const json::object& schema, const json::value& value, const std::string& place) {
        const auto* type = schema.if_contains("type");
        if (type == nullptr) return std::nullopt;
        if (type->is_string()) {
            if (has_type(value, view(type->get_string()))) return std::nullopt;
        } else {
            for (const auto& one : type->get_array())
                if (has_type(value, view(one.get_string()))) return std::nullopt;
        }
        return fmt::format("{}: {} is needed, not {}", place, json::serialize(*type),
                           name_of(value));
    }

    Problem values(const json::object& schema, const json::value& value, const std::string& place) {
        if (const auto* only = schema.if_contains("const"); only != nullptr && !equal(*only, value))
            return fmt::format("{}: {} is not {}", place, shown(value), shown(*only));
        const auto* allowed = schema.if_contains("enum");
        if (allowed == nullptr) return std::nullopt;
        const auto& all = allowed->get_array();
        if (std::ranges::any_of(all, [&](const json::value& one) { return equal(one, value); }))
            return std::nullopt;
        return fmt::format("{}: {} is none of {}", place, shown(value),
                           base::truncate(json::serialize(*allowed), 200));
    }

    Problem range(const json::object& schema, const json::value& value, const std::string& place) {
        if (!value.is_number()) return std::nullopt;
        const auto number = value.to_number<double>();
        if (const auto* least = schema.if_contains("minimum");
            least && number < least->to_number<double>())
            return fmt::format("{}: {} is less than {}", place, shown(value), shown(*least));
        if (const auto* most = schema.if_contains("maximum");
            most && number > most->to_number<double>())
            return fmt::format("{}: {} is more than {}", place, shown(value), shown(*most));
        return std::nullopt;
    }

    Problem size(const json::object& schema, const json::value& value, const std::string& place) {
        std::int64_t count = 0;
        std::string_view least_name, most_name, what;
        if (value.is_string()) {
            const auto text = view(value.get_string());
            count = std::ranges::count_if(
                text, [](char c) { return (static_cast<unsigned char>(c) & 0xc0U) != 0x80U; });
            least_name = "minLength", most_name = "maxLength", what = "characters";
        } else if (value.is_array()) {
            count = static_cast<std::int64_t>(value.get_array().size());
            least_name = "minItems", most_name = "maxItems", what = "elements";
        } else {
            return std::nullopt;
        }
        if (const auto* least = schema.if_contains(least_name); least && count < least->get_int64())
            return fmt::format("{}: {} {} are fewer than {}", place, count, what,
                               least->get_int64());
        if (const auto* most = schema.if_contains(most_name); most && count > most->get_int64())
            return fmt::format("{}: {} {} are more than {}", place, count, what, most->get_int64());
        return std::nullopt;
    }

    Problem choices(const json::object& schema, const json::value& value, const std::string& place,
                    int depth) {
        const auto* any = schema.if_contains("anyOf");
        if (any == nullptr) return std::nullopt;
        Problem first;
        for (const auto& choice : any->get_array()) {
            const auto wrong = this->value(choice.get_object(), value, place, depth + 1);
            if (!wrong) return std::nullopt;
            if (!first) first = wrong;
        }
        return first;
    }

    Problem members(const json::object& schema, const json::object& value, const std::string& place,
                    int depth) {
        if (const auto* required = schema.if_contains("required"))
            for (const auto& name : required->get_array())
                if (!value.contains(name.get_string()))
                    return fmt::format("{}: `{}` is missing", place, view(name.get_string()));
        const auto* properties = schema.if_contains("properties");
        const auto* others = schema.if_contains("additionalProperties");
        for (const auto& [name, member] : value) {
            const auto below = fmt::format("{}.{}", place, base::truncate(view(name), 60));
            const auto* known = properties ? properties->get_object().if_contains(name) : nullptr;
            Problem wrong;
            if (known != nullptr) {
                wrong = this->value(known->get_object(), member, below, depth + 1);
            } else if (others != nullptr && others->is_bool()) {
                if (!others->get_bool()) wrong = fmt::format("{}: it was not asked for", below);
            } else if (others != nullptr) {
                wrong = this->value(others->get_object(), member, below, depth + 1);
            }
            if (wrong) return wrong;
        }
        return std::nullopt;
    }

    Problem elements(const json::object& schema, const json::array& value, const std::string& place,
                     int depth) {
        const auto* items = schema.if_contains("items");
        if (items == nullptr) return std::nullopt;
        for (std::size_t i = 0; i < value.size(); ++i)
            if (auto wrong = this->value(items->get_object(), value[i],
                                         fmt::format("{}[{}]", place, i), depth + 1))
                return wrong;
        return std::nullopt;
    }
};

}  // namespace

Schema::Schema(json::value schema) : schema_(std::move(schema)) { check(schema_, "$", 0); }

std::optional<std::string> Schema::problem(const json::value& value) const {
    return Check{}.value(schema_.get_object(), value, "$", 0);
}

}  // namespace belay::ai
