#include "disk/disk_bench.hpp"

#include <sqlite3.h>

#include <algorithm>

#include <fmt/format.h>

#include <belay/error.hpp>

#include "core/base/hash.hpp"
#include "core/store/sqlite/open.hpp"
#include "ingestion/ingest/files.hpp"
#include "ingestion/ingest/tables.hpp"

namespace belay::test {

namespace {

constexpr int kRuns = 3;
constexpr int kUploads = 4;
constexpr int kTries = 100;
constexpr int kJobsBetweenTries = 50;

std::string bytes_of(int number) {
    // Every other one is too large to be a row.
    const std::size_t size = number % 2 == 0 ? 3'000 : objects::kInlineBytesMax + 5'000;
    return std::string("\x89PNG\r\n\x1a\n", 8) + std::string(size, static_cast<char>('a' + number));
}
std::string name_of(int number) { return fmt::format("photo-{}.png", number); }

// A step, rows in the transaction of a checkpoint, a wait, and a result.
Task<std::int64_t> ledger(Context& ctx, std::int64_t number) {
    const std::int64_t doubled = co_await ctx.step("double", [&] { return number * 2; });
    co_await ctx.transaction("book", [&](Tx& tx) {
        tx.exec("INSERT INTO bookings (number, amount) VALUES (?, ?)", number, doubled);
    });
    co_await ctx.sleep(std::chrono::seconds{5});
    co_return co_await ctx.step("add", [&] { return doubled + 1; });
}

// What SQLite itself finds wrong with a file.
std::string damage_in(const std::string& file) {
    std::string found;
    sqlite3* database = nullptr;
    sqlite3_open_v2(file.c_str(), &database, SQLITE_OPEN_READONLY, nullptr);
    const auto note = [](void* into, int, char** values, char**) {
        if (std::string_view(values[0]) != "ok")
            *static_cast<std::string*>(into) += std::string(values[0]) + "\n";
        return 0;
    };
    if (sqlite3_exec(database, "PRAGMA integrity_check", note, &found, nullptr) != SQLITE_OK)
        found += sqlite3_errmsg(database);
    sqlite3_close(database);
    return found;
}

EngineOptions quiet() {
    EngineOptions options;
    options.log_to_stderr = false;
    options.crash_loop_deaths_max = 0;  // the tests kill more often than any machine
    return options;
}

}  // namespace

struct DiskBench::Process {
    explicit Process(DiskBench& bench)
        : executor(bench.make_executor()),
          engine(std::make_shared<engine::Core>(
              engine::Parts{store::sqlite::open(bench.dir_.file("belay.db"), {}),
                            {bench.simulation_.clock(), bench.simulation_.random(), *executor},
                            quiet(),
                            {},
                            nullptr,
                            {}})),
          objects("/objects", bench.files, bench.simulation_.clock()), rows(engine),
          uploads(engine, objects, {"IMAGE_CLASSIFICATION"}) {
        engine.migrate(ingest::kOwner, ingest::migrations());
        engine.migrate(ingest::kObjectRowsOwner, ingest::object_row_migrations());
        engine.migrate(
            "test", {"CREATE TABLE bookings (number INTEGER NOT NULL, amount INTEGER NOT NULL)"});
        objects.use(rows);
        engine.define("LEDGER", ledger);
        engine.define("IMAGE_CLASSIFICATION",
                      [this](Context& ctx, ingest::FileInput input) -> Task<std::string> {
                          co_return co_await ctx.step(
                              "hash", [this, &input] { return hash_of(input.file_id); });
                      });
        engine.start();
    }

    std::string hash_of(const std::string& file_id) {
        const auto file = ingest::find_file(engine, "acme", file_id);
        if (!file) throw NonRetryable("the file has no row");
        const auto bytes = objects.get(objects::Key{file->key}, 1 << 20);
        if (!bytes) throw NonRetryable("the file has no bytes");
        return base::sha256_hex(*bytes);
    }

