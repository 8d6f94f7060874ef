// engine.cpp — the public Engine: everything behind it is in engine/.
#include <belay/engine.hpp>

#include "library/make_core.hpp"

namespace belay {

Engine::Engine(const StoreConfig& store, const EngineOptions& options)
    : port_(library::make_core(store, options)) {}

}  // namespace belay
