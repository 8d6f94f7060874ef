// deaths.hpp — reads the black boxes of processes that died, and says in the store what is in them.
//
// Before its first claim, so that what it claims is charged with what it did; and now and then, because of the workers
// that share a PostgreSQL database on this machine another may outlive one. A box goes when its death is in the
// store: who dies in between leaves it to the next, and said twice it is the same. docs/deaths.md has the rules.
#pragma once

#include <functional>
#include <memory>

#include "core/engine/services.hpp"

namespace belay::engine {

class Deaths {
public:
    // `boxes` may be null: nobody keeps whose code executes, and nobody is charged.
    Deaths(Services& services, std::unique_ptr<env::BlackBoxes> boxes);

    // This process's own box; null if there is none. Once.
    env::BlackBox* open();

    // Says what the dead have left, and calls `then` on the Loop lane when it is in the store.
    void look(std::function<void()> then = {});

    // This process is alive.
    void beat() {
        if (box_ != nullptr) box_->seen(services_.now());
    }

    // It ends in order.
    void close();

private:
    void said(const env::DeadBox& box, const store::NoteDeath& verb);

    Services& services_;
    std::unique_ptr<env::BlackBoxes> boxes_;
    env::BlackBox* box_ = nullptr;
};

}  // namespace belay::engine
