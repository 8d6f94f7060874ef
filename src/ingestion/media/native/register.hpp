// register.hpp — every job of belay-media, one line each in register.cpp.
#pragma once

#include "ingestion/isolate/registry.hpp"

namespace belay::media {

void register_all(isolate::Registry& registry);

// One function per file of handlers; add yours here and to register_all.
void register_image_jobs(isolate::Registry& registry);
void register_classify_job(isolate::Registry& registry);
void register_read_jobs(isolate::Registry& registry);
void register_read_again_job(isolate::Registry& registry);
void register_einvoice_job(isolate::Registry& registry);
void register_html_job(isolate::Registry& registry);

}  // namespace belay::media
