// expect-error: belay: a pointer has no JSON form: its target may be gone when the run is replayed. Pass a value.
#include <belay/codec.hpp>

std::string there(int* number) { return belay::to_json(number); }
