#include "service/cli/whole_number.hpp"

#include <charconv>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "service/cli/screen.hpp"

namespace belay::cli {

CLI::Validator whole_number_from(std::int64_t least) {
    const auto refusal = [least](std::string& typed) -> std::string {
        std::int64_t value = 0;
        const char* end = typed.data() + typed.size();
        const auto [stopped, error] = std::from_chars(typed.data(), end, value);
        if (error == std::errc{} && stopped == end && value >= least) return {};
        return fmt::format("`{}` is not a whole number from {} on", plain(typed), least);
    };
    return CLI::Validator(refusal, "", "whole number");
}

}  // namespace belay::cli
