// backup_test.cpp — what a backup says of files whose bytes it does not have.
#include "service/cli/backup.hpp"
#include "ingestion/cli/commands.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include <fmt/format.h>

#include <belay/belay.hpp>

#include "core/env/clock.hpp"
#include "ingestion/ingest/tables.hpp"

namespace belay::cli {
namespace {

namespace fs = std::filesystem;

struct Backup : ::testing::Test {
    const fs::path root =
        fs::path(::testing::TempDir()) / fmt::format("belay-backup-{}", ::getpid());
    Backup() { fs::create_directories(root / "data"); }
    ~Backup() override { fs::remove_all(root); }
};

void insert_file(Tx& tx, const std::string& id, const std::string& file_type,
                 const std::string& key) {
    tx.exec(
        "INSERT INTO unified_files (id, organization_id, file_type, original_filename, "
        "original_file_id, "
        "original_file_size, mime_type, object_key, object_etag, workflow_type, "
        "ingest_workflow_key, "
        "workflow_run_id, created_at, updated_at) "
        "VALUES (?, 'default', ?, 'a.pdf', ?, 1, 'application/pdf', ?, 'etag', 'invoice', "
        "'WF2_PDF_SPLIT', 'run', ?, ?)",
        id, file_type, id, key, tx.now(), tx.now());
}

TEST_F(Backup, a_file_without_bytes_is_missing_and_a_page_of_it_never_had_any) {
    Place place;
    place.data_folder = root / "data";
    place.file = place.data_folder / "belay.db";
    {
        Engine engine{sqlite(place.file.string())};
        engine.migrate(ingest::kOwner, ingest::migrations());
        engine.transact([](Tx& tx) {
            insert_file(tx, "file_1", "pdf", "default/a.pdf");
            insert_file(tx, "file_1_p1", "pdf_page", "default/a.pdf#page=1");
        });
    }

    const BackupReport report =
        make_backup(place, root / "copy", env::SystemClock{}, find_missing_objects);

    EXPECT_EQ(report.missing, std::vector<std::string>{"default/a.pdf"});
    EXPECT_EQ(fs::status(root / "copy").permissions(), fs::perms::owner_all);
}

}  // namespace
}  // namespace belay::cli
