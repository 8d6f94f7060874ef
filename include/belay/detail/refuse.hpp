// refuse.hpp — what does not compile although it could be written, and the sentence that says what to write instead.
//
// Internal to the headers. docs/coroutines.md has the compilers; tests/compile_fail every sentence.
#pragma once

#include <memory>
#include <type_traits>

// Temporaries inside a co_await expression are destroyed twice: g++ before 13 (STYLE, "Coroutines on g++ 12").
// A program that has the fix in an older g++ may say 0.
#ifndef BELAY_TEMPORARIES_DIE_TWICE
#if defined(__GNUC__) && !defined(__clang__) && __GNUC__ < 13
#define BELAY_TEMPORARIES_DIE_TWICE 1
#else
#define BELAY_TEMPORARIES_DIE_TWICE 0
#endif
#endif

namespace belay::detail {

inline constexpr bool kTemporariesDieTwice = BELAY_TEMPORARIES_DIE_TWICE != 0;

template <class F>
consteval void check_function() {
    static_assert(
        !std::is_member_pointer_v<std::decay_t<F>>,
        "belay: a member function has no object to be called on. Capture the object by reference: "
        "co_await ctx.step(\"name\", [&] { return shop.sell(order); });");
    static_assert(
        !kTemporariesDieTwice || std::is_trivially_destructible_v<std::decay_t<F>>,
        "belay: a lambda that captures by value would be destroyed twice here (a g++ 12 bug with "
        "temporaries in a co_await expression). Pass a function and its arguments instead: "
        "co_await ctx.step(\"name\", function, value); or capture by reference: [&] { … }.");
}

template <class A>
consteval void check_argument() {
    using T = std::remove_cvref_t<A>;
    static_assert(
        !kTemporariesDieTwice || std::is_lvalue_reference_v<A> || !std::is_aggregate_v<T> ||
            std::is_array_v<T> || std::is_trivially_destructible_v<T>,
        "belay: a struct built inside the co_await expression would be destroyed twice here (a "
        "g++ 12 bug). Name it first: const Doc doc{text}; co_await ctx.step(\"name\", read, doc);");
}

// Taken only by what no template parameter can be deduced from. g++ shows the line that it may not use, clang the
// static_assert of whoever takes it.
// clang-format off
struct NotOneFunction {
#if !defined(__clang__) || __clang_major__ >= 19  // clang 14 takes a braced list for one
    NotOneFunction(...) = delete;  // belay: several functions, or a template, have this name. Say which is meant: static_cast<int (*)(int)>(twice), or a lambda: [&] { return twice(2); }
#else
    NotOneFunction() = delete;
#endif
};
// clang-format on

template <class... Dependent>
consteval void say_not_one_function() {
    static_assert(sizeof...(Dependent) > 10'000,  // never
                  "belay: several functions, or a template, have this name. Say which is meant: "
                  "static_cast<int (*)(int)>(twice), or a lambda: [&] { return twice(2); }");
}

// `auto s = ctx.step(…); co_await s;`
template <class Dependent>
consteval void say_await_at_once() {
    static_assert(sizeof(Dependent) == 0,
                  "belay: a step is awaited where it is written: co_await ctx.step(…). It gets its "
                  "place in the run "
                  "when it is awaited, so one that is kept in a variable says nothing about when. "
                  "For several side "
                  "by side write ctx.all(\"name\", ctx.step(…), ctx.step(…)); otherwise co_await "
                  "std::move(step).");
}

}  // namespace belay::detail
