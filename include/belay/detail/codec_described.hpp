// codec_described.hpp — the JSON forms of what a program describes: structs, classes and enums.
//
// Private to belay/codec.hpp. Boost.Describe gives names and pointers to members; members of bases
// come first. A struct's keys are put together at compile time, so writing a member is one append.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <type_traits>

#include <boost/describe.hpp>
#include <boost/json/object.hpp>
#include <boost/mp11.hpp>

#include <belay/detail/codec_form.hpp>
#include <belay/detail/codec_scalar.hpp>

namespace belay::detail {

// --- Structs and classes ------------------------------------------------------------------------

template <class T>
using Members = boost::describe::describe_members<T, boost::describe::mod_any_access |
                                                         boost::describe::mod_inherited>;

template <class T, class Descriptor>
using MemberType = std::remove_reference_t<decltype(std::declval<T&>().*Descriptor::pointer)>;

// ,"name": as one piece of text; the first member leaves the comma out.
template <class Descriptor>
inline constexpr auto kKeyText = [] {
    constexpr std::string_view name = Descriptor::name;
    std::array<char, name.size() + 4> text{};
    std::size_t at = 0;
    text[at++] = ',';
    text[at++] = '"';
    for (const char c : name) text[at++] = c;
    text[at++] = '"';
    text[at++] = ':';
    return text;
}();

// The member `name` of `object`, or null. Objects come back in the order in which they were written,
// so the next entry is nearly always the one: `next` is where to look first.
const boost::json::value* find_member(const boost::json::object& object, std::string_view name,
                                      std::size_t& next) noexcept;

template <class T>
concept DescribedStruct = std::is_class_v<T> && boost::describe::has_describe_members<T>::value;

template <DescribedStruct T>
struct Form<T> {
    using Descriptors = Members<T>;
    template <class D>
    using Part = std::remove_cv_t<MemberType<T, D>>;
    template <class D>
    using IsConst = std::is_const<MemberType<T, D>>;
    using Parts = boost::mp11::mp_rename<boost::mp11::mp_transform<Part, Descriptors>, Types>;
    static constexpr bool kReadable =
        std::is_default_constructible_v<T> && !boost::mp11::mp_any_of<Descriptors, IsConst>::value;

    static void write(std::string& out, const T& value, const Path& path) {
        check_depth(path);
        out += '{';
        bool first = true;
        boost::mp11::mp_for_each<Descriptors>([&](auto d) {
            using D = decltype(d);
            constexpr auto& key = kKeyText<D>;
            out.append(key.data() + first, key.size() - first);
            first = false;
            detail::write<Part<D>>(out, value.*D::pointer, path.member(member_name<D>()));
        });
        out += '}';
    }

    static T read(const boost::json::value& json, const Path& path) {
        const auto& object = as_object(json, path);
        T out{};
        std::size_t next = 0;
        boost::mp11::mp_for_each<Descriptors>([&](auto d) {
            using D = decltype(d);
            if (const auto* found = find_member(object, member_name<D>(), next))
                out.*D::pointer = detail::read<Part<D>>(*found, path.member(member_name<D>()));
        });
        return out;
    }

    template <Use use>
    static constexpr void require_members() {
        static_assert(use == Use::Write || std::is_default_constructible_v<T>,
                      "belay: reading a described type starts from its default, so that missing "
                      "members keep theirs. Give it a default constructor, or specialise "
                      "belay::Codec<YourType>.");
        boost::mp11::mp_for_each<Descriptors>([](auto d) {
            using D = decltype(d);
            static_assert(use == Use::Write || !IsConst<D>::value,
                          "belay: a const member cannot be read back. Make it non-const, or "
                          "specialise belay::Codec<YourType>.");
            static_assert(CheckMember<D::pointer, Part<D>, use>::checked);
        });
    }

private:
    template <class D>
    static constexpr std::string_view member_name() {
        return D::name;
    }
};

// --- Enums --------------------------------------------------------------------------------------

struct EnumName {
    std::string_view name;
    std::int64_t value;  // unsigned 64-bit values wrap; only equality matters
};

void write_enum(std::string& out, std::int64_t value, const EnumName* names, std::size_t count,
                const Path& path);
std::int64_t read_enum(const boost::json::value& json, const EnumName* names, std::size_t count,
                       const Path& path);

template <class T>
concept DescribedEnum = std::is_enum_v<T> && boost::describe::has_describe_enumerators<T>::value;

template <DescribedEnum T>
struct Form<T> {
    using Parts = Types<>;

    static void write(std::string& out, T value, const Path& path) {
        write_enum(out, static_cast<std::int64_t>(value), kNames.data(), kNames.size(), path);
    }
    static T read(const boost::json::value& json, const Path& path) {
        return static_cast<T>(read_enum(json, kNames.data(), kNames.size(), path));
    }
    static constexpr const auto& names() { return kNames; }

private:
    static constexpr auto kNames = []<class... D>(boost::mp11::mp_list<D...>) {
        return std::array<EnumName, sizeof...(D)>{
            EnumName{D::name, static_cast<std::int64_t>(D::value)}...};
    }(boost::mp11::mp_rename<boost::describe::describe_enumerators<T>, boost::mp11::mp_list>{});
};

}  // namespace belay::detail
