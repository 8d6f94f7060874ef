// codec_form.hpp — the frame that all JSON forms share: the path, the dispatch, the compile errors.
//
// Private to belay/codec.hpp. A form is a specialisation of Form<T> with
//   Parts                       the types it is made of, so that one missing form deep inside is found
//   write(out, value, path)     appends the JSON text
//   read(json, path)            returns a T or throws through `fail`
// and, optionally, kWriteOnly, kReadable, kMayBeNull, and shortcut(text) -> optional<T>.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <type_traits>

#include <boost/json/monotonic_resource.hpp>
#include <boost/json/value.hpp>

#include <belay/error.hpp>

namespace belay {

template <class T>
struct Codec;

namespace detail {

// Where in a value we are, as a chain on the stack: it costs a few stores on the way down and is put
// into words only when something is wrong.
struct Path {
    const Path* parent = nullptr;
    std::string_view key{};  // of a member; null for an element
    std::size_t index = 0;
    std::size_t depth = 0;

    Path member(std::string_view name) const { return {this, name, 0, depth + 1}; }
    Path element(std::size_t position) const { return {this, {}, position, depth + 1}; }

    std::string text() const;  // $.lines[2].total
};

// Throws Error{BadValue} "path: problem".
[[noreturn]] void fail(const Path& path, std::string_view problem);

// Throws Error{BadValue} "path: expected (expected), found (what `found` is)".
[[noreturn]] void fail_expected(const Path& path, std::string_view expected,
                                const boost::json::value& found);

// Throws `problem` of a program's Codec with our path in place of, or before, its own.
[[noreturn]] void fail_in_codec(const Path& path, std::string_view problem);

[[noreturn]] void fail_too_deep(const Path& path);

// A record that is nested deeper than the reader allows could never be read: refuse to write it.
inline constexpr std::size_t kDepthMax = 256;

inline void check_depth(const Path& path) {
    if (path.depth >= kDepthMax) [[unlikely]]
        fail_too_deep(path);
}

// A JSON text, parsed. Small ones stay inside the object. Throws Error{BadValue} if it is not JSON.
class Document {
public:
    explicit Document(std::string_view json);
    Document(const Document&) = delete;
    Document& operator=(const Document&) = delete;

    const boost::json::value& root() const { return root_; }

private:
    unsigned char buffer_[4096];
    boost::json::monotonic_resource memory_;
    boost::json::value root_;
};

// The object or array of a value, or the error that it is something else.
const boost::json::object& as_object(const boost::json::value& json, const Path& path);
const boost::json::array& as_array(const boost::json::value& json, const Path& path);

template <class... T>
struct Types {};

// No specialisation, no form.
template <class T>
struct Form;

template <class T>
concept HasCodec = requires(std::string& out, const T& value, const boost::json::value& json) {
    Codec<T>::write(out, value);
    { Codec<T>::read(json) } -> std::convertible_to<T>;
};

template <class T>
concept HasFormOfItsOwn = requires {
    typename Form<T>::Parts;
};

template <class T>
concept HasShortcut = !HasCodec<T> && requires(std::string_view json) {
    Form<T>::shortcut(json);
};

template <class T>
concept IsWriteOnly = requires {
    Form<T>::kWriteOnly;
};

template <class T>
concept IsUnreadable = IsWriteOnly<T> || requires {
    requires !Form<T>::kReadable;
};

template <class T>
concept MayBeNull = !HasCodec<T> && requires {
    Form<T>::kMayBeNull;
};

// --- Dispatch -----------------------------------------------------------------------------------

template <class T>
void write(std::string& out, const T& value, const Path& path) {
    if constexpr (HasCodec<T>) {
        try {
            Codec<T>::write(out, value);
        } catch (const Error& error) {
            if (error.code() != ErrorCode::BadValue) throw;
            fail_in_codec(path, error.what());
        }
    } else {
        Form<T>::write(out, value, path);
    }
}

template <class T>
T read(const boost::json::value& json, const Path& path) {
    if constexpr (HasCodec<T>) {
        try {
            return Codec<T>::read(json);
        } catch (const Error& error) {
            if (error.code() != ErrorCode::BadValue) throw;
            fail_in_codec(path, error.what());
        } catch (const std::bad_alloc&) {
            throw;
        } catch (const std::exception& error) {
            fail_in_codec(path, error.what());
        }
    } else {
        return Form<T>::read(json, path);
    }
}

// --- Which types have a form, and what to tell about one that has none ---------------------------

enum class Use { Write, WriteAndRead };

// `Outer` are the types that we are already inside of: a type may contain itself (a tree of nodes),
// and is then fine if everything else in it is.
template <class T, Use use, class... Outer>
consteval bool has_form();

template <Use use, class... Outer, class... Part>
consteval bool have_forms(Types<Part...>) {
    return (has_form<Part, use, Outer...>() && ...);
}

template <class T, Use use, class... Outer>
consteval bool has_form() {
    if constexpr ((std::is_same_v<T, Outer> || ...) || HasCodec<T>)
        return true;
    else if constexpr (!HasFormOfItsOwn<T> || (use == Use::WriteAndRead && IsUnreadable<T>))
        return false;
    else
        return have_forms<use, T, Outer...>(typename Form<T>::Parts{});
}

template <class T>
inline constexpr bool kNever = false;

// A type for the compiler's "required from" lines: it names the member that has no form.
template <auto member, class Member, Use use>
struct CheckMember;

// Fails to compile, at the innermost culprit, if T has no form. Walks only when there is one.
template <class T, Use use>
constexpr void require_form();

template <Use use, class... Part>
constexpr void require_forms(Types<Part...>) {
    (require_form<Part, use>(), ...);
}

template <class T>
concept HasMembersToCheck = requires {
    Form<T>::template require_members<Use::Write>();
};

template <class T, Use use>
constexpr void require_form() {
    if constexpr (has_form<std::remove_cvref_t<T>, use>()) {
        return;
    } else if constexpr (std::is_pointer_v<T> && !HasFormOfItsOwn<T>) {
        static_assert(kNever<T>,
                      "belay: a pointer has no JSON form: its target may be gone when the run is "
                      "replayed. Pass a value.");
    } else if constexpr (IsWriteOnly<T>) {
        static_assert(kNever<T>,
                      "belay: borrowed text (const char*, std::string_view) can be written but not "
                      "read back: nobody would own it. Use std::string.");
    } else if constexpr (std::is_enum_v<T>) {
        static_assert(kNever<T>,
                      "belay: this enum has no JSON form. Write BOOST_DESCRIBE_ENUM(YourEnum, "
                      "Name, ...) next to it, or specialise belay::Codec<YourEnum>.");
    } else if constexpr (HasMembersToCheck<T>) {
        Form<T>::template require_members<use>();
    } else if constexpr (HasFormOfItsOwn<T>) {
        require_forms<use>(typename Form<T>::Parts{});
    } else {
        static_assert(
            kNever<T>,
            "belay: this type has no JSON form. Write BOOST_DESCRIBE_STRUCT(YourType, (), "
            "(member, ...)) next to it, or specialise belay::Codec<YourType>.");
    }
}

template <auto member, class Member, Use use>
struct CheckMember {
    static constexpr bool checked = (require_form<Member, use>(), true);
};

}  // namespace detail
}  // namespace belay
