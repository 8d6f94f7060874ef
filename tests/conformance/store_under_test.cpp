#include "conformance/store_under_test.hpp"

#include "conformance/used_up_table.hpp"

#include <filesystem>
#include <ostream>

#include <unistd.h>

#include "core/store/memory/memory_store.hpp"
#include "core/store/sealed_store.hpp"
#include "core/store/sqlite/open.hpp"
#ifdef BELAY_HAS_POSTGRES
#include "core/store/postgres/open.hpp"
#include "support/postgres_server.hpp"
#endif

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

#ifdef BELAY_HAS_SEAL
// Whatever is sealed on its way in is opened on its way out: nobody above can tell the difference.
class SealedUnderTest final : public StoreUnderTest {
public:
    std::unique_ptr<Store> open() override {
        return std::make_unique<SealedStore>(inner_.open(), test_seal());
    }
    std::unique_ptr<Store> open_reader() override {
        return std::make_unique<SealedStore>(inner_.open_reader(), test_seal());
    }

private:
    SqliteUnderTest inner_;
};
#endif

#ifdef BELAY_HAS_POSTGRES
// A schema of its own in a server that all tests of this program share.
class PostgresUnderTest final : public StoreUnderTest {
public:
    std::unique_ptr<Store> open() override { return open_as(true); }
    std::unique_ptr<Store> open_reader() override { return open_as(false); }

private:
    std::unique_ptr<Store> open_as(bool execute) {
        postgres::OpenOptions options;
        options.share_from = 2;  // small batches go the way of large ones
        options.execute = execute;
        options.transaction_time_max = std::chrono::milliseconds{200};
        return postgres::open(address_, options);
    }

    std::string address_ = test::PostgresServer::shared().new_schema();
};
#endif

}  // namespace

std::string used_up_table(const std::string& store) {
    if (store != "postgres") {
        return "CREATE TABLE used_up (id INTEGER PRIMARY KEY AUTOINCREMENT);"
               "INSERT INTO used_up VALUES (9223372036854775807)";
    }
    return "CREATE TABLE used_up (id bigint PRIMARY KEY);"
           "CREATE FUNCTION refuse_used_up() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "
           "IF NEW.id IS NULL THEN RAISE EXCEPTION 'the disk is full' USING ERRCODE = '53100'; END "
           "IF; "
           "RETURN NEW; END $$;"
           "CREATE TRIGGER used_up_is_full BEFORE INSERT ON used_up FOR EACH ROW EXECUTE FUNCTION "
           "refuse_used_up();"
           "INSERT INTO used_up VALUES (9223372036854775807)";
}

std::vector<StoreKind> plain_stores() {
    return {
        {"memory", [] { return std::make_unique<MemoryUnderTest>(); }},
        {"sqlite", [] { return std::make_unique<SqliteUnderTest>(); }},
#ifdef BELAY_HAS_POSTGRES
        {"postgres", [] { return std::make_unique<PostgresUnderTest>(); }},
#endif
    };
}

std::vector<StoreKind> every_store() {
    auto stores = plain_stores();
#ifdef BELAY_HAS_SEAL
    stores.push_back({"sealed", [] { return std::make_unique<SealedUnderTest>(); }});
#endif
    return stores;
}

#ifdef BELAY_HAS_SEAL
std::shared_ptr<const Seal> test_seal(const std::string& current) {
    return aes_gcm({current,
                    {{"old", std::string(32, 'o')}, {"new", std::string(32, 'n')}},
                    std::string(32, 'f')});
}
#endif

std::ostream& operator<<(std::ostream& out, const StoreKind& kind) { return out << kind.name; }

}  // namespace belay::store
