// admission.hpp — what a workflow lets in from outside its program.
//
//     belay::WorkflowOptions options;
//     options.admit = [](std::string_view organization, const Order& order) {
//         if (order.pieces > 100) throw belay::NonRetryable("pieces: at most 100");
//     };
//
// What comes from outside (HTTP, the command line, requests of other processes, a fork's input) is a stranger's:
// it fits the type, and says whatever its sender likes. `admit` is where a workflow says no, before a run exists.
// What this program submits itself is not asked about.
#pragma once

#include <functional>
#include <string_view>
#include <type_traits>
#include <utility>

#include <boost/json/value.hpp>

#include <belay/codec.hpp>

namespace belay {

namespace detail {

template <class F>
struct AdmittedInput : AdmittedInput<decltype(&F::operator())> {};
template <class R, class Organization, class In>
struct AdmittedInput<R (*)(Organization, In)> {
    using type = std::remove_cvref_t<In>;
};
template <class C, class R, class Organization, class In>
struct AdmittedInput<R (C::*)(Organization, In) const> : AdmittedInput<R (*)(Organization, In)> {};

}  // namespace detail

// Made of any callable that takes the organization and the input: as the type that the workflow takes, as a
// boost::json::value, or as JSON text (std::string_view). It refuses by throwing; the message is what the caller
// reads, so it says which field and which limit, and nothing of what belongs to others. May be called from any
// thread, several times for one run, and must not write.
class Admission {
public:
    Admission() = default;

    template <class F>
    requires(!std::is_same_v<std::remove_cvref_t<F>, Admission>) Admission(F function) {
        using In = typename detail::AdmittedInput<F>::type;
        ask_ = [function = std::move(function)](std::string_view organization,
                                                std::string_view input) {
            if constexpr (std::is_same_v<In, std::string_view>) {
                function(organization, input);
            } else {
                function(organization, from_json<In>(input));
            }
        };
    }

    explicit operator bool() const { return static_cast<bool>(ask_); }

    // Throws what the function threw, and Error{BadValue} for an input that does not fit its type.
    void operator()(std::string_view organization, std::string_view input) const {
        if (ask_) ask_(organization, input);
    }

private:
    std::function<void(std::string_view organization, std::string_view input)> ask_{};
};

}  // namespace belay
