// fan.hpp — fan-out and fan-in: many branches side by side, joined by a policy.
//
//     const auto texts = co_await ctx.map("ocr_page", pages, read_page);       // all, or FanFailed
//     const auto pages = co_await ctx.map("ocr_page", pages, read_page).collect();  // each with its error
//     const auto quick = co_await ctx.race("mirror", ctx.step("a", get, a), ctx.step("b", get, b));
//
// A fan always ends (P8): by its policy, whatever a branch does, because each branch ends by its own
// attempts and timeout. A crash in the middle runs only the branches again that had no record; a retry of
// the run only those that failed.
#pragma once

#include <cstddef>
#include <iterator>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include <belay/context.hpp>
#include <belay/detail/fan_call.hpp>

namespace belay {

// Holds no resource, so that it may be written inside a co_await expression.
struct FanOptions {
    StepOptions step{};     // of each branch, where a branch is a plain function
    std::size_t width = 0;  // branches under way at once; 0: 1,000 steps, or all the coroutines
};

// How one branch of a collected fan ended.
template <class R>
struct Outcome {
    std::optional<R> value{};  // nothing if it failed
    std::string error{};       // a sentence, if it failed
    std::string code{};        // an ErrorCode's name, if it failed
    explicit operator bool() const { return value.has_value(); }
};
template <>
struct Outcome<void> {
    bool ok = false;
    std::string error{};
    std::string code{};
    explicit operator bool() const { return ok; }
};

// Who won a race, and with what. A branch that fails first is thrown instead, as FanFailed.
template <class Value>
struct RaceResult {
    std::size_t index = 0;  // of the winner, from 0
    Value value{};          // a std::variant over the branches, or for a vector of steps their type
};

namespace detail {

template <class R>
Outcome<R> outcome_of(FanCall& fan, std::size_t branch, std::optional<Kept<R>>& value) {
    Outcome<R> outcome;
    if (fan.has_succeeded(branch)) {
        if constexpr (std::is_void_v<R>)
            outcome.ok = true;
        else
            outcome.value = std::move(value);
        return outcome;
    }
    const BranchFailure why = fan.failure(branch);
    outcome.error = why.message;
    outcome.code = why.code;
    return outcome;
}

// Branches of one type.
template <class R>
class FanOf : public FanCall {
public:
    using FanCall::FanCall;

    auto take_all() {
        if constexpr (!std::is_void_v<R>) {
            std::vector<R> all;
            all.reserve(values_.size());
            for (auto& value : values_) all.push_back(std::move(*value));
            return all;
        }
    }
    std::vector<Outcome<R>> take_outcomes() {
        std::vector<Outcome<R>> all;
        all.reserve(size());
        for (std::size_t i = 0; i < size(); ++i) all.push_back(outcome_of<R>(*this, i, values_[i]));
        return all;
    }
    auto take_some() {
        if constexpr (std::is_void_v<R>) {
            std::vector<bool> some(size());
            for (std::size_t i = 0; i < size(); ++i) some[i] = has_succeeded(i);
            return some;
        } else {
            return std::move(values_);
        }
    }
    RaceResult<Kept<R>> take_winner() { return {winner(), std::move(*values_[winner()])}; }

protected:
    void take_value(std::size_t branch, Call& call) override {
        values_[branch] = std::move(static_cast<CallOf<R>&>(call).value);
    }

