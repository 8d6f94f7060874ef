#include "service/cli/names.hpp"

#include <cctype>

#include <CLI/CLI.hpp>

namespace belay::cli {

namespace {

constexpr std::string_view kOwn = "belay";
constexpr std::string_view kOwnPrefix = "BELAY_";

bool is_word(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-' || c == '.' ||
           c == ':' || c == '/';
}

// `belay` as a command: what follows is a word, an option, or the end of what is quoted.
bool is_command(std::string_view text, std::size_t at) {
    if (at > 0 && is_word(text[at - 1])) return false;
    const std::string_view after = text.substr(at + kOwn.size());
    if (after.starts_with("-data")) return true;  // the folder
    return after.empty() || after.front() == ' ' || after.front() == '`' || after.front() == '\n';
}

}  // namespace

std::string variable_prefix(std::string_view program) {
    std::string prefix;
    for (const char c : program)
        prefix += static_cast<char>(c == '-' ? '_' : std::toupper(static_cast<unsigned char>(c)));
    return prefix;
}

std::string with_name(std::string_view text, std::string_view program) {
    if (program == kOwn) return std::string(text);
    const std::string prefix = variable_prefix(program) + "_";
    std::string out;
    for (std::size_t at = 0; at < text.size();) {
        const std::string_view rest = text.substr(at);
        const bool is_folder = at >= 2 && text.substr(at - 2, 2) == "./";
        if (rest.starts_with(kOwnPrefix)) {
            out += prefix;
            at += kOwnPrefix.size();
        } else if (rest.starts_with(kOwn) &&
                   (is_command(text, at) || (is_folder && rest.starts_with("belay-data")))) {
            out += program;
            at += kOwn.size();
        } else {
            out += text[at++];
        }
    }
    return out;
}

void put_name_in_help(CLI::App& app, const std::string& program) {
    if (program == kOwn) return;
    app.description(with_name(app.get_description(), program));
    app.footer(with_name(app.get_footer(), program));
    for (CLI::Option* option : app.get_options([](CLI::Option*) { return true; }))
        option->description(with_name(option->get_description(), program));
    for (CLI::App* command : app.get_subcommands([](CLI::App*) { return true; }))
        put_name_in_help(*command, program);
}

Environment environment_of(Environment process, const std::string& program) {
    if (program == kOwn) return process;
    return [process = std::move(process), program,
            prefix = variable_prefix(program) + "_"](const std::string& name) {
        if (!name.starts_with(kOwnPrefix)) return process(name);
        auto value = process(prefix + name.substr(kOwnPrefix.size()));
        if (!value && name == "BELAY_DATA") value = program + "-data";
        return value;
    };
}

}  // namespace belay::cli
