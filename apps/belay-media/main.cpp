// main.cpp — belay-media, the sandboxed helper: a Pool starts it, nobody else does. The names of jobs as arguments
// make it a helper for those alone: what fork copies for each job is then small.
#include <cstdio>
#include <exception>
#include <string_view>
#include <vector>

#include "ingestion/isolate/serve.hpp"
#include "ingestion/media/native/register.hpp"

int main(int count, char** words) {
    belay::isolate::Registry registry;
    belay::media::register_all(registry);
    try {
        registry.keep_only(std::vector<std::string_view>(words + 1, words + count));
    } catch (const std::exception& error) {
        std::fprintf(stderr, "belay-media: %s\n", error.what());
        return 2;
    }
    return belay::isolate::serve(registry);
}
