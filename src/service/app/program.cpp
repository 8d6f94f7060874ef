#include "service/app/program.hpp"

#include <algorithm>

#include <fmt/format.h>

#include <belay/error.hpp>

#include "service/cli/version.hpp"

namespace belay::app {

namespace {

constexpr std::size_t kNameCharsMax = 32;

}  // namespace

void check_name(const std::string& name) {
    const auto is_letter = [](char c) { return c >= 'a' && c <= 'z'; };
    const bool fits = !name.empty() && name.size() <= kNameCharsMax && is_letter(name.front()) &&
                      std::all_of(name.begin(), name.end(), [&](char c) {
                          return is_letter(c) || (c >= '0' && c <= '9') || c == '-';
                      });
    if (fits) return;
    throw Error(ErrorCode::InvalidArgument,
                fmt::format("`{}` is no name of a program: it has 1 to {} lower-case letters, "
                            "digits and `-`, and begins with a letter",
                            name, kNameCharsMax));
}

cli::Settings settings_of(const Program& program) {
    cli::Settings all = cli::server_settings();
    for (const auto& bundle : program.bundles) {
        const cli::Settings more = bundle->settings();
        all.insert(all.end(), more.begin(), more.end());
    }
    return all;
}

std::string code_version_of(const Program& program) {
    return program.name == "belay" ? std::string(cli::version()) : program.version;
}

void prepare(const Program& program, Engine& engine) {
    for (const auto& one : program.prepare) one(engine);
}

}  // namespace belay::app
