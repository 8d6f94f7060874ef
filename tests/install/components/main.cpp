// Opens the store that its argument names, and says with which code that failed.
#include <belay/belay.hpp>
#include <fmt/format.h>

int main(int, char** argv) {
    try {
        belay::Engine engine{belay::store_at(argv[1])};
        fmt::print("opened\n");
    } catch (const belay::Error& error) {
        fmt::print("{}: {}\n", belay::to_string(error.code()), error.what());
    }
}
