#include "cli/serving.hpp"

#include "ingest/api/routes.hpp"
#include "ingest/api/upload_sink.hpp"
#include "page/page.hpp"

namespace belay::cli {

void register_workflows(Serving& serving) {
    // With a bare database file there is no folder that files belong in.
    if (serving.place.data_folder.empty()) return;
    serving.ingesting = std::make_unique<Ingesting>(serving.place.data_folder, serving.clock);
    serving.ingesting->define(serving.engine);
}

std::unique_ptr<api::UploadSink> make_upload_sink(Serving& serving) {
    if (!serving.ingesting) return nullptr;
    return std::make_unique<ingest::ObjectSink>(serving.ingesting->object_store(),
                                                serving.upload_bytes_max);
}

const api::StaticFiles* web_files() { return page::files(); }

void register_routes(Serving& serving, api::Api& api) {
    if (serving.ingesting) ingest::add_ingest_routes(api.routes(), serving.ingesting->uploads());
}

}  // namespace belay::cli
