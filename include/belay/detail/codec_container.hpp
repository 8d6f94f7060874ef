// codec_container.hpp — the JSON forms of the standard containers, optional, tuple and variant.
//
// Private to belay/codec.hpp.
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <deque>
#include <list>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <variant>
#include <vector>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <belay/detail/codec_form.hpp>
#include <belay/detail/codec_scalar.hpp>

namespace belay::detail {

// The array of exactly `size` elements that `json` is, or the error that it is not.
const boost::json::array& as_array_of(std::size_t size, const boost::json::value& json,
                                      const Path& path);

// Appends pieces of JSON in sorted order between `open` and `close`.
void write_sorted(std::string& out, std::vector<std::string> pieces, char open, char close);

// --- Sequences and sets -------------------------------------------------------------------------

template <class C>
struct SequenceForm {
    using Element = typename C::value_type;
    using Parts = Types<Element>;

    static void write(std::string& out, const C& value, const Path& path) {
        check_depth(path);
        out += '[';
        std::size_t i = 0;
        for (auto&& element : value) {
            if (i > 0) out += ',';
            // The conversion is for vector<bool>, whose elements are not bools.
            detail::write(out, static_cast<const Element&>(element), path.element(i++));
        }
        out += ']';
    }

    static C read(const boost::json::value& json, const Path& path) {
        const auto& array = as_array(json, path);
        C out;
        if constexpr (requires { out.reserve(array.size()); }) out.reserve(array.size());
        for (std::size_t i = 0; i < array.size(); ++i) {
            if constexpr (requires(Element e) { out.push_back(std::move(e)); })
                out.push_back(detail::read<Element>(array[i], path.element(i)));
            else
                out.insert(detail::read<Element>(array[i], path.element(i)));
        }
        return out;
    }
};

// The order of an unordered container depends on its history; two equal inputs must be equal text.
template <class C>
struct UnorderedSetForm : SequenceForm<C> {
    static void write(std::string& out, const C& value, const Path& path) {
        check_depth(path);
        std::vector<std::string> pieces;
        pieces.reserve(value.size());
        for (const auto& element : value) {
            const Path at = path.element(pieces.size());
            detail::write(pieces.emplace_back(), element, at);
        }
        write_sorted(out, std::move(pieces), '[', ']');
    }
};

template <class T, class A>
struct Form<std::vector<T, A>> : SequenceForm<std::vector<T, A>> {};
template <class T, class A>
struct Form<std::deque<T, A>> : SequenceForm<std::deque<T, A>> {};
template <class T, class A>
struct Form<std::list<T, A>> : SequenceForm<std::list<T, A>> {};
template <class T, class L, class A>
struct Form<std::set<T, L, A>> : SequenceForm<std::set<T, L, A>> {};
template <class T, class L, class A>
struct Form<std::multiset<T, L, A>> : SequenceForm<std::multiset<T, L, A>> {};
template <class T, class H, class E, class A>
struct Form<std::unordered_set<T, H, E, A>> : UnorderedSetForm<std::unordered_set<T, H, E, A>> {};
template <class T, class H, class E, class A>
struct Form<std::unordered_multiset<T, H, E, A>>
    : UnorderedSetForm<std::unordered_multiset<T, H, E, A>> {};

// --- Maps ---------------------------------------------------------------------------------------

// An object if the keys are strings, else an array of pairs: JSON has no other keys.
template <class M, bool sorted>
struct MapForm {
    using Key = typename M::key_type;
    using Value = typename M::mapped_type;
    using Parts = Types<Key, Value>;
    static constexpr bool kObject = std::same_as<Key, std::string>;
    static constexpr char kOpen = kObject ? '{' : '[';
    static constexpr char kClose = kObject ? '}' : ']';

    static void write(std::string& out, const M& value, const Path& path) {
        check_depth(path);
        if constexpr (sorted) {
            out += kOpen;
            std::size_t i = 0;
            for (const auto& entry : value) {
                if (i > 0) out += ',';
                write_entry(out, entry, i++, path);
            }
            out += kClose;
        } else {
            std::vector<std::string> pieces;
            pieces.reserve(value.size());
            for (const auto& entry : value) {
                const std::size_t i = pieces.size();
                write_entry(pieces.emplace_back(), entry, i, path);
            }
            write_sorted(out, std::move(pieces), kOpen, kClose);
        }
    }

    static M read(const boost::json::value& json, const Path& path) {
        M out;
        if constexpr (kObject) {
            for (const auto& entry : as_object(json, path)) {
                const std::string_view key(entry.key().data(), entry.key().size());
                out.insert_or_assign(std::string(key),
                                     detail::read<Value>(entry.value(), path.member(key)));
            }
        } else {
            const auto& array = as_array(json, path);
            for (std::size_t i = 0; i < array.size(); ++i) {
                const Path at = path.element(i);
                const auto& pair = as_array_of(2, array[i], at);
                out.insert_or_assign(detail::read<Key>(pair[0], at.element(0)),
                                     detail::read<Value>(pair[1], at.element(1)));
            }
        }
        return out;
    }

private:
    static void write_entry(std::string& out, const typename M::value_type& entry, std::size_t i,
                            const Path& path) {
        const auto& [key, value] = entry;
        if constexpr (kObject) {
            const Path at = path.member(key);
            write_text(out, key, at);
            out += ':';
            detail::write(out, value, at);
        } else {
            const Path at = path.element(i);
            check_depth(at);
            out += '[';
            detail::write(out, key, at.element(0));
            out += ',';
            detail::write(out, value, at.element(1));
            out += ']';
        }
    }
};

template <class K, class V, class L, class A>
struct Form<std::map<K, V, L, A>> : MapForm<std::map<K, V, L, A>, true> {};
template <class K, class V, class H, class E, class A>
struct Form<std::unordered_map<K, V, H, E, A>> : MapForm<std::unordered_map<K, V, H, E, A>, false> {
};

// --- Fixed sizes --------------------------------------------------------------------------------

template <class Tuple, class... T>
struct TupleForm {
    using Parts = Types<T...>;

