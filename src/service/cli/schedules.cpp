#include "service/cli/schedules.hpp"

#include <algorithm>
#include <memory>
#include <ostream>

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <boost/json.hpp>

#include <belay/codec.hpp>
#include <belay/error.hpp>

#include "core/base/duration_text.hpp"
#include "core/base/text.hpp"
#include "core/env/time_zones.hpp"
#include "core/library/host.hpp"
#include "core/model/queue_json.hpp"
#include "core/model/schedule.hpp"
#include "core/model/trigger.hpp"
#include "service/cli/ask.hpp"
#include "service/cli/ask_executor.hpp"
#include "service/cli/command.hpp"
#include "service/cli/operations_over_http.hpp"
#include "service/cli/table.hpp"
#include "service/cli/words.hpp"

namespace belay::cli {

namespace {

using Request = belay::detail::ScheduleRequest;

std::vector<ScheduleInfo> schedules_of(store::Store& store, Time now) {
    env::TimeZones zones;
    std::vector<ScheduleInfo> infos;
    for (const auto& stored : store.schedules())
        infos.push_back(engine::info_of(stored, zones, now));
    return infos;
}

Schedules schedules_of(const Session& session) {
    if (const auto remote = session.remote()) return {remote_schedules(*remote), remote->url()};
    const auto store = open_to_read(session.place());
    return {schedules_of(*store, session.now()), store->name()};
}

ScheduleInfo find_schedule(const std::vector<ScheduleInfo>& all, const std::string& name) {
    const auto found =
        std::find_if(all.begin(), all.end(), [&](const ScheduleInfo& s) { return s.name == name; });
    if (found != all.end()) return *found;
    std::vector<std::string> names;
    for (const ScheduleInfo& schedule : all) names.push_back(schedule.name);
    const auto near = nearest(name, names);
    throw Error(
        ErrorCode::NotFound,
        fmt::format("there is no schedule `{}`{}", name,
                    near            ? fmt::format("; did you mean `{}`?", *near)
                    : names.empty() ? "; none was made yet"
                                    : fmt::format("; there are: {}", fmt::join(names, ", "))));
}

std::string time_or_dash(const std::optional<Time>& time) {
    return time ? base::format_time(*time) : "-";
}

std::string next_text(const ScheduleInfo& schedule) {
    if (schedule.paused) return "paused";
    return schedule.next_tick ? base::format_time(*schedule.next_tick) : "never";
}

// A moment to come, or an error that says what to type.
Time parse_time(const char* option, const std::string& text) {
    const auto time = base::parse_time(text);
    if (time) return *time;
    throw Error(ErrorCode::InvalidArgument,
                fmt::format("{} `{}` is not a time; give one such as 2026-11-15T20:00:00Z", option,
                            plain(text)));
}

// As typed; empty: not given.
struct Typed {
    std::string name, workflow, cron, zone, input, catch_up, overlap, jitter, start, end, queue,
        organization;
    std::optional<int> catch_up_max;
    std::optional<int> priority;
    int count = 5;
};

template <class T>
T policy(const char* option, const std::string& word, std::optional<T> known, const char* words) {
    if (known) return *known;
    throw Error(ErrorCode::InvalidArgument,
                fmt::format("{} `{}` is not one of {}", option, plain(word), words));
}

void read_into(const Typed& typed, ScheduleOptions& options) {
    if (!typed.cron.empty()) options.cron = typed.cron;
    if (!typed.zone.empty()) options.zone = typed.zone;
    if (!typed.catch_up.empty()) {
        options.catch_up = policy("--catch-up", typed.catch_up, model::catch_up(typed.catch_up),
                                  "none, latest, all");
    }
    if (!typed.overlap.empty()) {
        options.overlap = policy("--overlap", typed.overlap, model::overlap(typed.overlap),
                                 "allow, skip, buffer_one, cancel_previous");
    }
    if (typed.catch_up_max) options.catch_up_max = *typed.catch_up_max;
    if (typed.priority) options.priority = *typed.priority;
    if (!typed.queue.empty()) options.queue = typed.queue == "none" ? "" : typed.queue;
    if (!typed.organization.empty()) options.organization_id = typed.organization;
    if (!typed.start.empty()) options.start = parse_time("--start", typed.start);
    if (!typed.end.empty()) options.end = parse_time("--end", typed.end);
    if (typed.jitter.empty()) return;
    const auto jitter = base::parse_duration(typed.jitter);
    if (!jitter) {
        throw Error(ErrorCode::InvalidArgument,
                    fmt::format("--jitter `{}` is not a duration; give one such as {}",
                                plain(typed.jitter), base::kDurationExamples));
    }
    options.jitter = *jitter;
}

std::optional<ScheduleInfo> existing(Session& session, const std::string& name) {
    try {
        const auto store = open_to_read(session.place());
        for (const ScheduleInfo& schedule : schedules_of(*store, session.now())) {
            if (schedule.name == name) return schedule;
        }
    } catch (const Error& error) {
        // Nothing has been kept there yet.
        if (error.code() != ErrorCode::StoreUnavailable) throw;
    }
    return std::nullopt;
}

ExitCode told(Session& session, const std::string& name, const std::string& sentence) {
    if (!session.json) {
        session.world.screen.out << plain(sentence) << '\n';
        return ExitCode::Ok;
    }
    const auto stands = existing(session, name);
    session.world.screen.out << boost::json::serialize(
                                    stands ? model::schedule_json(*stands)
                                           : boost::json::object{{"name", name}, {"removed", true}})
                             << '\n';
    return ExitCode::Ok;
}

ExitCode make(Session& session, const Typed& typed, bool is_new) {
    const auto before = existing(session, typed.name);
    if (before && is_new) {
        throw Error(
            ErrorCode::InvalidArgument,
            fmt::format("there is a schedule `{}` already; change it with `belay schedules set {}`",
                        typed.name, typed.name));
    }
    if (!before && (typed.workflow.empty() || typed.cron.empty())) {
        throw Error(
            ErrorCode::InvalidArgument,
            fmt::format("there is no schedule `{}` yet: give --workflow and --cron to make it",
                        typed.name));
    }
    Request request;
    request.what = Request::What::Set;
    request.name = typed.name;
    if (before) {
        request.workflow = before->workflow_key;
        request.input = before->input;
        request.options = before->options;
    }
    if (!typed.workflow.empty()) request.workflow = typed.workflow;
    if (!typed.input.empty()) request.input = typed.input;
    read_into(typed, request.options);
    change(session, request);
    const auto now_stands = existing(session, typed.name);
    return told(session, typed.name,
                fmt::format("Schedule {} runs {} at `{}` in {}; next {}.", typed.name,
                            request.workflow, request.options.cron, request.options.zone,
                            now_stands ? next_text(*now_stands) : "never"));
}

std::string sentence_about(Request::What what, const std::string& name,
                           const std::optional<ScheduleInfo>& stands) {
    switch (what) {
        case Request::What::Pause:
            return fmt::format("Schedule {} is paused: its ticks are lost until it is resumed.",
                               name);
        case Request::What::Resume:
            return fmt::format("Schedule {} goes on; next {}.", name,
                               stands ? next_text(*stands) : "never");
        default:
            return fmt::format("Schedule {} is removed; its runs stay.", name);
    }
}

ExitCode ask_server(const Session& session, const ServerClient& remote, Request::What what,
                    const std::string& name) {
    const auto answer = remote.post(fmt::format("/api/schedules/{}/{}", in_url(name),
                                                what == Request::What::Pause ? "pause" : "resume"));
    const boost::json::object& stands = answer.as_object();
    session.world.screen.out << (session.json
                                     ? boost::json::serialize(stands)
                                     : plain(sentence_about(what, name, schedule_in(stands))))
                             << '\n';
    return ExitCode::Ok;
}

ExitCode ask(Session& session, Request::What what, const std::string& name) {
    const auto remote = session.remote();
    if (remote && what != Request::What::Remove) return ask_server(session, *remote, what, name);
    find_schedule(schedules_of(*open_to_read(session.place()), session.now()), name);
    Request request;
    request.what = what;
    request.name = name;
    change(session, request);
    return told(session, name, sentence_about(what, name, existing(session, name)));
}

// A run of it now. Only who executes knows whether its workflow lets it begin, so somebody must.
std::string triggered(const Session& session, const ScheduleInfo& schedule) {
    const Place place = session.place();
    if (place.address.empty() && !executor_of(place)) {
        throw Error(ErrorCode::StoreUnavailable,
                    fmt::format("nobody executes on {} now: start the program whose store it is, "
                                "and ask again",
                                shown(place)));
    }
    return ask_executor(session, place, model::kTriggerRequest,
                        to_json(model::Trigger{schedule.name, base::format_time(session.now())}));
}

ExitCode trigger(const Session& session, const std::string& name) {
    boost::json::object begun;
    if (const auto remote = session.remote()) {
        begun = remote->post(fmt::format("/api/schedules/{}/trigger", in_url(name))).as_object();
    } else {
        const ScheduleInfo schedule = find_schedule(schedules_of(session).all, name);
        begun = {{"name", schedule.name},
                 {"workflow_run_id", triggered(session, schedule)},
                 {"workflow_key", schedule.workflow_key}};
    }
    const auto of = [&begun](const char* member) {
        return plain(std::string(begun.at(member).as_string()));
    };
    session.world.screen.out << (session.json
                                     ? boost::json::serialize(begun)
                                     : fmt::format("Run {} of {} begins now, beside the ticks.",
                                                   of("workflow_run_id"), of("workflow_key")))
                             << '\n';
    return ExitCode::Ok;
}

void add_times(CLI::App& command, Typed& typed) {
    command.add_option(
        "--cron", typed.cron,
        "[second] minute hour day month weekday, or @daily, @every 90m; see docs/schedules.md");
    command.add_option("--zone", typed.zone,
                       "an IANA time zone, such as Europe/Stockholm (default UTC)");
}

void add_options(CLI::App& command, Typed& typed) {
    command.add_option("NAME", typed.name, "letters, digits, `.`, `-` and `_`")->required();
    command.add_option("--workflow", typed.workflow, "what it runs");
    add_times(command, typed);
    command.add_option("--input", typed.input, "JSON that every run is given (default null)");
    command.add_option(
        "--catch-up", typed.catch_up,
        "ticks that nobody was there for: none, latest (default) or all of them fire");
    command.add_option("--catch-up-max", typed.catch_up_max,
                       "with all: the newest so many (default 100)");
    command.add_option(
        "--overlap", typed.overlap,
        "a tick while a run goes on: allow (default), skip, buffer_one or cancel_previous");
    command.add_option("--jitter", typed.jitter,
                       "fire up to so much later, always the same for a tick");
    command.add_option("--start", typed.start, "no tick before this time");
    command.add_option("--end", typed.end, "no tick from this time on");
    command.add_option("--queue", typed.queue, "where its runs wait for their turn, or none");
    command.add_option("--priority", typed.priority, "of its runs in that queue");
    command.add_option("--organization", typed.organization,
                       "whose runs they are (default `default`)");
}

}  // namespace

ExitCode list_schedules(const Schedules& schedules, const Screen& screen, bool json) {
    if (json) {
        boost::json::array rows;
        for (const ScheduleInfo& schedule : schedules.all)
            rows.push_back(model::schedule_json(schedule));
        screen.out << boost::json::serialize(boost::json::object{{"schedules", std::move(rows)}})
                   << '\n';
        return ExitCode::Ok;
    }
    if (schedules.all.empty()) {
        screen.out << "No schedules in " << plain(schedules.where)
                   << " yet. Make one with engine.schedule(…) or `belay schedules add NAME "
                      "--workflow W --cron C`.\n";
        return ExitCode::Ok;
    }
    Table table{{{"SCHEDULE", 10},
                 {"WORKFLOW", 10},
                 {"CRON", 9},
                 {"ZONE", 8},
                 {"NEXT"},
                 {"LAST"},
                 {"FIRED", 0, true},
                 {"LOST", 0, true}}};
    for (const ScheduleInfo& schedule : schedules.all) {
        table.row(
            {{schedule.name},
             {schedule.workflow_key},
             {schedule.options.cron},
             {schedule.options.zone},
             {next_text(schedule), schedule.paused ? Style::Warn : Style::Plain},
             {time_or_dash(schedule.last_tick)},
             {std::to_string(schedule.fired)},
             {std::to_string(schedule.lost), schedule.lost > 0 ? Style::Warn : Style::Plain}});
    }
    table.print(screen);
    return ExitCode::Ok;
}

ExitCode show_schedule(const Schedules& schedules, const std::string& name, const Screen& screen,
                       bool json) {
    const ScheduleInfo schedule = find_schedule(schedules.all, name);
    if (json) {
        screen.out << boost::json::serialize(model::schedule_json(schedule)) << '\n';
        return ExitCode::Ok;
    }
    const ScheduleOptions& options = schedule.options;
    const auto line = [&](const char* title, const std::string& text) {
        screen.out << fmt::format("{:<11}{}\n", title, plain(text));
    };
    line("schedule", schedule.name);
    line("workflow", schedule.workflow_key);
    line("input", schedule.input);
    line("cron", options.cron + " in " + options.zone);
    line("next", next_text(schedule));
    line("last", schedule.last_tick
                     ? fmt::format("{} as run {}", base::format_time(*schedule.last_tick),
                                   schedule.last_run_id)
                     : "none yet");
    if (schedule.buffered_tick) {
        line("buffered",
             base::format_time(*schedule.buffered_tick) + ", until the run before it has finished");
    }
    line("catch-up", std::string(model::to_string(options.catch_up)));
    line("overlap", std::string(model::to_string(options.overlap)));
    if (options.jitter > Duration{0}) line("jitter", base::format_duration(options.jitter));
    if (options.start) line("start", base::format_time(*options.start));
    if (options.end) line("end", base::format_time(*options.end));
    if (!options.queue.empty())
        line("queue", fmt::format("{}, priority {}", options.queue, options.priority));
    line("fired", fmt::format("{}, lost {}", schedule.fired, schedule.lost));
    return ExitCode::Ok;
}

ExitCode show_ticks(const ScheduleOptions& options, int count, Time now, const Screen& screen,
                    bool json) {
    env::TimeZones zones;
    model::Schedule schedule;
    schedule.name = "next";
    schedule.workflow_key = "next";
    schedule.cron = options.cron;
    schedule.zone = options.zone;
    schedule.start = options.start;
    schedule.end = options.end;
    const model::Timetable table{schedule, zones.find(schedule.zone)};
    boost::json::array ticks;
    Time at = now;
    for (int i = 0; i < count; ++i) {
        const auto next = table.next_after(at);
        if (!next) break;
        at = *next;
        const auto seconds = std::chrono::floor<std::chrono::seconds>(at);
        const auto offset = table.zone().span_at(seconds).offset.utc_offset;
        const std::string local = base::format_time(at + offset).substr(0, 19);
        if (json) {
            ticks.push_back(boost::json::object{{"utc", base::format_time(at)}, {"local", local}});
        } else {
            screen.out << fmt::format("{}  {} {}\n", base::format_time(at), local, schedule.zone);
        }
    }
    if (json) {
        screen.out << boost::json::serialize(boost::json::object{{"ticks", std::move(ticks)}})
                   << '\n';
    } else if (at == now) {
        screen.out << "It has no tick to come.\n";
    }
    return ExitCode::Ok;
}

void add_schedules(CLI::App& app, Session& session) {
    CLI::App* schedules =
        app.add_subcommand("schedules", "Run workflows by the clock: look, make, pause, change");
    schedules->require_subcommand(0, 1);
    schedules->footer(
        "Example:\n  belay schedules add nightly --workflow REPORT --cron '0 3 * * *' --zone "
        "Europe/Stockholm\n\n"
        "Without a command it lists the schedules.");
    const auto list = [&session] {
        return list_schedules(schedules_of(session), session.world.screen, session.json);
    };
    CLI::App* all = add_command(*schedules, "list", "The schedules, and when each fires next",
                                "belay schedules list");
    add_json(*all, session);
    choose(*all, session, list);
    add_json(*schedules, session);
    schedules->callback([list, &session] {
        if (!session.chosen) session.chosen = list;
    });

    const auto typed = std::make_shared<Typed>();
    CLI::App* show =
        add_command(*schedules, "show", "One schedule", "belay schedules show nightly");
    show->add_option("NAME", typed->name, "as `belay schedules list` shows it")->required();
    add_json(*show, session);
    choose(*show, session, [typed, &session] {
        return show_schedule(schedules_of(session), typed->name, session.world.screen,
                             session.json);
    });

    CLI::App* next = add_command(
        *schedules, "next", "The ticks to come, of a schedule or of any cron expression",
        "belay schedules next --cron '0 9 * * MON-FRI' --zone Europe/Stockholm");
    next->add_option("NAME", typed->name, "a schedule; or give --cron");
    add_times(*next, *typed);
    next->add_option("--count", typed->count, "how many")
        ->check(CLI::Range(1, 1000))
        ->capture_default_str();
    add_json(*next, session);
    choose(*next, session, [typed, &session] {
        if (typed->name.empty() == typed->cron.empty()) {
            throw Error(ErrorCode::InvalidArgument,
                        "name a schedule, or give --cron: one of the two");
        }
        ScheduleOptions options;
        if (!typed->name.empty()) {
            options = find_schedule(schedules_of(session).all, typed->name).options;
        }
        read_into(*typed, options);
        return show_ticks(options, typed->count, session.now(), session.world.screen, session.json);
    });

    CLI::App* add = add_command(*schedules, "add", "Make a schedule",
                                "belay schedules add nightly --workflow REPORT --cron '0 3 * * *'");
    add_options(*add, *typed);
    add_json(*add, session);
    choose(*add, session, [typed, &session] { return make(session, *typed, true); });
    CLI::App* set = add_command(*schedules, "set", "Change what is given of a schedule, or make it",
                                "belay schedules set nightly --zone Europe/Stockholm");
    add_options(*set, *typed);
    add_json(*set, session);
    choose(*set, session, [typed, &session] { return make(session, *typed, false); });

    const auto add_ask = [&](const char* word, Request::What what, const char* description) {
        CLI::App* command = add_command(*schedules, word, description,
                                        fmt::format("belay schedules {} nightly", word));
        command->add_option("NAME", typed->name, "as `belay schedules list` shows it")->required();
        add_json(*command, session);
        choose(*command, session,
               [what, typed, &session] { return ask(session, what, typed->name); });
    };
    add_backfill(*schedules, session);
    add_ask("pause", Request::What::Pause, "Let its ticks pass until it is resumed");
    add_ask("resume", Request::What::Resume,
            "Let a paused schedule fire again, from its next tick on");
    add_ask("remove", Request::What::Remove, "Remove a schedule; its runs stay");
    CLI::App* now = add_command(*schedules, "trigger", "Begin a run of a schedule now",
                                "belay schedules trigger nightly");
    now->add_option("NAME", typed->name, "as `belay schedules list` shows it")->required();
    add_json(*now, session);
    choose(*now, session, [typed, &session] { return trigger(session, typed->name); });
}

}  // namespace belay::cli
