// server.cpp FILE — the tables that release's server keeps beside the library's, in a SQLite database that is there already.
//
// Compiled against the release's sources, of which it needs the files with the tables; `tests/upgrade/make` then writes rows into
// them with SQL, and tests/upgrade/look asks today's server for them.
#include <belay/belay.hpp>

#include "ingestion/documents/tables.hpp"
#include "ingestion/ingest/object_rows.hpp"
#include "ingestion/ingest/tables.hpp"
#include "service/api/idempotency.hpp"
#include "service/api/tokens.hpp"
#include "service/approvals/approval.hpp"

int main(int, char** argv) {
    using namespace belay;
    Engine engine{sqlite(argv[1])};
    engine.migrate(std::string(ingest::kOwner), ingest::migrations());
    engine.migrate(std::string(ingest::kObjectRowsOwner), ingest::object_row_migrations());
    engine.migrate(std::string(documents::kOwner), documents::migrations());
    engine.migrate(std::string(api::kTokensOwner), api::token_migrations());
    engine.migrate(std::string(api::kIdempotencyOwner), api::idempotency_migrations());
    engine.migrate(std::string(approvals::kApprovalsOwner), approvals::approval_migrations());
    engine.start();
    engine.stop();
}
