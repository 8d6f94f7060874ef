#include "service/cli/run_filter.hpp"

#include <array>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <belay/error.hpp>

#include "core/base/duration_text.hpp"
#include "core/base/text.hpp"
#include "core/model/said.hpp"
#include "core/model/status_words.hpp"
#include "service/cli/screen.hpp"

namespace belay::cli {

namespace {

struct MomentOption {
    const char* name;
    std::string FilterOptions::*typed;
    std::optional<Time> store::RunFilter::*value;
    const char* help;
    const char* words;
};

constexpr std::array kMoments{
    MomentOption{"--since", &FilterOptions::since, &store::RunFilter::since,
                 "only runs created since: 1h (ago), 7d, 2026-11-15, or an RFC 3339 time",
                 "created since"},
    MomentOption{"--until", &FilterOptions::until, &store::RunFilter::until,
                 "only runs created before that", "created before"},
    MomentOption{"--ended-since", &FilterOptions::ended_since, &store::RunFilter::ended_since,
                 "only runs that ended since then", "ended since"},
    MomentOption{"--ended-until", &FilterOptions::ended_until, &store::RunFilter::ended_until,
                 "only runs that ended before that", "ended before"},
};

std::optional<Time> moment(const MomentOption& option, const std::string& typed, Time now) {
    if (typed.empty()) return std::nullopt;
    const auto time = base::parse_moment(typed, now);
    if (time) return time;
    throw Error(ErrorCode::InvalidArgument,
                fmt::format("{} `{}` is not a time; give one such as {}", option.name, plain(typed),
                            base::kMomentExamples));
}

std::vector<std::string> status_words() {
    std::vector<std::string> words;
    for (const auto& word : model::kRunStatusWords) words.emplace_back(word.text);
    return words;
}

// For a shell: quoted unless it is plain.
std::string typed_again(const std::string& value) {
    constexpr std::string_view kPlain =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.:/+@%,=";
    if (value.find_first_not_of(kPlain) == std::string::npos) return value;
    std::string out = "'";
    for (const char c : value) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return out + "'";
}

}  // namespace

void add_filter_options(CLI::App& command, FilterOptions& options) {
    command.add_option("--status", options.status, "only runs in this state")
        ->check(CLI::IsMember(status_words()));
    command.add_option("--workflow", options.workflow, "only runs of this workflow");
    command.add_option("--organization", options.organization, "only runs of this organization");
    command.add_option("--text", options.text, "only runs with this in their id or workflow");
    for (const MomentOption& moment : kMoments)
        command.add_option(moment.name, options.*moment.typed, moment.help);
    command.add_option("--label", options.labels,
                       "only runs with this label, as customer=42; several: with all of them");
    command.add_flag("--stalled", options.stalled, "only runs that nothing will get going");
}

store::RunFilter filter_of(const FilterOptions& options, Time now) {
    store::RunFilter filter;
    if (!options.status.empty()) {
        filter.status = run_status(options.status);
        if (!filter.status) {
            throw Error(ErrorCode::InvalidArgument,
                        fmt::format("--status `{}` is not a state of a run; there are {}",
                                    plain(options.status), fmt::join(status_words(), ", ")));
        }
    }
    filter.workflow_key = options.workflow;
    filter.organization_id = options.organization;
    filter.text = options.text;
    filter.stalled = options.stalled;
    for (const std::string& label : options.labels) model::add_label(filter.labels, label);
    for (const MomentOption& option : kMoments)
        filter.*option.value = moment(option, options.*option.typed, now);
    const auto check_order = [](const char* from_name, const std::optional<Time>& from,
                                const char* to_name, const std::optional<Time>& to) {
        if (from && to && *from >= *to) {
            throw Error(
                ErrorCode::InvalidArgument,
                fmt::format("{} ({}) is not before {} ({}): no run can be between them", from_name,
                            base::format_time(*from), to_name, base::format_time(*to)));
        }
    };
    check_order("--since", filter.since, "--until", filter.until);
    check_order("--ended-since", filter.ended_since, "--ended-until", filter.ended_until);
    return filter;
}

bool is_narrowed(const store::RunFilter& filter) {
    return filter.status || !filter.workflow_key.empty() || !filter.organization_id.empty() ||
           !filter.text.empty() || filter.since || filter.until || filter.ended_since ||
           filter.ended_until || filter.stalled || !filter.labels.empty();
}

std::string as_typed(const FilterOptions& options) {
    std::string out;
    const auto add = [&](std::string_view name, const std::string& value) {
        if (!value.empty()) out += fmt::format(" {} {}", name, typed_again(value));
    };
    add("--status", options.status);
    add("--workflow", options.workflow);
    add("--organization", options.organization);
    add("--text", options.text);
    for (const MomentOption& option : kMoments) add(option.name, options.*option.typed);
    for (const std::string& label : options.labels) add("--label", label);
    if (options.stalled) out += " --stalled";
    return out;
}

std::string in_words(const store::RunFilter& filter) {
    std::string out = filter.status         ? fmt::format("{} runs", to_string(*filter.status))
                      : is_narrowed(filter) ? "runs"
                                            : "all runs";
    if (filter.stalled) out = "stalled " + out;
    if (!filter.workflow_key.empty()) out += fmt::format(" of {}", filter.workflow_key);
    if (!filter.organization_id.empty()) out += fmt::format(" for {}", filter.organization_id);
    if (!filter.labels.empty())
        out += fmt::format(" labeled {}", model::labels_text(filter.labels));
    if (!filter.text.empty()) out += fmt::format(" with `{}` in their names", filter.text);
    for (const MomentOption& option : kMoments) {
        const auto& time = filter.*option.value;
        if (time) out += fmt::format(", {} {}", option.words, base::format_time(*time));
    }
    return out;
}

}  // namespace belay::cli
