#include "cli/serving.hpp"

namespace belay::cli {

void register_workflows(Serving&) {}

std::unique_ptr<api::UploadSink> make_upload_sink(Serving&) { return nullptr; }

const api::StaticFiles* web_files() { return nullptr; }

void register_routes(Serving&, api::Api&) {}

}  // namespace belay::cli
