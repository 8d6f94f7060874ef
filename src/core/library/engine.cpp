// engine.cpp — the public Engine: everything behind it is in engine/.
#include <belay/engine.hpp>

#include "core/library/host.hpp"

namespace belay {

Engine::Engine(const StoreConfig& store, const EngineOptions& options)
    : port_(library::make_core(store, options)) {}

}  // namespace belay
