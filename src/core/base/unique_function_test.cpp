// unique_function_test.cpp — moves keep the callable, ends destroy it once, small ones live inside.
#include "core/base/unique_function.hpp"

#include <array>
#include <memory>
#include <string>

#include <gtest/gtest.h>

namespace belay::base {
namespace {

int twice(int n) { return 2 * n; }

static_assert(!std::is_copy_constructible_v<UniqueFunction<void()>>);
static_assert(std::is_nothrow_move_constructible_v<UniqueFunction<void()>>);
static_assert(!std::is_constructible_v<UniqueFunction<void()>, int>);

// Counts how many of its kind are alive, and is as large as asked.
template <std::size_t Bytes>
struct Tracked {
    explicit Tracked(int& count) : alive(&count) { ++count; }
    Tracked(const Tracked& other) : alive(other.alive) { ++*alive; }
    Tracked(Tracked&& other) noexcept : alive(other.alive) { ++*alive; }
    ~Tracked() { --*alive; }
    std::size_t operator()() const { return Bytes; }

    int* alive;
    std::array<char, Bytes> weight{};
};

TEST(UniqueFunction, calls_functions_lambdas_and_members) {
    UniqueFunction<int(int)> function = twice;
    UniqueFunction<int(int)> lambda = [base = 10](int n) { return base + n; };
    UniqueFunction<std::size_t(const std::string&)> member = &std::string::size;

    EXPECT_EQ(function(4), 8);
    EXPECT_EQ(lambda(4), 14);
    EXPECT_EQ(member("abc"), 3u);
}

TEST(UniqueFunction, holds_what_cannot_be_copied) {
    UniqueFunction<int()> f = [p = std::make_unique<int>(7)] { return *p; };

    UniqueFunction<int()> moved = std::move(f);

    EXPECT_EQ(moved(), 7);
    EXPECT_FALSE(f);  // NOLINT(bugprone-use-after-move): being empty is the promise
}

TEST(UniqueFunction, passes_move_only_arguments_and_references) {
    UniqueFunction<int(std::unique_ptr<int>, int&)> f = [](std::unique_ptr<int> p, int& out) {
        out = *p;
        return *p + 1;
    };
    int seen = 0;

    EXPECT_EQ(f(std::make_unique<int>(41), seen), 42);
    EXPECT_EQ(seen, 41);
}

TEST(UniqueFunction, may_drop_the_result) {
    int calls = 0;
    UniqueFunction<void()> f = [&calls] { return ++calls; };

    f();

    EXPECT_EQ(calls, 1);
}

template <std::size_t Bytes>
void destroys_each_exactly_once() {
    int alive = 0;
    {
        UniqueFunction<std::size_t()> a = Tracked<Bytes>(alive);
        UniqueFunction<std::size_t()> b = std::move(a);
        EXPECT_EQ(alive, 1);
        UniqueFunction<std::size_t()> c = Tracked<Bytes>(alive);
        EXPECT_EQ(alive, 2);
        c = std::move(b);
        EXPECT_EQ(alive, 1);
        EXPECT_EQ(c(), Bytes);
        c = nullptr;
        EXPECT_EQ(alive, 0);
        b = Tracked<Bytes>(alive);
    }
    EXPECT_EQ(alive, 0);
}

TEST(UniqueFunction, destroys_a_small_callable_exactly_once) { destroys_each_exactly_once<8>(); }
TEST(UniqueFunction, destroys_a_large_callable_exactly_once) { destroys_each_exactly_once<200>(); }

// Says where it lives.
template <std::size_t Bytes>
struct Placed {
    const void* operator()() const { return this; }
    std::array<char, Bytes> weight{};
};

bool is_inside(UniqueFunction<const void*()>& f) {
    const auto* at = static_cast<const char*>(f());
    const auto* self = reinterpret_cast<const char*>(&f);
    return at >= self && at < self + sizeof f;
}

TEST(UniqueFunction, keeps_up_to_56_bytes_inside_and_more_outside) {
    UniqueFunction<const void*()> small = Placed<56>{};
    UniqueFunction<const void*()> large = Placed<57>{};

    EXPECT_TRUE(is_inside(small));
    EXPECT_FALSE(is_inside(large));
}

TEST(UniqueFunctionDeathTest, calling_an_empty_one_is_an_assertion) {
    UniqueFunction<void()> empty;
    EXPECT_DEATH(empty(), "an empty UniqueFunction was called");
}

}  // namespace
}  // namespace belay::base
