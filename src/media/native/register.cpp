#include "media/native/register.hpp"

namespace belay::media {

void register_all(isolate::Registry& registry) {
    register_image_jobs(registry);
}

}  // namespace belay::media