    std::vector<std::optional<Kept<R>>> values_ = std::vector<std::optional<Kept<R>>>(size());
};

template <class R>
class GivenFan final : public FanOf<R> {
public:
    GivenFan(Context& context, std::string_view name,
             std::vector<std::shared_ptr<CallOf<R>>> branches)
        : FanOf<R>(context, name, branches.size()), branches_(std::move(branches)) {
        std::vector<std::string> names;
        for (const auto& branch : branches_) names.push_back(branch->name);
        this->set_names(std::move(names));
    }

protected:
    std::shared_ptr<Call> make_branch(std::size_t branch) override {
        return std::move(branches_[branch]);
    }

private:
    std::vector<std::shared_ptr<CallOf<R>>> branches_;
};

// Whether `map` was given a coroutine, and what a branch gives.
template <class F, class Item>
struct MapBranch {
    static constexpr bool kIsScope = std::is_invocable_v<F&, Context&, const Item&>;
    static auto deduce() {
        if constexpr (kIsScope) {
            using Made = std::invoke_result_t<F&, Context&, const Item&>;
            static_assert(IsTask<Made>::value,
                          "belay: a branch with a Context is a coroutine: belay::Task<R> "
                          "name(belay::Context& "
                          "ctx, Item item).");
            return std::type_identity<typename Made::value_type>{};
        } else {
            return std::type_identity<StepResultT<F, Item>>{};
        }
    }
    using type = typename decltype(deduce())::type;
};

template <class F, class Item>
class MapFan final : public FanOf<typename MapBranch<F, Item>::type> {
    using R = typename MapBranch<F, Item>::type;
    static constexpr bool kIsScope = MapBranch<F, Item>::kIsScope;

public:
    MapFan(Context& context, std::string_view name, const FanOptions& options,
           std::vector<Item> items, F function)
        : FanOf<R>(context, name, items.size()), step_(options.step),
          cache_key_(options.step.cache.key), items_(std::move(items)),
          function_(std::move(function)) {
        step_.cache.key = {};  // may not live as long
        // More steps than this under way at once would only wait for threads.
        this->width = options.width == 0 && !kIsScope ? 1000 : options.width;
    }

    std::function<void(Tx&, const Kept<R>&)> save;
    bool save_may_be_abandoned = true;

protected:
    std::shared_ptr<Call> make_branch(std::size_t branch) override {
        const std::string name = this->name + "_" + std::to_string(branch + 1);
        if constexpr (kIsScope) {
            return std::make_shared<ScopeCall<R, F, Item>>(this->sink(), name, function_,
                                                           items_[branch]);
        } else {
            auto call = std::make_shared<FunctionStep<F, Item>>(this->sink(), name, step_,
                                                                function_, items_[branch]);
            if constexpr (has_form<Item, Use::Write>()) {
                if (!cache_key_.empty())
                    call->cache_as(this->name, cache_key_ + "\n" + to_json(items_[branch]));
            }
            if (save) {
                call->save = save;
                call->has_commit_part = true;
                call->may_be_abandoned = call->may_be_abandoned && save_may_be_abandoned;
            }
            return call;
        }
    }

private:
    StepOptions step_;
    std::string cache_key_;  // each branch adds its item
    std::vector<Item> items_;
    F function_;
};

// Branches of several types; each keeps its value in its own call.
template <class... R>
class TupleFan final : public FanCall {
public:
    TupleFan(Context& context, std::string_view name, std::shared_ptr<CallOf<R>>... branches)
        : FanCall(context, name, sizeof...(R)), branches_(std::move(branches)...) {
        set_names(std::apply(
            [](const auto&... branch) { return std::vector<std::string>{branch->name...}; },
            branches_));
    }

    auto take_all() {
        return std::apply(
            [](auto&... branch) { return std::tuple<Kept<R>...>{std::move(*branch->value)...}; },
            branches_);
    }
    auto take_outcomes() { return take_outcomes(std::index_sequence_for<R...>{}); }
    auto take_some() {
        return std::apply(
            [](auto&... branch) {
                return std::tuple<std::optional<Kept<R>>...>{std::move(branch->value)...};
            },
            branches_);
    }
    RaceResult<std::variant<Kept<R>...>> take_winner() {
        std::optional<std::variant<Kept<R>...>> value;
        take_winner(value, std::index_sequence_for<R...>{});
        return {winner(), std::move(*value)};
    }

protected:
    std::shared_ptr<Call> make_branch(std::size_t branch) override {
        std::shared_ptr<Call> made;
        std::size_t at = 0;
        std::apply(
            [&](const auto&... each) { ((at++ == branch ? void(made = each) : void()), ...); },
            branches_);
        return made;
    }
    void take_value(std::size_t, Call&) override {}

private:
    template <std::size_t... I>
    std::tuple<Outcome<R>...> take_outcomes(std::index_sequence<I...>) {
        return {outcome_of<R>(*this, I, std::get<I>(branches_)->value)...};
    }
    template <class Value, std::size_t... I>
    void take_winner(Value& value, std::index_sequence<I...>) {
        ((I == winner() ? void(value.emplace(std::in_place_index<I>,
                                             std::move(*std::get<I>(branches_)->value)))
                        : void()),
         ...);
    }

