// run_list.hpp — runs as a program lists them, read from any store.
#pragma once

#include <belay/control.hpp>

#include "core/store/store.hpp"

namespace belay::engine {

// All but the limit.
store::RunFilter filter_of(const RunQuery& query);

// Throws Error{InvalidArgument} for a limit or a place that cannot be.
RunList list_of(store::Store& store, const RunQuery& query, const ListOptions& options);

Labels labels_of(store::Store& store, store::RunNo run);

}  // namespace belay::engine
