// codec.hpp — how values cross a checkpoint: as JSON.
//
// A step's arguments and results are written as JSON and read back after a crash, perhaps by newer
// code. What is read equals what was written, to the last bit of a double. These types have a form:
//
//   bool, integers           true, 42                  integers are checked against their range
//   float, double            0.1                       the shortest text that reads back equal
//   std::string              "text"                    UTF-8 only; other bytes belong in Bytes
//   Bytes                    "AAEC"                    base64
//   described struct, class  {"member": …}             BOOST_DESCRIBE_STRUCT(T, (bases), (members))
//   described enum           "Name"                    BOOST_DESCRIBE_ENUM(E, names)
//   std::optional            null or the value         [value] if the value itself may be null
//   vector, list, deque, array, set, unordered_set, multi…   […]
//   map, unordered_map       {"key": …}                [[key, value], …] if keys are not strings
//   pair, tuple              [a, b]
//   variant                  {"type": 1, "value": …}   position, or the alternative's kJsonName
//   chrono durations, Time   1500                      the count of their own period
//   Nothing, monostate       null
//   boost::json::value       itself
//
// Unordered containers are written in a sorted order, so equal values are equal text.
//
// Code changes while runs sleep, so reading is lenient where that is safe: unknown members are
// ignored, and a missing member keeps the default that its struct gives it. A wrong type is an error.
// docs/guide/values.md shows how to change a type that has records.
#pragma once

#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include <boost/json/value.hpp>

#include <belay/bytes.hpp>
#include <belay/error.hpp>

namespace belay {

// The form of a type that Describe cannot serve, given by the program before the type is first used:
//
//   template <> struct belay::Codec<Money> {
//       static void write(std::string& out, const Money& m) { belay::write_json(out, m.text()); }
//       static Money read(const boost::json::value& v) {
//           return Money::parse(belay::read_json<std::string>(v));
//       }
//   };
//
// `write` appends exactly one JSON value. `read` may throw any std::exception to refuse a value: it
// becomes Error{BadValue} with the path of the value in front. A Codec wins over the forms above.
template <class T>
struct Codec;

}  // namespace belay

#include <belay/detail/codec_container.hpp>
#include <belay/detail/codec_described.hpp>
#include <belay/detail/codec_form.hpp>
#include <belay/detail/codec_scalar.hpp>

namespace belay {

// A value of this type can be written to a checkpoint and read back.
template <class T>
concept Storable = detail::has_form<std::remove_cvref_t<T>, detail::Use::WriteAndRead>();

// A value of this type can be written: what is Storable, and borrowed text (const char*, string_view).
template <class T>
concept Writable = detail::has_form<std::remove_cvref_t<T>, detail::Use::Write>();

// The value as compact JSON. Throws Error{BadValue}, with the path of the culprit, for what JSON
// cannot hold: NaN and infinities, text that is not UTF-8, an enum value without a name, more than
// 256 levels.
template <class T>
std::string to_json(const T& value) {
    detail::require_form<T, detail::Use::Write>();
    std::string out;
    // One allocation for a small struct instead of three while it grows.
    if constexpr (!detail::HasShortcut<T>) out.reserve(120);
    if constexpr (Writable<T>) detail::write(out, value, detail::Path{});
    return out;
}

// The value that `json` holds. Throws Error{BadValue} with the path and what was expected and found:
// "$.lines[2].total: expected a number, found a string".
template <class T>
T from_json(std::string_view json) {
    static_assert(std::is_same_v<T, std::remove_cvref_t<T>>, "belay: read into a plain value type");
    detail::require_form<T, detail::Use::WriteAndRead>();
    if constexpr (Storable<T>) {
        if constexpr (detail::HasShortcut<T>) {
            // A bare number, bool or string needs no parser; anything unusual takes the long way.
            if (auto value = detail::Form<T>::shortcut(json)) return *std::move(value);
        }
        const detail::Document document{json};
        return detail::read<T>(document.root(), detail::Path{});
    }
}

// Appends the value's JSON to `out`; for use inside a Codec. Throws as to_json does.
template <class T>
void write_json(std::string& out, const T& value) {
    detail::require_form<T, detail::Use::Write>();
    if constexpr (Writable<T>) detail::write(out, value, detail::Path{});
}

// The value that a parsed JSON value holds; for use inside a Codec. Throws as from_json does; the
// path in the message starts at `value` and is completed by whoever called the Codec.
template <class T>
T read_json(const boost::json::value& value) {
    detail::require_form<T, detail::Use::WriteAndRead>();
    if constexpr (Storable<T>) return detail::read<T>(value, detail::Path{});
}

}  // namespace belay
