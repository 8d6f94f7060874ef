// day.hpp — the day that a time falls on, in UTC.
#pragma once

#include <chrono>

#include <belay/time.hpp>

#include "ingestion/ai/rules/date.hpp"

namespace belay::workflows {

inline ai::rules::Date day_of(Time time) {
    const std::chrono::year_month_day day{
        std::chrono::floor<std::chrono::days>(std::chrono::sys_time<Duration>(time))};
    return {static_cast<int>(day.year()), static_cast<int>(static_cast<unsigned>(day.month())),
            static_cast<int>(static_cast<unsigned>(day.day()))};
}

}  // namespace belay::workflows
