// definitions.hpp — what is defined, as rows: observers, clients and other processes have no code to ask.
//
// Written by start(), in the program's own store, beside the tables of its rooms; nothing is written if the rows
// say it already, so that a restart costs no commit. A store without them (of an older Belay, or one on which no
// engine has started yet) has none.
#pragma once

#include <vector>

#include "core/engine/core.hpp"
#include "core/model/definition.hpp"
#include "core/store/store.hpp"

namespace belay::library {

// Of every workflow that this engine defines, by key.
std::vector<model::Definition> definitions_of(const engine::Core& core);

// Makes the rows say so. With `only_executor`, rows of workflows that this engine does not define go. Before the
// first claim.
void write_definitions(engine::Core& core, bool only_executor);

// By key; of each workflow the version that started last comes first.
std::vector<model::Definition> read_definitions(store::Store& store);

}  // namespace belay::library
