// cache.hpp — the key under which a step's answer is kept for other runs (StepOptions::cache).
#pragma once

#include <string>

#include <belay/codec.hpp>

namespace belay {

// One key of everything that an answer depends on, whatever its types: their JSON, one below the other. No
// two lists of parts give the same key.
//     const std::string key = belay::cache_key("gpt-4o-mini", kPromptVersion, text);
template <class... Parts>
std::string cache_key(const Parts&... parts) {
    std::string key;
    ((key += to_json(parts), key += '\n'), ...);
    return key;
}

}  // namespace belay
