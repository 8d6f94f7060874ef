// time_zones.hpp — finds the time zones of this machine by their IANA names.
//
// Zones come from the tzdata package (/usr/share/zoneinfo), never from a table of our own: parliaments
// change them several times a year. "UTC" needs no file.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "core/base/time_zone.hpp"

namespace belay::env {

// All functions may be called from any thread.
class TimeZones {
public:
    explicit TimeZones(std::filesystem::path folder = "/usr/share/zoneinfo")
        : folder_(std::move(folder)) {}

    // The zone, read once and kept. Shared by the cache and by schedules that outlive a change of it.
    // Throws Error{InvalidArgument} for a name that is none, with one that may be meant if there is;
    // Error{StoreUnavailable} if this machine has no time zones at all, naming the package;
    // Error{BadValue} for a broken file.
    std::shared_ptr<const base::TimeZone> find(std::string_view name);

private:
    std::shared_ptr<const base::TimeZone> read(const std::string& name) const;
    std::string one_like(std::string_view name) const;

    const std::filesystem::path folder_;
    std::mutex mutex_;
    std::map<std::string, std::shared_ptr<const base::TimeZone>, std::less<>> zones_;
};

}  // namespace belay::env
