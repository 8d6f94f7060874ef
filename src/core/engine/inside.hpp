// inside.hpp — whether the calling thread is inside an engine's own work.
//
// Workflow code runs on the one thread that answers callers, and a transaction's body on the one that commits:
// a call from there that waits for the engine would wait for itself. It is refused instead, with a word on
// what to use.
#pragma once

#include <string_view>

namespace belay::engine {

class Inside {
public:
    enum class Where { Workflow, Body };

    // While it lives, the calling thread is inside that engine; engines are told apart by any address.
    Inside(const void* engine, Where where) : engine_(engine), where_(where), before_(innermost_) {
        innermost_ = this;
    }
    ~Inside() { innermost_ = before_; }
    Inside(const Inside&) = delete;
    Inside& operator=(const Inside&) = delete;

    // Throws Error{InvalidArgument} if the calling thread is inside that engine. `what` is what was called.
    static void refuse(const void* engine, std::string_view what);

private:
    const void* engine_;
    Where where_;
    const Inside* before_;
    static thread_local const Inside* innermost_;
};

}  // namespace belay::engine
