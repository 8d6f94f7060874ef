// host.hpp — the port: what a server needs of an engine, and all that rooms outside `core` may see of it.
//
// The one place that knows both the engine and the stores: it puts an engine on a concrete store with real
// time and real threads. With it come the verbs that a door asks for (control, fork, new runs, queues), as
// values that any store commits.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include <belay/engine.hpp>

#include "core/engine/backfill.hpp"
#include "core/engine/budget_requests.hpp"
#include "core/engine/control.hpp"
#include "core/engine/core.hpp"
#include "core/engine/fork.hpp"
#include "core/engine/new_run.hpp"
#include "core/engine/outside.hpp"
#include "core/engine/queue_requests.hpp"
#include "core/engine/requests.hpp"
#include "core/engine/run_list.hpp"
#include "core/library/definitions.hpp"
#include "core/store/history_of.hpp"

namespace belay::library {

// The clock may be another than the machine's (the benchmarks skip the time that runs sleep); it must
// outlive the engine. Null: the machine's.
std::shared_ptr<engine::Core> make_core(const StoreConfig& store, const EngineOptions& options,
                                        env::Clock* clock = nullptr);

// The engine behind the public face.
engine::Core& core_of(Engine& engine);

// Opens the store alone: to execute on it, or (`execute` false) to look at it and ask. Without the seal that its values
// were sealed with (null), they are seen sealed.
std::unique_ptr<store::Store> open_store(const StoreConfig& store, bool execute,
                                         std::shared_ptr<const Seal> seal = nullptr);

// What is to be said of a SQLite database that is older than what was acknowledged, and what to do; nothing of one
// that is not. Also while somebody executes on it.
std::optional<std::string> lost_commits(const std::filesystem::path& database);
// Whoever answers for the data has seen it: it is not said any more.
void accept_lost_commits(const std::filesystem::path& database);

// Where the options say that the log goes: the program's own sink, lines on standard error
// ("belay: warning: …", or JSON), or nowhere.
LogSink log_sink(const EngineOptions& options);

}  // namespace belay::library
