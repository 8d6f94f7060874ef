// engine.cpp — the public Engine: everything behind it is in engine/.
#include <belay/engine.hpp>

#include <cstdio>
#include <cstdlib>
#include <memory>

#include <fmt/format.h>

#include <belay/error.hpp>

#include "core/base/text.hpp"
#include "core/env/parker.hpp"
#include "core/env/signals.hpp"
#include "core/env/thread.hpp"
#include "core/library/host.hpp"

namespace belay {

namespace detail {

struct EngineDoor {
    static EnginePort& port(Engine& engine) { return *engine.port_; }
};

}  // namespace detail

namespace library {

engine::Core& core_of(Engine& engine) {
    auto* core = dynamic_cast<engine::Core*>(&detail::EngineDoor::port(engine));
    if (core == nullptr)
        throw Error(ErrorCode::InvalidArgument, "an engine of the test kit cannot be served");
    return *core;
}

}  // namespace library

Engine::Engine(const StoreConfig& store, const EngineOptions& options)
    : Engine(std::shared_ptr<detail::EnginePort>(library::make_core(store, options))) {}

int Engine::run(Duration stop_within) {
    env::StopSignals signals;
    start();
    signals.wait();
    // Shared with the thread that stops: if its steps do not end, that thread is left behind.
    struct Stop {
        std::shared_ptr<detail::EnginePort> port;
        env::Parker waiter;
    };
    const auto stop = std::make_shared<Stop>();
    stop->port = port_;
    std::thread stopping = env::start_thread("belay-stop", [stop] {
        stop->port->release();
        stop->waiter.unpark();
    });
    if (!stop->waiter.park_for(stop_within)) {
        // Its runs were put back and its store is closed; what still runs can only be ended with the process.
        fmt::print(stderr, "belay: steps did not end within {}: the process ends without them\n",
                   base::format_duration(stop_within));
        std::fflush(nullptr);
        std::_Exit(1);
    }
    stopping.join();
    return 0;
}

}  // namespace belay
