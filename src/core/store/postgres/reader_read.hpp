// reader_read.hpp — how the reader's files read: on a connection that works.
#pragma once

#include "core/store/postgres/failure.hpp"
#include "core/store/postgres/reader.hpp"

namespace belay::store::postgres {

template <class F>
auto Reader::read(F&& attempt, bool may_repeat) {
    return explained(name_, [&] {
        const bool is_new = !connection_ || connection_->lost();
        if (is_new) connect();
        try {
            return attempt();
        } catch (const PgError& error) {
            if (!connection_->lost() || is_new || !may_repeat) throw;
            connect();
            return attempt();
        }
    });
}

}  // namespace belay::store::postgres
