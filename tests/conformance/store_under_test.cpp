#include "conformance/store_under_test.hpp"

#include <filesystem>
#include <ostream>

#include <unistd.h>

#include "store/memory/memory_store.hpp"
#include "store/sqlite/open.hpp"

namespace belay::store {

namespace {

class MemoryUnderTest final : public StoreUnderTest {
public:
    std::unique_ptr<Store> open() override { return std::make_unique<MemoryStore>(disk_); }
    std::unique_ptr<Store> open_reader() override {
        return std::make_unique<MemoryStore>(disk_, false);
    }

private:
    std::shared_ptr<MemoryDisk> disk_ = make_memory_disk();
};

// A file in a folder of its own, removed at the end.
class SqliteUnderTest final : public StoreUnderTest {
public:
    SqliteUnderTest() {
        std::string pattern = (std::filesystem::temp_directory_path() / "belay-XXXXXX").string();
        folder_ = ::mkdtemp(pattern.data());
    }
    ~SqliteUnderTest() override { std::filesystem::remove_all(folder_); }

    SqliteUnderTest(const SqliteUnderTest&) = delete;
    SqliteUnderTest& operator=(const SqliteUnderTest&) = delete;

    std::unique_ptr<Store> open() override { return open_as(true); }
    std::unique_ptr<Store> open_reader() override { return open_as(false); }

private:
    std::unique_ptr<Store> open_as(bool execute) {
        sqlite::OpenOptions options;
        options.execute = execute;
        options.holder = "the conformance suite";
        options.transaction_time_max = std::chrono::milliseconds{200};
        return sqlite::open(folder_ / "belay.db", options);
    }

    std::filesystem::path folder_;
};

}  // namespace

std::vector<StoreKind> every_store() {
    return {
        {"memory", [] { return std::make_unique<MemoryUnderTest>(); }},
        {"sqlite", [] { return std::make_unique<SqliteUnderTest>(); }},
    };
}

std::ostream& operator<<(std::ostream& out, const StoreKind& kind) { return out << kind.name; }

}  // namespace belay::store