    std::tuple<std::shared_ptr<CallOf<R>>...> branches_;
};

template <class T>
concept IsBranch = requires(T&& branch) {
    std::forward<T>(branch).branch_call()->value;
};

template <class T>
struct BranchOfCall;
template <class R>
struct BranchOfCall<std::shared_ptr<CallOf<R>>> {
    using type = R;
};
template <class T>
using BranchResult = typename BranchOfCall<decltype(std::declval<T&&>().branch_call())>::type;

template <class T>
struct IsVector : std::false_type {};
template <class T>
struct IsVector<std::vector<T>> : std::true_type {};

// What the await of a fan gives.
enum class FanGives { All, Outcomes, Some, Winner };

}  // namespace detail

// A fan that has not begun. Its policy is FailFast unless it is changed by one of the members, which are
// written behind the call: `co_await ctx.map(…).collect()`.
template <class Call, detail::FanGives kGives>
class [[nodiscard("a fan runs when it is awaited: co_await ctx.map(…)")]] Fan {
public:
    explicit Fan(std::shared_ptr<Call> call) : call_(std::move(call)) {}

    // Every branch ends; then it is FanFailed with every error if any failed.
    Fan wait_all()&& { return with<kGives>(FanPolicy::WaitAll); }
    // The first failure stops the others. The default.
    Fan fail_fast()&& { return with<kGives>(FanPolicy::FailFast); }
    // Every branch ends; gives an Outcome for each (a vector, or a tuple for branches of several types).
    auto collect()&& { return with<detail::FanGives::Outcomes>(FanPolicy::Collect); }
    // Ends with the n-th success and stops the others; gives a std::optional for each. FanFailed when so
    // many cannot succeed any more.
    auto at_least(std::size_t n)&& {
        call_->needed = n;
        return with<detail::FanGives::Some>(FanPolicy::AtLeast);
    }

    // Runs `save(Tx&, result)` in the transaction of each branch's checkpoint, as Step::commit does.
    template <class Save>
    Fan commit(Save save)&& {
        static_assert(
            requires { call_->save; },
            "belay: only ctx.map(…) over a plain function takes a commit part for its branches.");
        detail::check_function<Save>();
        call_->save = save;
        if constexpr (!std::is_empty_v<Save> && !std::is_pointer_v<Save>)
            call_->save_may_be_abandoned = false;
        return std::move(*this);
    }

    class Awaiter {
    public:
        explicit Awaiter(Call& call) : call_(call) {}
        bool await_ready() {
            begun_ = detail::ContextAccess::port(*call_.context).begin(call_);
            if (begun_ == detail::Begin::Recorded && !call_.loop.error && !call_.replay())
                begun_ = detail::Begin::Stop;
            return begun_ == detail::Begin::Recorded;
        }
        bool await_suspend(std::coroutine_handle<> waiter) {
            if (begun_ == detail::Begin::Stop) return true;
            call_.loop.waiter = waiter;
            return !call_.start();
        }
        auto await_resume() {
            if (call_.loop.error) std::rethrow_exception(call_.loop.error);
            if constexpr (kGives == detail::FanGives::All) return call_.take_all();
            if constexpr (kGives == detail::FanGives::Outcomes) return call_.take_outcomes();
            if constexpr (kGives == detail::FanGives::Some) return call_.take_some();
            if constexpr (kGives == detail::FanGives::Winner) return call_.take_winner();
        }

