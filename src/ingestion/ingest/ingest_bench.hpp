// ingest_bench.hpp — an engine in memory with objects in memory and a workflow that notes its input, for tests.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include <belay/belay.hpp>

#include "core/base/hash.hpp"
#include "core/env/clock.hpp"
#include "core/env/memory_files.hpp"
#include "core/library/host.hpp"
#include "ingestion/ingest/ingest.hpp"
#include "ingestion/ingest/object_rows.hpp"
#include "ingestion/ingest/tables.hpp"
#include "ingestion/ingest/uploads.hpp"
#include "ingestion/objects/filesystem_store.hpp"

namespace belay::ingest {

struct IngestBench {
    IngestBench()
        : engine(library::make_core(memory(), quiet(), &clock)),
          uploads(engine, store, {"IMAGE_CLASSIFICATION"}) {
        engine.migrate(kOwner, migrations());
        engine.migrate(kObjectRowsOwner, object_row_migrations());
        store.use(rows);
        for (const char* workflow : {"IMAGE_CLASSIFICATION", "WF1_RECEIPT"}) {
            engine.define(workflow, [](Context&, FileInput input) -> Task<std::string> {
                co_return input.file_id;
            });
        }
        engine.start();
    }

    ObjectEvent object(const std::string& name, const std::string& bytes) {
        ObjectEvent event{objects::Object{objects::Key{"acme", name},
                                          "etag-" + bytes,
                                          bytes.size(),
                                          "image/jpeg",
                                          base::sha256_hex(bytes),
                                          clock.now(),
                                          {}},
                          name,
                          "image",
                          "test",
                          {},
                          false,
                          {},
                          {}};
        return event;
    }
    Ingested told(const ObjectEvent& event) {
        Ingested got = std::get<Ingested>(ingest_object(engine, event));
        if (!got.duplicate) runs.push_back(got.workflow_run_id);
        return got;
    }
    Ingested upload(const std::string& name, const std::string& bytes, bool force = false) {
        const auto writer = store.begin(1 << 20);
        writer->write(bytes);
        return uploads.finish(*writer, {"acme", name, "image/jpeg", "image", force});
    }
    int count(const std::string& table) {
        return engine.query("SELECT count(*) FROM " + table)[0].get<int>(0);
    }
    // What the runs were given, when they have ended.
    std::vector<std::string> inputs() {
        std::vector<std::string> all;
        for (const auto& id : runs) all.push_back(engine.find<std::string>(id).result());
        return all;
    }

    static EngineOptions quiet() {
        EngineOptions options;
        options.log_to_stderr = false;
        return options;
    }

    env::ManualClock clock;
    env::MemoryFiles files;
    objects::FilesystemStore store{"/objects", files, clock};
    Engine engine;
    ObjectRows rows{engine};
    Uploads uploads;
    std::vector<std::string> runs;
};

}  // namespace belay::ingest
