// reader_locked.hpp — how the reader's own files run a read: with its lock, and with errors explained.
#pragma once

#include <utility>

#include "core/store/sqlite/failure.hpp"
#include "core/store/sqlite/reader.hpp"

namespace belay::store::sqlite {

template <class F>
auto Reader::locked(F&& read) {
    const std::lock_guard lock{mutex_};
    return explained(file_, std::forward<F>(read));
}

}  // namespace belay::store::sqlite
