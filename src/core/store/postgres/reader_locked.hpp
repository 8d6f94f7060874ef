// reader_locked.hpp — how the reader's files read: one at a time, on a connection that works.
#pragma once

#include <mutex>

#include "core/store/postgres/failure.hpp"
#include "core/store/postgres/reader.hpp"

namespace belay::store::postgres {

template <class F>
auto Reader::locked(F&& read, bool may_repeat) {
    const std::lock_guard lock{mutex_};
    return explained(name_, [&] {
        const bool is_new = !connection_ || connection_->lost();
        if (is_new) connect();
        try {
            return read();
        } catch (const PgError& error) {
            if (!connection_->lost() || is_new || !may_repeat) throw;
            connect();
            return read();
        }
    });
}

}  // namespace belay::store::postgres
