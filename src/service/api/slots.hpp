// slots.hpp — how many of a slow thing one organization may have under way, so that the others find a thread.
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>

namespace belay::api {

class Slots {
public:
    explicit Slots(std::size_t each_max) : each_max_(each_max) {}

    // Held while the slow thing goes on.
    class Slot {
    public:
        Slot(Slots& of, std::string who) : of_(of), who_(std::move(who)) {}
        ~Slot() { of_.give_back(who_); }
        Slot(const Slot&) = delete;
        Slot& operator=(const Slot&) = delete;

    private:
        Slots& of_;
        const std::string who_;
    };

    // Any thread. Throws ApiError{RateLimited} if `who` holds all of theirs: to be asked again in a second.
    std::unique_ptr<Slot> take(const std::string& who);

private:
    void give_back(const std::string& who);

    const std::size_t each_max_;
    std::mutex mutex_;
    std::unordered_map<std::string, std::size_t> taken_;  // only who holds any
};

}  // namespace belay::api
