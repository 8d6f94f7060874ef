#include "service/api/slots.hpp"

#include <fmt/format.h>

#include "service/api/errors.hpp"

namespace belay::api {

std::unique_ptr<Slots::Slot> Slots::take(const std::string& who) {
    const std::lock_guard lock{mutex_};
    std::size_t& taken = taken_[who];
    if (taken >= each_max_) {
        Headers headers;
        headers.set("Retry-After", "1");
        throw ApiError(
            Problem::RateLimited,
            fmt::format(
                "{} of these are under way for your organization, which is the most; ask again in "
                "a second",
                taken),
            std::move(headers));
    }
    ++taken;
    return std::make_unique<Slot>(*this, who);
}

void Slots::give_back(const std::string& who) {
    const std::lock_guard lock{mutex_};
    const auto found = taken_.find(who);
    if (--found->second == 0) taken_.erase(found);
}

}  // namespace belay::api
