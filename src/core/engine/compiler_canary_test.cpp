// compiler_canary_test.cpp — the g++ 12 bug behind the rules for what may stand in a co_await expression.
//
// STYLE.md, "Coroutines on g++ 12": an aggregate temporary, and a closure with a by-value capture that has
// a destructor, are destroyed twice when they are written inside a co_await expression. belay/detail/refuse.hpp
// refuses both for the compilers that do this, and these tests say whether this one does.
#include <coroutine>
#include <utility>

#include <gtest/gtest.h>

#include <belay/detail/refuse.hpp>
#include <belay/task.hpp>

namespace belay {
namespace {

struct Counted {
    static inline int alive = 0;
    Counted() { ++alive; }
    Counted(const Counted&) { ++alive; }
    Counted(Counted&&) noexcept { ++alive; }
    Counted& operator=(const Counted&) = default;
    ~Counted() { --alive; }
};

struct Aggregate {
    Counted member;
};

struct Ready {
    bool await_ready() const { return true; }
    void await_suspend(std::coroutine_handle<>) const {}
    int await_resume() const { return 1; }
};

template <class T>
Ready given(T&& value) {
    [[maybe_unused]] auto owned = std::forward<T>(value);
    return {};
}

Task<int> aggregate_temporary(Counted counted) { co_return co_await given(Aggregate{counted}); }
Task<int> capturing_closure(Counted counted) {
    co_return co_await given([counted] { return &counted; });
}
Task<int> named_first(Counted counted) {
    const Aggregate named{counted};
    const auto closure = [counted] { return &counted; };
    const int first = co_await given(named);
    co_return first + co_await given(closure);
}

// How many objects are left (or, below zero, destroyed once too often) when all is over.
int left_after(Task<int> (*code)(Counted)) {
    Counted::alive = 0;
    {
        auto task = code(Counted{});
        task.resume();
        EXPECT_TRUE(task.done());
    }
    return Counted::alive;
}

constexpr bool kBugExpected = detail::kTemporariesDieTwice;

constexpr const char* kAdvice =
    "this compiler is not what BELAY_TEMPORARIES_DIE_TWICE (belay/detail/refuse.hpp) takes it for";

TEST(CompilerCanary, an_aggregate_temporary_in_a_co_await_expression_is_destroyed_twice) {
    EXPECT_EQ(left_after(aggregate_temporary) < 0, kBugExpected) << kAdvice;
}

TEST(CompilerCanary, a_closure_that_captures_by_value_in_a_co_await_expression_is_destroyed_twice) {
    EXPECT_EQ(left_after(capturing_closure) < 0, kBugExpected) << kAdvice;
}

TEST(CompilerCanary, what_has_a_name_is_destroyed_once) { EXPECT_EQ(left_after(named_first), 0); }

}  // namespace
}  // namespace belay
