// doctor.hpp — `belay doctor`: is this a good place to run, and is the store well?
//
// Only reads, but for a few blocks in a nameless file that tell how fast the disk is.
#pragma once

#include <string>
#include <vector>

#include "cli/place.hpp"
#include "cli/screen.hpp"

namespace belay::cli {

enum class Health { Good, Warn, Bad };

struct Check {
    std::string name{};
    Health health = Health::Good;
    std::string found{};
    std::string to_do{};  // unless it is good
};

struct DoctorOptions {
    bool full = false;  // also check the integrity of a large database
};

std::vector<Check> examine(const Place& place, const DoctorOptions& options);

void print_checks(const std::vector<Check>& checks, const Screen& screen);
void print_checks_json(const std::vector<Check>& checks, const Screen& screen);

// A check that is bad makes the doctor's answer 1.
bool is_well(const std::vector<Check>& checks);

}  // namespace belay::cli
