// spending.hpp — what calls of models cost that gave no answer to hand out.
//
// A provider takes its money for an answer that is cut off, refused, ill-shaped or an error with a `usage`. Whoever makes
// such a call says so here before it throws; whoever asked collects it, and records it with the attempt. By thread,
// because a call blocks the one that made it.
#pragma once

#include <utility>

#include <belay/cost.hpp>

namespace belay::ai {

class Spending {
public:
    static void add(const Cost& cost);
    // All since the last time it was taken on this thread.
    static Cost take();

    // Calls `work`; if it throws, `pay` is told what was spent until then, unless it is nothing.
    template <class Work, class Pay>
    static auto of(Work work, Pay pay) {
        take();
        try {
            return work();
        } catch (...) {
            if (const Cost spent = take(); !spent.empty()) pay(spent);
            throw;
        }
    }
};

}  // namespace belay::ai
