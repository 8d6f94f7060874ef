// workflow.hpp — a workflow's key together with its types, known at compile time.
//
//     inline constexpr belay::Workflow<Order, int> Sell{"SELL"};   // in a header, for whoever defines or submits it
//
//     engine.define(Sell, sell);                         // belay::Task<int> sell(belay::Context&, Order)
//     belay::Run<int> run = engine.submit(Sell, order);  // an input or a result of another type does not compile
//     const int pieces = co_await ctx.child(Sell, order);
//
// Everything that takes a key as text takes such a handle as well. It is the key and no more: what is recorded is
// the same, and a run that was submitted by one form may be found, joined or replayed by the other.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <type_traits>

#include <boost/json/value.hpp>

#include <belay/codec.hpp>

namespace belay {

// `In` is void for a workflow without input, `Out` is void for one without a result. The key is a literal, not empty.
template <class In = void, class Out = boost::json::value>
class Workflow {
    static_assert(std::is_same_v<In, std::decay_t<In>> && std::is_same_v<Out, std::decay_t<Out>>,
                  "belay: a belay::Workflow<In, Out> names plain types: no reference, no const.");

public:
    using Input = In;
    using Output = Out;

    template <std::size_t kSize>
    consteval explicit Workflow(const char (&key)[kSize]) : key_(key, kSize - 1) {
        static_assert(kSize > 1, "belay: a workflow's key is not empty.");
    }

    constexpr std::string_view key() const { return key_; }

private:
    std::string_view key_;
};

namespace detail {

// What may be given where a handle says `In`: what C++ converts by itself, but for a fraction to an integer.
template <class Given, class In>
inline constexpr bool kFits = std::is_convertible_v<const Given&, In> &&
                              !(std::is_floating_point_v<Given> && std::is_integral_v<In>);
template <class Given>
inline constexpr bool kFits<Given, void> = false;

// The input as JSON, or a sentence.
template <class In, class Given>
std::string typed_input(const Given& given) {
    static_assert(!std::is_void_v<In>,
                  "belay: this workflow's handle, a belay::Workflow<void, Out>, says that it takes "
                  "no input.");
    static_assert(std::is_void_v<In> || kFits<Given, In>,
                  "belay: this input is not what the workflow's handle, a belay::Workflow<In, "
                  "Out>, says that it "
                  "takes.");
    if constexpr (std::is_same_v<Given, In>) {
        return to_json(given);
    } else if constexpr (kFits<Given, In>) {
        const In input = static_cast<In>(given);
        return to_json(input);
    } else {
        return {};
    }
}

template <class In>
consteval void require_no_input() {
    static_assert(std::is_void_v<In>,
                  "belay: this workflow's handle, a belay::Workflow<In, Out>, says that it takes "
                  "an input: give one.");
}

// A key as text, or a handle.
template <class Key>
struct HandleOf {
    static constexpr bool kIs = false;
};
template <class In, class Out>
struct HandleOf<Workflow<In, Out>> {
    static constexpr bool kIs = true;
    using Input = In;
    using Output = Out;
};
template <class Key>
concept WorkflowKey = HandleOf<Key>::kIs || std::is_convertible_v<const Key&, std::string_view>;

template <WorkflowKey Key>
constexpr std::string_view key_text(const Key& workflow) {
    if constexpr (HandleOf<Key>::kIs)
        return workflow.key();
    else
        return workflow;
}

// What a run gives that was asked for by that key: by a text what the caller says, `R`.
template <class R, class Key>
struct ResultByKey {
    using type = R;
};
template <class R, class In, class Out>
struct ResultByKey<R, Workflow<In, Out>> {
    using type = Out;
};
template <class R, class Key>
using ResultBy = typename ResultByKey<R, Key>::type;

template <class Key, class Given>
std::string child_input(const Given& given) {
    if constexpr (HandleOf<Key>::kIs)
        return typed_input<typename HandleOf<Key>::Input>(given);
    else
        return to_json(given);
}
template <class Key>
consteval void check_no_input() {
    if constexpr (HandleOf<Key>::kIs) require_no_input<typename HandleOf<Key>::Input>();
}

}  // namespace detail
}  // namespace belay
