// conformance_kinds_test.cpp — how each store of the conformance suite is set up.
#include <cstdlib>

#include <gtest/gtest.h>

#include "env/clock.hpp"
#include "env/memory_files.hpp"
#include "objects/conformance_bench.hpp"
#include "objects/filesystem_store.hpp"

namespace belay::objects {
namespace {

class InMemoryFolder final : public StoreUnderTest {
public:
    Store& store() override { return store_; }

private:
    env::MemoryFiles files_;
    env::ManualClock clock_;
    FilesystemStore store_{"/objects", files_, clock_};
};

class RealFolder final : public StoreUnderTest {
public:
    ~RealFolder() override { std::filesystem::remove_all(folder_); }
    Store& store() override { return store_; }

private:
    static std::string make_folder() {
        std::string name = testing::TempDir() + "belay-objects-XXXXXX";
        return ::mkdtemp(name.data());
    }

    std::filesystem::path folder_ = make_folder();
    env::SystemFiles files_;
    env::ManualClock clock_;
    FilesystemStore store_{folder_, files_, clock_};
};

}  // namespace

std::vector<StoreKind> store_kinds() {
    return {{"MemoryFolder", [] { return std::make_unique<InMemoryFolder>(); }},
            {"Folder", [] { return std::make_unique<RealFolder>(); }}};
}

}  // namespace belay::objects
