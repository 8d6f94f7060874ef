#include <set>

#include <belay/error.hpp>

#include "core/env/files.hpp"
#include "ingestion/cli/commands.hpp"
#include "ingestion/objects/filesystem_store.hpp"
#include "service/api/tables.hpp"

namespace belay::cli {

std::vector<std::string> find_missing_objects(const std::filesystem::path& folder,
                                              store::Store& store, const env::Clock& clock) {
    api::StoreTables tables{store, clock};
    SqlResult rows;
    try {
        rows = tables.query(
            "SELECT DISTINCT object_key FROM unified_files "
            "WHERE deleted_at IS NULL AND NOT (file_type = 'pdf_page' AND "
            "(original_file_size = 0 OR object_key LIKE '%#page=%'))",
            {});
    } catch (const Error& error) {
        if (error.code() != ErrorCode::InvalidArgument) throw;
        return {};  // no file was ever ingested here
    }
    std::set<std::string> in_rows;
    try {
        for (const SqlRow row : SqlRows{tables.query("SELECT object_key FROM object_rows", {})})
            in_rows.insert(row.get<std::string>(0));
    } catch (const Error& error) {
        if (error.code() != ErrorCode::InvalidArgument)
            throw;  // a database from before there were any
    }
    env::SystemFiles files;
    objects::FilesystemStore objects{folder / "objects", files, clock};
    std::vector<std::string> missing;
    for (const SqlRow row : SqlRows{std::move(rows)}) {
        auto key = row.get<std::string>(0);
        if (!in_rows.contains(key) && !objects.head(objects::Key{key}))
            missing.push_back(std::move(key));
    }
    return missing;
}

}  // namespace belay::cli
