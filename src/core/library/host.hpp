// make_core.hpp — an engine on a concrete store with real time and real threads.
//
// The one place that knows both the engine and the stores.
#pragma once

#include <memory>
#include <string>

#include <belay/engine.hpp>

#include "core/engine/core.hpp"

namespace belay::library {

// The clock may be another than the machine's (the benchmarks skip the time that runs sleep); it must
// outlive the engine. Null: the machine's.
std::shared_ptr<engine::Core> make_core(const StoreConfig& store, const EngineOptions& options,
                                        env::Clock* clock = nullptr);

// Opens the store alone: to execute on it, or (`execute` false) to look at it and ask.
std::unique_ptr<store::Store> open_store(const StoreConfig& store, bool execute);

// Where the options say that the log goes: the program's own sink, lines on standard error
// ("belay: warning: …", or JSON), or nowhere.
LogSink log_sink(const EngineOptions& options);

}  // namespace belay::library
