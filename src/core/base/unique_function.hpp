// unique_function.hpp — a callable that can be moved but not copied.
//
// std::function demands copies, and what the engine queues (a promise, a coroutine's result, a
// unique_ptr) has none; std::move_only_function comes with C++23. Callables of up to 56 bytes that
// move without throwing live inside: queueing one then allocates nothing.
#pragma once

#include <concepts>
#include <cstddef>
#include <functional>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

#include "core/base/assert.hpp"

namespace belay::base {

template <class Signature>
class UniqueFunction;

template <class R, class... Args>
class UniqueFunction<R(Args...)> {
public:
    UniqueFunction() noexcept = default;
    UniqueFunction(std::nullptr_t) noexcept {}

    template <class F>
    requires(!std::same_as<std::remove_cvref_t<F>, UniqueFunction> &&
             std::is_invocable_r_v<R, std::decay_t<F>&, Args...>) UniqueFunction(F&& f) {
        using Callable = std::decay_t<F>;
        if constexpr (fits<Callable>) {
            ::new (static_cast<void*>(storage_)) Callable(std::forward<F>(f));
            table_ = &kInside<Callable>;
        } else {
            ::new (static_cast<void*>(storage_)) Callable*(new Callable(std::forward<F>(f)));
            table_ = &kOutside<Callable>;
        }
    }

    UniqueFunction(UniqueFunction&& other) noexcept { take(other); }

    UniqueFunction& operator=(UniqueFunction&& other) noexcept {
        if (this != &other) {
            reset();
            take(other);
        }
        return *this;
    }

    ~UniqueFunction() { reset(); }

    explicit operator bool() const noexcept { return table_ != nullptr; }

    // Calls it; calling an empty one is a bug of ours.
    R operator()(Args... args) {
        BELAY_ASSERT(table_ != nullptr, "an empty UniqueFunction was called");
        return table_->call(storage_, std::forward<Args>(args)...);
    }

private:
    static constexpr std::size_t kInsideBytes = 56;

    struct Table {
        R (*call)(std::byte* storage, Args&&... args);
        void (*move)(std::byte* from, std::byte* to) noexcept;  // and ends the life of `from`
        void (*destroy)(std::byte* storage) noexcept;
    };

    template <class F>
    static constexpr bool fits =
        sizeof(F) <= kInsideBytes &&
        alignof(F) <= alignof(std::max_align_t) && std::is_nothrow_move_constructible_v<F>;

    template <class T>
    static T& held(std::byte* storage) noexcept {
        return *std::launder(reinterpret_cast<T*>(storage));
    }

    template <class F>
    static R invoke(F& f, Args&&... args) {
        if constexpr (std::is_void_v<R>)
            std::invoke(f, std::forward<Args>(args)...);
        else
            return std::invoke(f, std::forward<Args>(args)...);
    }

    template <class F>
    static constexpr Table kInside{[](std::byte* s, Args&&... args) -> R {
                                       return invoke(held<F>(s), std::forward<Args>(args)...);
                                   },
                                   [](std::byte* from, std::byte* to) noexcept {
                                       ::new (static_cast<void*>(to)) F(std::move(held<F>(from)));
                                       held<F>(from).~F();
                                   },
                                   [](std::byte* s) noexcept { held<F>(s).~F(); }};

    template <class F>
    static constexpr Table kOutside{[](std::byte* s, Args&&... args) -> R {
                                        return invoke(*held<F*>(s), std::forward<Args>(args)...);
                                    },
                                    [](std::byte* from, std::byte* to) noexcept {
                                        ::new (static_cast<void*>(to)) F*(held<F*>(from));
                                    },
                                    [](std::byte* s) noexcept { delete held<F*>(s); }};

    void take(UniqueFunction& other) noexcept {
        table_ = std::exchange(other.table_, nullptr);
        if (table_ != nullptr) table_->move(other.storage_, storage_);
    }

    void reset() noexcept {
        if (table_ != nullptr) std::exchange(table_, nullptr)->destroy(storage_);
    }

    const Table* table_ = nullptr;
    alignas(std::max_align_t) std::byte storage_[kInsideBytes];
};

}  // namespace belay::base
