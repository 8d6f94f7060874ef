// replay_program.hpp — any program that defines workflows can be asked to replay a history instead of running.
//
//     BELAY_REPLAY=july.json ./invoices
//
// The engine then opens no store, and its start() runs the code that the program has defined against that
// file, prints what was found and ends the process: 0 if the code agrees, 1 if it has diverged, 2 if it cannot
// be said. `belay runs replay FILE --program ./invoices` does that.
//
//     BELAY_EXPORT=folder ./invoices
//
// lets it run as always and, when its engine stops, writes the history of the first run of each workflow there,
// as PROGRAM.WORKFLOW.json: what tools/record-histories keeps in tests/histories.
#pragma once

#include "core/engine/core.hpp"

namespace belay::library {

bool asked_to_replay();

[[noreturn]] void replay_and_exit(engine::Core& core);

bool asked_to_export();
void export_histories(engine::Core& core);

}  // namespace belay::library
