// doctor.hpp — `belay doctor`: is this a good place to run, and is the store well?
//
// Only reads, but for a few blocks in a nameless file that tell how fast the disk is.
#pragma once

#include <string>
#include <vector>

#include "service/cli/exit_code.hpp"
#include "service/cli/place.hpp"
#include "service/cli/screen.hpp"

namespace belay::cli {

enum class Health { Good, Warn, Bad, NotChecked };

struct Check {
    std::string name{};
    Health health = Health::Good;
    std::string found{};
    std::string to_do{};    // unless it is good
    bool no_store = false;  // it is bad because the store is not there, or does not open
};

struct DoctorOptions {
    bool full = false;         // also check the integrity of a large database
    bool accept_loss = false;  // a database that is older than what was acknowledged is meant to be
};

std::vector<Check> examine(const Place& place, const DoctorOptions& options);

void print_checks(const std::vector<Check>& checks, const Screen& screen);
void print_checks_json(const std::vector<Check>& checks, const Screen& screen);

bool is_well(const std::vector<Check>& checks);  // none is bad

// 3 if the store is not there or does not open, as every command says it; 1 if something else is bad.
ExitCode exit_code_of(const std::vector<Check>& checks);

}  // namespace belay::cli
