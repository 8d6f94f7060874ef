#include "fuzz/targets.hpp"

#include <cstdio>
#include <cstdlib>

namespace belay::fuzz {

std::vector<Target> all_targets() {
    std::vector<Target> all;
    for (const auto& some : {value_targets(), server_targets(), web_targets(), paper_targets()})
        all.insert(all.end(), some.begin(), some.end());
    return all;
}

void finding(const char* condition, const char* file, int line) {
    std::fprintf(stderr, "%s:%d: does not hold: %s\n", file, line, condition);
    std::abort();
}

}  // namespace belay::fuzz
