#include "ingestion/media/native/register.hpp"

namespace belay::media {

void register_all(isolate::Registry& registry) {
    register_image_jobs(registry);
    register_classify_job(registry);
    register_read_jobs(registry);
    register_read_again_job(registry);
    register_einvoice_job(registry);
    register_html_job(registry);
}

}  // namespace belay::media