    static void write(std::string& out, const Tuple& value, const Path& path) {
        check_depth(path);
        out += '[';
        [&]<std::size_t... I>(std::index_sequence<I...>) {
            ((out.append(I > 0, ','), detail::write(out, std::get<I>(value), path.element(I))),
             ...);
        }
        (std::index_sequence_for<T...>{});
        out += ']';
    }

    static Tuple read(const boost::json::value& json, const Path& path) {
        [[maybe_unused]] const auto& array = as_array_of(sizeof...(T), json, path);
        return [&]<std::size_t... I>(std::index_sequence<I...>) {
            return Tuple{detail::read<T>(array[I], path.element(I))...};
        }
        (std::index_sequence_for<T...>{});
    }
};

template <class... T>
struct Form<std::tuple<T...>> : TupleForm<std::tuple<T...>, T...> {};
template <class A, class B>
struct Form<std::pair<A, B>> : TupleForm<std::pair<A, B>, A, B> {};

template <class T, std::size_t N>
struct Form<std::array<T, N>> {
    using Parts = Types<T>;

    static void write(std::string& out, const std::array<T, N>& value, const Path& path) {
        SequenceForm<std::array<T, N>>::write(out, value, path);
    }

    static std::array<T, N> read(const boost::json::value& json, const Path& path) {
        [[maybe_unused]] const auto& array = as_array_of(N, json, path);
        return [&]<std::size_t... I>(std::index_sequence<I...>) {
            return std::array<T, N>{detail::read<T>(array[I], path.element(I))...};
        }
        (std::make_index_sequence<N>{});
    }
};

// --- Optional -----------------------------------------------------------------------------------

template <class T>
struct Form<std::optional<T>> {
    using Parts = Types<T>;
    static constexpr bool kMayBeNull = true;
    // optional<optional<int>> has two kinds of nothing; a box of one element keeps them apart.
    static constexpr bool kBoxed = MayBeNull<T>;

    static void write(std::string& out, const std::optional<T>& value, const Path& path) {
        if (!value) {
            out += "null";
        } else if constexpr (kBoxed) {
            check_depth(path);
            out += '[';
            detail::write(out, *value, path.element(0));
            out += ']';
        } else {
            detail::write(out, *value, path);
        }
    }

    static std::optional<T> read(const boost::json::value& json, const Path& path) {
        if (json.is_null()) return std::nullopt;
        if constexpr (kBoxed)
            return detail::read<T>(as_array_of(1, json, path)[0], path.element(0));
        else
            return detail::read<T>(json, path);
    }
};

// --- Variant ------------------------------------------------------------------------------------

// A name is kept through reordering, a position is not: an alternative may give itself one.
template <class T>
consteval std::string_view variant_name() {
    if constexpr (requires { std::string_view(T::kJsonName); })
        return T::kJsonName;
    else
        return {};
}

// The position of the alternative that {"type": …} names, by name or by number.
std::size_t read_alternative(const boost::json::object& object, const std::string_view* names,
                             std::size_t count, const Path& path);
// The member `name` of `object`, or a null if it is missing.
const boost::json::value& member_or_null(const boost::json::object& object, std::string_view name);
// {"type":…,"value": up to where the value goes.
void write_alternative(std::string& out, std::size_t index, std::string_view name);

template <class... T>
struct Form<std::variant<T...>> {
    using Variant = std::variant<T...>;
    using Parts = Types<T...>;
    static constexpr std::string_view kNames[] = {variant_name<T>()...};

    static void write(std::string& out, const Variant& value, const Path& path) {
        check_depth(path);
        if (value.valueless_by_exception())
            fail(path, "a variant without a value has no JSON form");
        write_alternative(out, value.index(), kNames[value.index()]);
        std::visit([&](const auto& held) { detail::write(out, held, path.member("value")); },
                   value);
        out += '}';
    }

    static Variant read(const boost::json::value& json, const Path& path) {
        const auto& object = as_object(json, path);
        const std::size_t index = read_alternative(object, kNames, sizeof...(T), path);
        return read_at<0>(index, member_or_null(object, "value"), path.member("value"));
    }

private:
    template <std::size_t I>
    static Variant read_at(std::size_t index, const boost::json::value& json, const Path& path) {
        if constexpr (I + 1 < sizeof...(T))
            if (index != I) return read_at<I + 1>(index, json, path);
        using Held = std::variant_alternative_t<I, Variant>;
        return Variant(std::in_place_index<I>, detail::read<Held>(json, path));
    }
};

}  // namespace belay::detail
