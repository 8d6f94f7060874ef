// routes.hpp — POST /ingest/upload, GET /api/uploads, GET|DELETE /api/files/{id}, GET /api/files/{id}/content.
//
// A file of another organization is not found (P9).
#pragma once

#include "ingestion/ingest/uploads.hpp"
#include "service/api/route.hpp"

namespace belay::ingest {

// The server's UploadSink must be an ObjectSink. `uploads` outlives the routes.
void add_ingest_routes(api::Routes& routes, Uploads& uploads);

}  // namespace belay::ingest
