// answerer.hpp — a workflow's handler of questions, with its types erased.
//
// Internal to the headers; programs use Context::answer.
#pragma once

#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include <belay/codec.hpp>
#include <belay/detail/call.hpp>
#include <belay/detail/refuse.hpp>

namespace belay::detail {

// The parameter of a handler; void for one that takes none.
template <class F>
struct AskedOf {
    static_assert(
        sizeof(F) == 0,
        "belay: a handler of questions is a function or a lambda that takes a question, or "
        "nothing, and returns the answer: ctx.answer(\"price\", [&](const Item& item) { "
        "return …; }). It has no `auto` parameter.");
};
template <class F>
requires requires { &F::operator(); }
struct AskedOf<F> : AskedOf<decltype(&F::operator())> {};
template <class R, class... Q>
struct AskedOf<R (*)(Q...)> {
    static_assert(sizeof...(Q) <= 1,
                  "belay: a handler of questions takes one question, or nothing.");
    static_assert(!std::is_void_v<R>, "belay: a handler of questions returns its answer.");
    using Result = std::decay_t<R>;
    static constexpr bool kTakesQuestion = sizeof...(Q) == 1;
    template <class F>
    static std::string call(F& f, std::string_view question) {
        if constexpr (kTakesQuestion) {
            return to_json(Result(f(from_json<std::remove_cvref_t<Q>...>(question))));
        } else {
            return to_json(Result(f()));
        }
    }
};
template <class C, class R, class... Q>
struct AskedOf<R (C::*)(Q...)> : AskedOf<R (*)(Q...)> {};
template <class C, class R, class... Q>
struct AskedOf<R (C::*)(Q...) const> : AskedOf<R (*)(Q...)> {};

template <class F>
Answerer answerer(F handler) {
    using Asked = AskedOf<F>;
    return [handler = std::move(handler)](std::string_view question) mutable {
        return Asked::call(handler, question);
    };
}

}  // namespace belay::detail
