#include "service/cli/manual.hpp"

#include <functional>
#include <vector>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

namespace belay::cli {

namespace {

std::vector<const CLI::App*> commands_of(const CLI::App& at) {
    return at.get_subcommands([](const CLI::App* one) { return !one->get_group().empty(); });
}

// Calls it with every command and the words that lead there: "" for the program itself, then "runs", "runs list", …
void walk(const CLI::App& at, const std::string& words,
          const std::function<void(const CLI::App&, const std::string&)>& visit) {
    visit(at, words);
    for (const CLI::App* one : commands_of(at))
        walk(*one, words.empty() ? one->get_name() : words + " " + one->get_name(), visit);
}

std::vector<const CLI::Option*> options_of(const CLI::App& at) {
    return at.get_options(
        [](const CLI::Option* one) { return !one->get_group().empty() && one->nonpositional(); });
}

// "--status", "-h"
std::vector<std::string> flags_of(const CLI::Option& option) {
    std::vector<std::string> flags;
    for (const std::string& one : option.get_snames()) flags.push_back("-" + one);
    for (const std::string& one : option.get_lnames()) flags.push_back("--" + one);
    return flags;
}

bool takes_value(const CLI::Option& option) { return option.get_items_expected_max() > 0; }

// A summary on one line, without what a shell would read.
std::string one_line(std::string text, std::string_view forbidden) {
    for (char& c : text) {
        if (c == '\n') c = ' ';
        if (forbidden.find(c) != std::string_view::npos) c = '`';
    }
    return text;
}

// ---- bash, and zsh by bash's functions

constexpr std::string_view kBash = R"(# Completion of {0} for {1}. Made by: {0} completion {1}
declare -gA _{2}_commands=({3})
declare -gA _{2}_options=({4})
_{2}() {{
    local word path= at
    local current=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}}
    COMPREPLY=()
    for ((at = 1; at < COMP_CWORD; at++)); do
        word=${{COMP_WORDS[at]}}
        [[ " ${{_{2}_commands["_$path"]}} " == *" $word "* ]] && path="${{path:+$path }}$word"
    done
    case $before in
        {5}) ;;
        *) COMPREPLY=($(compgen -W "${{_{2}_commands["_$path"]}} ${{_{2}_options["_$path"]}}" -- "$current")) ;;
    esac
    if [[ ${{#COMPREPLY[@]}} -eq 0 ]]; then COMPREPLY=($(compgen -f -- "$current")); fi
}}
complete -o filenames -F _{2} {0}
)";

std::string bash_of(const CLI::App& app, std::string_view shell) {
    std::string commands, options, valued;
    walk(app, "", [&](const CLI::App& at, const std::string& words) {
        std::vector<std::string> names, flags;
        for (const CLI::App* one : commands_of(at)) names.push_back(one->get_name());
        for (const CLI::Option* one : options_of(at)) {
            for (std::string& flag : flags_of(*one)) {
                if (takes_value(*one)) valued += (valued.empty() ? "" : "|") + flag;
                flags.push_back(std::move(flag));
            }
        }
        // Those of the program may stand behind every command.
        if (&at != &app)
            for (const CLI::Option* one : options_of(app))
                for (std::string& flag : flags_of(*one)) flags.push_back(std::move(flag));
        commands += fmt::format("\n    [\"_{}\"]=\"{}\"", words, fmt::join(names, " "));
        options += fmt::format("\n    [\"_{}\"]=\"{}\"", words, fmt::join(flags, " "));
    });
    std::string name = app.get_name();
    for (char& c : name)
        if (c == '-') c = '_';
    return fmt::format(kBash, app.get_name(), shell, name, commands, options, valued);
}

std::string zsh_of(const CLI::App& app) {
    return fmt::format("#compdef {}\nautoload -U +X bashcompinit && bashcompinit\n{}",
                       app.get_name(), bash_of(app, "zsh"));
}

// ---- fish

std::string fish_of(const CLI::App& app) {
    std::string out =
        fmt::format("# Completion of {0} for fish. Made by: {0} completion fish\n", app.get_name());
    const auto line = [&](const std::string& when, const std::string& what,
                          const std::string& why) {
        out += fmt::format("complete -c {} -n '{}' {} -d '{}'\n", app.get_name(), when, what,
                           one_line(why, "'\\"));
    };
    walk(app, "", [&](const CLI::App& at, const std::string& words) {
        std::vector<std::string> names;
        for (const CLI::App* one : commands_of(at)) names.push_back(one->get_name());
        std::string here = "__fish_use_subcommand";
        if (!words.empty()) {
            here.clear();
            std::string rest = words;
            for (std::size_t space = 0; space != std::string::npos;) {
                space = rest.find(' ');
                here += fmt::format("{}__fish_seen_subcommand_from {}",
                                    here.empty() ? "" : "; and ", rest.substr(0, space));
                if (space != std::string::npos) rest = rest.substr(space + 1);
            }
            if (!names.empty())
                here +=
                    fmt::format("; and not __fish_seen_subcommand_from {}", fmt::join(names, " "));
        }
        for (const CLI::App* one : commands_of(at))
            line(here, "-f -a " + one->get_name(), one->get_description());
        for (const CLI::Option* one : options_of(at)) {
            std::string what = takes_value(*one) ? "-r" : "";
            for (const std::string& s : one->get_snames()) what += " -s " + s;
            for (const std::string& l : one->get_lnames()) what += " -l " + l;
            line(words.empty() ? "true" : here, what, one->get_description());
        }
    });
    return out;
}

// ---- man

// Text as roff reads it: no line of it may look like a request.
std::string roff(std::string_view text) {
    std::string out;
    bool begins = true;
    for (const char c : text) {
        if (begins && (c == '.' || c == '\'')) out += "\\&";
        if (c == '\\')
            out += "\\e";
        else if (c == '-')
            out += "\\-";
        else
            out += c;
        begins = c == '\n';
    }
    return out;
}

void man_options(const std::vector<const CLI::Option*>& options, std::string& out) {
    for (const CLI::Option* one : options) {
        out += ".TP\n";
        const auto flags = flags_of(*one);
        std::string head;
        for (const std::string& flag : flags) head += (head.empty() ? "" : ", ") + flag;
        if (head.empty()) head = one->get_name(true);
        out += fmt::format("\\fB{}\\fR", roff(head));
        if (!flags.empty() && takes_value(*one)) {
            const std::string type =
                one->get_option_text().empty() ? one->get_type_name() : one->get_option_text();
            out += fmt::format(" \\fI{}\\fR", roff(type.empty() ? "VALUE" : type));
        }
        out += "\n" + roff(one->get_description()) + "\n";
    }
}

}  // namespace

