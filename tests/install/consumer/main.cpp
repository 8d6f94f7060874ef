// main.cpp — a program outside the repository: only what find_package(belay) gives it.
#include <belay/error.hpp>

#include <cstdio>

int main() {
    try {
        throw belay::Error(belay::ErrorCode::NotFound, "no run of that id");
    } catch (const belay::Error& error) {
        std::puts(error.what());
        return error.code() == belay::ErrorCode::NotFound ? 0 : 1;
    }
}
