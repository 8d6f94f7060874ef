// store_under_test.hpp — the stores that the conformance suite runs on, and how a test restarts
// one.
//
// One suite, unchanged for every store: a store that needs a skip has a bug. To add a store, add a
// line to every_store().
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <belay/seal.hpp>

#include "core/store/store.hpp"

namespace belay::store {

// One set of data, and the processes that open it.
class StoreUnderTest {
public:
    virtual ~StoreUnderTest() = default;

    // A new executor on the same data, as after a restart. The one before it is closed or
    // abandoned.
    virtual std::unique_ptr<Store> open() = 0;

    // Another process, which only reads and asks.
    virtual std::unique_ptr<Store> open_reader() = 0;
};

struct StoreKind {
    std::string name;
    std::function<std::unique_ptr<StoreUnderTest>()> make;
};

std::vector<StoreKind> plain_stores();
// And one that is sealed.
std::vector<StoreKind> every_store();

// Two keys, `old` and `new`; this one seals.
std::shared_ptr<const Seal> test_seal(const std::string& current = "new");

// So that a failing test is named after its store.
std::ostream& operator<<(std::ostream& out, const StoreKind& kind);

}  // namespace belay::store
