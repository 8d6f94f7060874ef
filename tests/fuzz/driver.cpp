// driver.cpp — libFuzzer's way to one target, named by BELAY_FUZZ_TARGET in the environment.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "fuzz/targets.hpp"

namespace {

belay::fuzz::Target chosen() {
    const char* name = std::getenv("BELAY_FUZZ_TARGET");
    for (const auto& target : belay::fuzz::all_targets()) {
        if (name != nullptr && target.name == name) return target;
    }
    std::fprintf(stderr, "set BELAY_FUZZ_TARGET to one of:");
    for (const auto& target : belay::fuzz::all_targets())
        std::fprintf(stderr, " %s", std::string(target.name).c_str());
    std::fprintf(stderr, "\n");
    std::exit(2);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const belay::fuzz::Target target = chosen();
    target.run({reinterpret_cast<const char*>(data), size});
    return 0;
}