    std::unique_ptr<env::SimulatedExecutor> executor;
    Engine engine;
    objects::FilesystemStore objects;
    ingest::ObjectRows rows;
    ingest::Uploads uploads;
};

DiskBench::DiskBench(std::uint64_t seed) : simulation_(seed), dice_(seed + 1) {
    database.on_power_lost = [this] {
        files.cut_power();
        kill();
    };
    files.on_power_lost = [this] {
        database.cut_power();
        kill();
    };
}

DiskBench::~DiskBench() { die(); }

std::unique_ptr<env::SimulatedExecutor> DiskBench::make_executor() {
    auto executor = simulation_.make_executor();
    executor_ = executor.get();
    return executor;
}

// Nothing of the process runs any more; its parts may be destroyed.
void DiskBench::kill() {
    if (executor_ != nullptr) executor_->kill();
}

void DiskBench::die() {
    kill();
    executor_ = nullptr;
    process_.reset();
}

void DiskBench::boot() {
    try {
        process_ = std::make_unique<Process>(*this);
    } catch (const env::PowerLost&) {
        executor_ = nullptr;
        throw MachineDied{};
    } catch (const Error&) {
        executor_ = nullptr;
        if (database.is_dead()) throw MachineDied{};
        throw;
    }
    if (database.is_dead()) throw MachineDied{};
}

void DiskBench::lose_power() {
    database.cut_power();
    files.cut_power();
    die();
    database.lose_power(&dice_);
    files.lose_power(&dice_);
}

std::string DiskBench::upload(const std::string& name, const std::string& bytes) {
    const auto writer = process_->objects.begin(1 << 20);
    writer->write(bytes);
    return process_->uploads.finish(*writer, {"acme", name, "image/png", "image", false})
        .workflow_run_id;
}

void DiskBench::work() {
    // A client that hears of a failure tries again; what was acknowledged is not asked for again.
    const auto until_done = [&](auto what) {
        for (int tries = 0;; ++tries) {
            try {
                what();
                if (database.is_dead()) throw MachineDied{};  // nobody heard the answer
                return;
            } catch (const env::PowerLost&) {
                throw MachineDied{};
            } catch (const Error&) {
                if (database.is_dead() || files.is_dead()) throw MachineDied{};
                if (tries >= kTries) throw;
                if (after_failure) after_failure();
                // Time passes, in which the engine looks whether its store works again.
                for (int i = 0; i < kJobsBetweenTries; ++i) simulation_.run_one();
            }
        }
    };
    for (int i = 0; i < std::max(kRuns, kUploads); ++i) {
        if (const std::string id = fmt::format("run-{}", i); i < kRuns && !runs_.contains(id)) {
            until_done([&] {
                process_->engine.submit<std::int64_t>("LEDGER", std::int64_t{i}, {.id = id});
            });
            runs_.insert(id);
        }
        if (const std::string name = name_of(i); i < kUploads && !uploads_.contains(name)) {
            std::string run;
            until_done([&] { run = upload(name, bytes_of(i)); });
            uploads_[name] = run;
        }
    }
    for (int i = 0; i < kRuns; ++i) {
        const std::string id = fmt::format("run-{}", i);
        until_done([&] { process_->engine.find<std::int64_t>(id).result(); });
        ended_.insert(id);
    }
    for (const auto& [name, run] : uploads_) {
        until_done([&] { process_->engine.find<std::string>(run).result(); });
        ended_.insert(run);
    }
}

std::string DiskBench::check() {
    std::string wrong;
    Engine& engine = process_->engine;
    const auto say = [&](const std::string& what) { wrong += what + "\n"; };
    for (int i = 0; i < kRuns; ++i) {
        const std::string id = fmt::format("run-{}", i);
        if (!runs_.contains(id)) continue;
        try {
            const auto result = engine.find<std::int64_t>(id).result();
            if (result != i * 2 + 1) say(fmt::format("{} is {}", id, result));
        } catch (const Error& error) {
            say(fmt::format("{}: {}", id, error.what()));
        }
        const auto booked =
            engine.query("SELECT count(*) FROM bookings WHERE number = ?", i)[0].get<int>(0);
        if (booked != 1) say(fmt::format("{} booked {} times", id, booked));
    }
    for (int i = 0; i < kUploads; ++i) {
        const auto found = uploads_.find(name_of(i));
        if (found == uploads_.end()) continue;
        try {
            if (engine.find<std::string>(found->second).result() != base::sha256_hex(bytes_of(i)))
                say(fmt::format("{} has another content", found->first));
        } catch (const Error& error) {
            say(fmt::format("{}: {}", found->first, error.what()));
        }
        const auto stored = process_->objects.get(objects::Key{"acme", found->first}, 1 << 20);
        if (stored != bytes_of(i))
            say(fmt::format("the bytes of {} are not as they were", found->first));
        const auto rows =
            engine.query("SELECT count(*) FROM Upload WHERE name = ?", found->first)[0].get<int>(0);
        if (rows != 1) say(fmt::format("{} has {} rows", found->first, rows));
    }
    // Also what nobody was told of: a row that names bytes has them.
    for (const SqlRow& row : engine.query("SELECT object_key FROM unified_files")) {
        if (!process_->objects.head(objects::Key{row.get<std::string>(0)}))
            say(fmt::format("{} has a row and no bytes", row.get<std::string>(0)));
    }
    wrong += damage_in(dir_.file("belay.db"));
    return wrong;
}

}  // namespace belay::test
