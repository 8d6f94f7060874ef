#include "core/store/sqlite/backup.hpp"

#include <sqlite3.h>

#include <memory>

#include "core/store/sqlite/connection.hpp"
#include "core/store/sqlite/failure.hpp"

namespace belay::store::sqlite {

namespace {

constexpr Duration kPatience = std::chrono::seconds{30};

}  // namespace

void copy_database(const std::filesystem::path& from, const std::filesystem::path& to) {
    const auto source = explained(
        from, [&] { return std::make_unique<Connection>(from, OpenMode::Read, kPatience); });
    explained(to, [&] {
        Connection target{to, OpenMode::Create, kPatience};
        target.run("PRAGMA synchronous = FULL");
        sqlite3_backup* const backup =
            sqlite3_backup_init(target.handle(), "main", source->handle(), "main");
        if (backup == nullptr) target.fail(sqlite3_errcode(target.handle()));
        // All pages in one step: a copy in many would begin anew whenever somebody commits.
        sqlite3_backup_step(backup, -1);
        const int code = sqlite3_backup_finish(backup);
        if (code != SQLITE_OK) target.fail(code);
    });
}

std::string damage_in(const std::filesystem::path& file) {
    return explained(file, [&] {
        Connection connection{file, OpenMode::Read, kPatience};
        const std::string found = connection.text("PRAGMA integrity_check(1)").value_or("");
        return found == "ok" ? std::string{} : found;
    });
}

}  // namespace belay::store::sqlite
