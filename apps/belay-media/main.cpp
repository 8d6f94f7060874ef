// main.cpp — belay-media, the sandboxed helper: a Pool starts it, nobody else does. The names of jobs as arguments
// make it a helper for those alone, and one with a minus before it for all but that: what fork copies for each job is
// then small, and what a job may have of memory is its own.
#include <algorithm>
#include <cstdio>
#include <exception>
#include <string>
#include <string_view>
#include <vector>

#include "ingestion/isolate/serve.hpp"
#include "ingestion/media/native/register.hpp"

namespace {

// The names as they are given, or all names but those with a minus.
std::vector<std::string> wanted(const belay::isolate::Registry& registry,
                                const std::vector<std::string>& given) {
    std::vector<std::string> names, without;
    for (const std::string& word : given) {
        if (word.starts_with('-'))
            without.push_back(word.substr(1));
        else
            names.push_back(word);
    }
    if (without.empty()) return names;
    for (const std::string& name : without) {
        // The registry says what is wrong with a name that no job has.
        if (registry.find(name) == nullptr) return {name};
    }
    for (const auto& entry : registry.entries()) {
        if (std::find(without.begin(), without.end(), entry.name) == without.end())
            names.push_back(entry.name);
    }
    return names;
}

}  // namespace

int main(int count, char** words) {
    belay::isolate::Registry registry;
    belay::media::register_all(registry);
    try {
        const auto names = wanted(registry, {words + 1, words + count});
        registry.keep_only(std::vector<std::string_view>(names.begin(), names.end()));
    } catch (const std::exception& error) {
        std::fprintf(stderr, "belay-media: %s\n", error.what());
        return 2;
    }
    return belay::isolate::serve(registry);
}
