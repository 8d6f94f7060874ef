// names.hpp — the command line of a program that is not called belay: its name wherever this room says `belay`.
//
// Texts of this room are written for `belay`, and are put into another program's words where they are shown.
#pragma once

#include <string>
#include <string_view>

#include "service/cli/place.hpp"

namespace CLI {
class App;
}

namespace belay::cli {

// "run `belay tokens create` (or BELAY_TOKEN)" → "run `shop tokens create` (or SHOP_TOKEN)". What is Belay's own
// (belay.db, belay::Engine, Belay) stays.
std::string with_name(std::string_view text, std::string_view program);

// "shop-two" → "SHOP_TWO".
std::string variable_prefix(std::string_view program);

// In every description and example of the command line.
void put_name_in_help(CLI::App& app, const std::string& program);

// BELAY_DATA is asked for, SHOP_DATA is looked up; where no folder is named it is ./shop-data.
Environment environment_of(Environment process, const std::string& program);

}  // namespace belay::cli
