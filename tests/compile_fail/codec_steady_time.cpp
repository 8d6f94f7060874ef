// expect-error: belay: this type has no JSON form.
// expect-error: steady_clock
#include <chrono>

#include <belay/codec.hpp>

std::string there() { return belay::to_json(std::chrono::steady_clock::now()); }
