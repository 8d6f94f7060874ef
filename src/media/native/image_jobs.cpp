// image_jobs.cpp — the jobs that look at pictures.
#include "isolate/registry.hpp"
#include "media/jobs.hpp"
#include "media/native/register.hpp"

namespace belay::media {
namespace {

InspectImage::Result inspect(const InspectImage::Arguments&, const isolate::Request&) {
    throw isolate::Reject("not_an_image", "not an image");
}

}  // namespace

void register_image_jobs(isolate::Registry& registry) { registry.add<InspectImage>(inspect); }

}  // namespace belay::media
