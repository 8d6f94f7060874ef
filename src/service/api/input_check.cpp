#include "service/api/input_check.hpp"

#include <vector>

#include <fmt/format.h>
#include <boost/json.hpp>

#include "service/api/errors.hpp"

namespace belay::api {

namespace json = boost::json;

namespace {

class Walk {
public:
    explicit Walk(const json::object& root) : root_(root) {}

    std::optional<std::string> find(const json::value& value, const json::object& schema,
                                    const std::string& path) const {
        if (const auto* reference = schema.if_contains("$ref"))
            return find(value, referred(reference->as_string()), path);
        for (const char* several : {"anyOf", "oneOf"}) {
            if (const auto* all = schema.if_contains(several))
                return find_in_alternatives(value, all->as_array(), path);
        }
        if (value.is_object()) return find_in_object(value.get_object(), schema, path);
        if (value.is_array()) return find_in_array(value.get_array(), schema, path);
        return std::nullopt;
    }

private:
    const json::object& referred(std::string_view reference) const {
        static const json::object kAnything;
        const auto* all = root_.if_contains("$defs");
        const auto* found = all == nullptr ? nullptr
                                           : all->as_object().if_contains(reference.substr(
                                                 std::string_view("#/$defs/").size()));
        return found == nullptr ? kAnything : found->as_object();
    }

    // Fine if it is fine in one of them: the codec knows which was meant.
    std::optional<std::string> find_in_alternatives(const json::value& value,
                                                    const json::array& all,
                                                    const std::string& path) const {
        std::optional<std::string> first;
        for (const json::value& one : all) {
            if (!may_be_meant(one.as_object(), value)) continue;
            auto found = find(value, one.as_object(), path);
            if (!found) return std::nullopt;
            if (!first) first = std::move(found);
        }
        return first;
    }

    // Not one for values of another kind, nor one that the value's own words say it is not: {"type": 1, …} is not the
    // alternative whose "type" is 0.
    static bool may_be_meant(const json::object& schema, const json::value& value) {
        const auto* type = schema.if_contains("type");
        if (type != nullptr && type->is_string() &&
            (type->get_string() == "object") != value.is_object())
            return false;
        const auto* members = schema.if_contains("properties");
        if (members == nullptr || !value.is_object()) return true;
        for (const auto& [name, member] : members->as_object()) {
            const json::value* given = value.get_object().if_contains(name);
            const json::value* wanted =
                member.is_object() ? member.get_object().if_contains("const") : nullptr;
            if (given != nullptr && wanted != nullptr && *given != *wanted) return false;
        }
        return true;
    }

    std::optional<std::string> find_in_object(const json::object& object,
                                              const json::object& schema,
                                              const std::string& path) const {
        const auto* members = schema.if_contains("properties");
        const auto* others = schema.if_contains("additionalProperties");
        const bool is_closed = others != nullptr && others->is_bool() && !others->get_bool();
        for (const auto& [name, member] : object) {
            const std::string inner = fmt::format("{}.{}", path, shown(name));
            const json::value* of =
                members == nullptr ? nullptr : members->as_object().if_contains(name);
            if (of == nullptr && is_closed) return unknown(inner, members);
            if (of == nullptr && others != nullptr && others->is_object()) of = others;
            if (of == nullptr || !of->is_object()) continue;
            if (auto found = find(member, of->get_object(), inner)) return found;
        }
        return std::nullopt;
    }

    std::optional<std::string> find_in_array(const json::array& array, const json::object& schema,
                                             const std::string& path) const {
        const auto* items = schema.if_contains("items");
        const auto* first = schema.if_contains("prefixItems");
        for (std::size_t i = 0; i < array.size(); ++i) {
            const json::value* of = items;
            if (first != nullptr && i < first->as_array().size()) of = &first->as_array()[i];
            if (of == nullptr || !of->is_object()) continue;
            if (auto found = find(array[i], of->get_object(), fmt::format("{}[{}]", path, i)))
                return found;
        }
        return std::nullopt;
    }

    static std::string unknown(const std::string& path, const json::value* members) {
        std::vector<std::string_view> names;
        if (members != nullptr) {
            for (const auto& member : members->as_object()) names.emplace_back(member.key());
        }
        return names.empty() ? fmt::format("{}: there is no such member; there are none", path)
                             : fmt::format("{}: there is no such member; there are {}", path,
                                           fmt::join(names, ", "));
    }

    const json::object& root_;
};

}  // namespace

std::optional<std::string> misspelt_member(const json::value& input, const json::object& schema) {
    return Walk{schema}.find(input, schema, "$");
}

std::string place_in(std::string_view sentence) {
    const auto begin = sentence.find('$');
    const auto end = begin == std::string_view::npos ? begin : sentence.find(": ", begin);
    if (end == std::string_view::npos) return "$";
    return std::string(sentence.substr(begin, end - begin));
}

}  // namespace belay::api