std::string man_page(const CLI::App& app, const std::string& version) {
    std::string upper = app.get_name();
    for (char& c : upper) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    std::string out = fmt::format(".TH {} 1 \"\" \"{}\" \"User Commands\"\n", roff(upper),
                                  roff(one_line(version, "\"")));
    out += fmt::format(".SH NAME\n{} \\- {}\n", roff(app.get_name()),
                       roff(one_line(app.get_description(), "")));
    out += fmt::format(".SH SYNOPSIS\n\\fB{0}\\fR [\\fIOPTIONS\\fR] \\fICOMMAND\\fR\n",
                       roff(app.get_name()));
    out += ".SH OPTIONS\nThey may stand anywhere.\n";
    man_options(options_of(app), out);
    out += ".SH COMMANDS\n";
    walk(app, "", [&](const CLI::App& at, const std::string& words) {
        if (words.empty()) return;
        out += fmt::format(".SS {} {}\n{}\n", roff(app.get_name()), roff(words),
                           roff(at.get_description()));
        man_options(at.get_options([](const CLI::Option* one) {
            return !one->get_group().empty() && one->get_name() != "--help,-h" &&
                   !one->check_lname("help");
        }),
                    out);
    });
    if (!app.get_footer().empty())
        out += fmt::format(".SH NOTES\n.nf\n{}\n.fi\n", roff(app.get_footer()));
    return out;
}

void add_completion(CLI::App& app, Session& session) {
    CLI::App* command =
        app.add_subcommand("completion", "What a shell completes commands and options with");
    const auto shell = std::make_shared<std::string>();
    command->add_option("SHELL", *shell, "bash, zsh or fish")
        ->required()
        ->check(CLI::IsMember({"bash", "zsh", "fish"}));
    command->footer(
        fmt::format("Example:\n  source <({0} completion bash)\n  {0} completion fish > "
                    "~/.config/fish/completions/{0}.fish",
                    app.get_name()));
    choose(*command, session, [&app, &session, shell] {
        session.world.screen.out << (*shell == "fish"  ? fish_of(app)
                                     : *shell == "zsh" ? zsh_of(app)
                                                       : bash_of(app, "bash"));
        return ExitCode::Ok;
    });
}

}  // namespace belay::cli