    private:
        Call& call_;  // lives in the Fan, which outlives the await
        detail::Begin begun_ = detail::Begin::Start;
    };
    Awaiter operator co_await()&& { return Awaiter{*call_}; }
    template <class Dependent = Call>
    Awaiter operator co_await()& {
        detail::say_await_at_once<Dependent>();
        return Awaiter{*call_};
    }

private:
    template <detail::FanGives kThen>
    Fan<Call, kThen> with(FanPolicy policy) {
        static_assert(kGives != detail::FanGives::Winner, "belay: a race has no other policy.");
        call_->policy = policy;
        return Fan<Call, kThen>{std::move(call_)};
    }

    // Shared with the engine while its outcome is on its way to disk.
    std::shared_ptr<Call> call_;
};

namespace detail {

template <FanGives kGives, class... Branches>
auto make_fan(Context& context, std::string_view name, FanPolicy policy, Branches&&... branches) {
    static_assert(sizeof...(Branches) > 0,
                  "belay: name at least one branch, or pass a std::vector of steps.");
    using First = std::remove_cvref_t<std::tuple_element_t<0, std::tuple<Branches...>>>;
    if constexpr (sizeof...(Branches) == 1 && IsVector<First>::value) {
        using R = BranchResult<typename First::value_type>;
        std::vector<std::shared_ptr<CallOf<R>>> calls;
        (
            [&] {
                for (auto& branch : branches) calls.push_back(std::move(branch).branch_call());
            }(),
            ...);
        if (policy == FanPolicy::Race && calls.empty()) {
            throw Error(ErrorCode::InvalidArgument,
                        "race `" + std::string(name) + "` has nobody in it");
        }
        auto call = std::make_shared<GivenFan<R>>(context, name, std::move(calls));
        call->policy = policy;
        return Fan<GivenFan<R>, kGives>{std::move(call)};
    } else {
        static_assert(
            (IsBranch<Branches> && ...),
            "belay: all and race take steps, transactions, scopes, sleeps, receives and children, "
            "just "
            "made: ctx.step(…). Instead of optional() use .collect(); put a fan inside a scope.");
        using Call = TupleFan<BranchResult<Branches>...>;
        auto call = std::make_shared<Call>(context, name,
                                           std::forward<Branches>(branches).branch_call()...);
        call->policy = policy;
        return Fan<Call, kGives>{std::move(call)};
    }
}

}  // namespace detail

template <class Items, class F>
auto Context::map(std::string_view name, const FanOptions& options, Items&& items, F function) {
    detail::check_function<F>();
    using Item = std::decay_t<decltype(*std::begin(items))>;
    std::vector<Item> taken;
    if constexpr (std::is_same_v<Items, std::vector<Item>>) {
        taken = std::forward<Items>(items);
    } else {
        taken.assign(std::begin(items), std::end(items));
    }
    using Call = detail::MapFan<F, Item>;
    return Fan<Call, detail::FanGives::All>{
        std::make_shared<Call>(*this, name, options, std::move(taken), std::move(function))};
}

template <class Items, class F>
auto Context::map(std::string_view name, Items&& items, F function) {
    return map(name, FanOptions{}, std::forward<Items>(items), std::move(function));
}

template <class... Branches>
auto Context::all(std::string_view name, Branches&&... branches) {
    return detail::make_fan<detail::FanGives::All>(*this, name, FanPolicy::FailFast,
                                                   std::forward<Branches>(branches)...);
}

template <class... Branches>
auto Context::race(std::string_view name, Branches&&... branches) {
    return detail::make_fan<detail::FanGives::Winner>(*this, name, FanPolicy::Race,
                                                      std::forward<Branches>(branches)...);
}

}  // namespace belay
