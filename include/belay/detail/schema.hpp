// schema.hpp — the JSON Schema of a type that has a JSON form (belay/schema.hpp).
//
// Private to belay/schema.hpp. It follows the forms of codec.hpp one by one; what is no template is in
// base/codec_schema.cpp, so that a program compiles little of it.
#pragma once

#include <cstddef>
#include <exception>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <belay/codec.hpp>

namespace belay::detail {

// What is known while a schema is made: the structs that we are inside of, so that a tree of nodes ends.
class SchemaFrame {
public:
    using Json = boost::json::value;
    using Object = boost::json::object;

    // A struct's schema, made by `make` unless we are inside of it: then a reference, and it gets a name.
    template <class Make>
    Json of_struct(const void* type, Make make) {
        if (Json* known = reference(type)) return *known;
        enter(type);
        return leave(make());
    }
    // The schema with what was named beside it, as text.
    std::string text(Json schema) const;

private:
    struct Open {
        const void* type = nullptr;
        Json reference{};  // null until somebody refers to it
    };

    Json* reference(const void* type);
    void enter(const void* type) { open_.push_back({type, nullptr}); }
    Json leave(Json schema);

    std::vector<Open> open_{};
    std::vector<Open> named_{};
    Object definitions_{};
};

boost::json::value schema_type(std::string_view type);
boost::json::value schema_integer(bool is_signed, std::size_t bytes);
boost::json::value schema_span(std::string_view what);  // an integer that counts something
boost::json::value schema_bytes();
boost::json::value schema_words(const EnumName* names, std::size_t count);
boost::json::value schema_array(boost::json::value items, bool unique);
boost::json::value schema_map(boost::json::value values);
boost::json::value schema_tuple(std::vector<boost::json::value> items);
boost::json::value schema_nullable(boost::json::value schema, bool boxed);
boost::json::value schema_variant(const std::string_view* names,
                                  std::vector<boost::json::value> values);
boost::json::value schema_object(boost::json::object properties);
// Puts a member's default and its text for people beside its schema.
void schema_member(boost::json::object& properties, std::string_view name,
                   boost::json::value schema, const std::string& otherwise, std::string_view doc);
// What a Codec says of itself. Throws Error{InvalidArgument} if it is not JSON.
boost::json::value schema_parsed(std::string_view text);

template <class T>
inline constexpr char kTypeTag = 0;  // its address is the type

template <class T>
inline constexpr bool kIsOptional = false;
template <class T>
inline constexpr bool kIsOptional<std::optional<T>> = true;
template <class T>
inline constexpr bool kIsTimePoint = false;
template <class C, class D>
inline constexpr bool kIsTimePoint<std::chrono::time_point<C, D>> = true;
template <class T>
inline constexpr std::string_view kSpanWords{};
template <class Rep, class Period>
inline constexpr std::string_view kSpanWords<std::chrono::duration<Rep, Period>> =
    std::is_same_v<Period, std::milli>          ? "milliseconds"
    : std::is_same_v<Period, std::micro>        ? "microseconds"
    : std::is_same_v<Period, std::nano>         ? "nanoseconds"
    : std::is_same_v<Period, std::ratio<1>>     ? "seconds"
    : std::is_same_v<Period, std::ratio<60>>    ? "minutes"
    : std::is_same_v<Period, std::ratio<3600>>  ? "hours"
    : std::is_same_v<Period, std::ratio<86400>> ? "days"
                                                : "a time";

// The text that a struct gives one of its members; "" if none.
template <class T>
constexpr std::string_view doc_of(std::string_view member) {
    if constexpr (requires { std::begin(T::kDocs); }) {
        for (const auto& doc : T::kDocs)
            if (std::string_view(doc.member) == member) return doc.text;
    }
    return {};
}

// The default as JSON, or "" if it says nothing: it cannot be written, or is empty.
template <class T>
std::string schema_default(const T& value) {
    try {
        return to_json(value);
    } catch (const std::exception&) {
        return {};
    }
}

// `otherwise` is the value that is meant if none is given; null: none is known.
template <class T>
boost::json::value schema_value(SchemaFrame& frame, const T* otherwise);

template <class... T>
std::vector<boost::json::value> schemas_of(SchemaFrame& frame, Types<T...>) {
    std::vector<boost::json::value> all;
    all.reserve(sizeof...(T));
    (all.push_back(schema_value<T>(frame, nullptr)), ...);
    return all;
}

template <DescribedStruct T>
boost::json::value schema_of_struct(SchemaFrame& frame, const T* otherwise) {
    return frame.of_struct(&kTypeTag<T>, [&] {
        std::optional<T> fresh;
        if constexpr (std::is_default_constructible_v<T>) {
            if (otherwise == nullptr) otherwise = &fresh.emplace();
        }
        boost::json::object properties;
        boost::mp11::mp_for_each<Members<T>>([&](auto d) {
            using D = decltype(d);
            using M = std::remove_cv_t<MemberType<T, D>>;
            const M* member = otherwise == nullptr ? nullptr : &(otherwise->*D::pointer);
            schema_member(properties, D::name, schema_value<M>(frame, member),
                          member == nullptr ? std::string() : schema_default(*member),
                          doc_of<T>(D::name));
        });
        return schema_object(std::move(properties));
    });
}

template <class T>
boost::json::value schema_value(SchemaFrame& frame, [[maybe_unused]] const T* otherwise) {
    if constexpr (HasCodec<T>) {
        if constexpr (requires { std::string_view(Codec<T>::kSchema); })
            return schema_parsed(Codec<T>::kSchema);
        else
            return boost::json::object{};
    } else if constexpr (std::is_same_v<T, bool>) {
        return schema_type("boolean");
    } else if constexpr (Integer<T>) {
        return schema_integer(std::is_signed_v<T>, sizeof(T));
    } else if constexpr (std::is_floating_point_v<T>) {
        return schema_type("number");
    } else if constexpr (std::is_same_v<T, Bytes>) {
        return schema_bytes();
    } else if constexpr (std::is_same_v<T, std::string> || IsWriteOnly<T>) {
        return schema_type("string");
    } else if constexpr (std::is_same_v<T, boost::json::value>) {
        return boost::json::object{};
    } else if constexpr (std::is_same_v<T, Nothing> || std::is_same_v<T, std::monostate>) {
        return schema_type("null");
    } else if constexpr (!kSpanWords<T>.empty()) {
        return schema_span(kSpanWords<T>);
    } else if constexpr (kIsTimePoint<T>) {
        return schema_span(std::is_same_v<typename T::duration, Duration>
                               ? "milliseconds since 1970 (UTC)"
                               : "a time since 1970 (UTC)");
    } else if constexpr (DescribedEnum<T>) {
        return schema_words(Form<T>::names().data(), Form<T>::names().size());
    } else if constexpr (DescribedStruct<T>) {
        return schema_of_struct<T>(frame, otherwise);
    } else if constexpr (kIsOptional<T>) {
        using Held = typename T::value_type;
        const Held* held = otherwise != nullptr && *otherwise ? &**otherwise : nullptr;
        return schema_nullable(schema_value<Held>(frame, held), Form<T>::kBoxed);
    } else if constexpr (requires { Form<T>::kNames; }) {
        return schema_variant(Form<T>::kNames, schemas_of(frame, typename Form<T>::Parts{}));
    } else if constexpr (requires { Form<T>::kObject; }) {
        using Key = typename Form<T>::Key;
        using Value = typename Form<T>::Value;
        if constexpr (Form<T>::kObject)
            return schema_map(schema_value<Value>(frame, nullptr));
        else
            return schema_array(schema_tuple(schemas_of(frame, Types<Key, Value>{})), false);
    } else if constexpr (requires { typename Form<T>::Element; }) {
        using Element = typename Form<T>::Element;
        return schema_array(
            schema_value<Element>(frame, nullptr), requires { typename T::key_type; });
    } else if constexpr (requires {
                             std::tuple_size<T>::value;
                             typename T::value_type;
                         }) {
        return schema_tuple(std::vector<boost::json::value>(
            std::tuple_size_v<T>, schema_value<typename T::value_type>(frame, nullptr)));
    } else {
        return schema_tuple(schemas_of(frame, typename Form<T>::Parts{}));  // pair, tuple
    }
}

}  // namespace belay::detail
