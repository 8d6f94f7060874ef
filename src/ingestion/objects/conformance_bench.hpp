// conformance_bench.hpp — the stores that the conformance suite runs on, each with all that it lives in.
#pragma once

#include <functional>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "ingestion/objects/store.hpp"

namespace belay::objects {

class StoreUnderTest {
public:
    virtual ~StoreUnderTest() = default;
    virtual Store& store() = 0;
};

struct StoreKind {
    std::string name;
    std::function<std::unique_ptr<StoreUnderTest>()> make;
};

inline std::ostream& operator<<(std::ostream& out, const StoreKind& kind) {
    return out << kind.name;
}

// Every kind there is, in the order of their speed.
std::vector<StoreKind> store_kinds();

}  // namespace belay::objects
