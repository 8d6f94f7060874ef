#include "service/cli/queues.hpp"

#include <algorithm>
#include <charconv>
#include <memory>
#include <ostream>

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <boost/json.hpp>

#include <belay/error.hpp>

#include "core/base/duration_text.hpp"
#include "core/base/text.hpp"
#include "core/model/queue.hpp"
#include "core/model/queue_json.hpp"
#include "service/cli/ask.hpp"
#include "service/cli/command.hpp"
#include "service/cli/operations_over_http.hpp"
#include "service/cli/table.hpp"
#include "service/cli/words.hpp"

namespace belay::cli {

namespace {

using Request = belay::detail::QueueRequest;

constexpr const char* kNone = "none";

Queues queues_of(const Session& session) {
    if (const auto remote = session.remote()) return {remote_queues(*remote), remote->url()};
    const auto store = open_to_read(session.place());
    return {store->queues(session.now(), ""), store->name()};
}

QueueInfo find_queue(const std::vector<QueueInfo>& queues, const std::string& name) {
    const auto found = std::find_if(queues.begin(), queues.end(),
                                    [&](const QueueInfo& q) { return q.name == name; });
    if (found != queues.end()) return *found;
    std::vector<std::string> names;
    for (const QueueInfo& queue : queues) names.push_back(queue.name);
    const auto near = nearest(name, names);
    throw Error(
        ErrorCode::NotFound,
        fmt::format("there is no queue `{}`{}", name,
                    near            ? fmt::format("; did you mean `{}`?", *near)
                    : names.empty() ? "; none was made yet"
                                    : fmt::format("; there are: {}", fmt::join(names, ", "))));
}

int parse_count(const char* option, const std::string& text) {
    int value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error == std::errc{} && end == text.data() + text.size()) return value;
    throw Error(ErrorCode::InvalidArgument,
                fmt::format("{} `{}` is not a number; give one, or none to lift the limit", option,
                            plain(text)));
}

void set_count(const char* option, const std::string& text, std::optional<int>& limit) {
    if (text.empty()) return;
    limit = text == kNone ? std::nullopt : std::optional(parse_count(option, text));
}

ExitCode told(Session& session, const std::string& name, const std::string& sentence) {
    if (session.json) {
        const auto store = open_to_read(session.place());
        const auto queues = store->queues(session.now(), "");
        const auto found = std::find_if(queues.begin(), queues.end(),
                                        [&](const QueueInfo& q) { return q.name == name; });
        session.world.screen.out << boost::json::serialize(
                                        found == queues.end()
                                            ? boost::json::object{{"name", name}, {"removed", true}}
                                            : model::queue_json(*found))
                                 << '\n';
    } else {
        session.world.screen.out << plain(sentence) << '\n';
    }
    return ExitCode::Ok;
}

struct SetOptions {
    std::string name;
    std::string concurrency;
    std::string per_worker;
    std::string rate;
};

void read_into(const SetOptions& options, QueueLimits& limits) {
    set_count("--concurrency", options.concurrency, limits.concurrency);
    set_count("--per-worker", options.per_worker, limits.concurrency_per_worker);
    if (options.rate == kNone) limits.rate.reset();
    if (!options.rate.empty() && options.rate != kNone) limits.rate = parse_rate(options.rate);
}

std::string limits_sentence(const std::string& name, const QueueLimits& limits) {
    return fmt::format("Queue {}: {}.", name, model::limits_text(limits));
}

ExitCode answered(const Session& session, const boost::json::object& queue,
                  const std::string& sentence) {
    if (session.json) {
        session.world.screen.out << boost::json::serialize(queue) << '\n';
    } else {
        session.world.screen.out << plain(sentence) << '\n';
    }
    return ExitCode::Ok;
}

// Only what was typed is sent: the server leaves the rest as it is.
boost::json::object limits_body(const SetOptions& options) {
    QueueLimits limits;
    read_into(options, limits);
    const auto count = [](const std::optional<int>& one) {
        return one ? boost::json::value(*one) : boost::json::value(nullptr);
    };
    boost::json::object body;
    if (!options.concurrency.empty()) body["concurrency"] = count(limits.concurrency);
    if (!options.per_worker.empty())
        body["concurrency_per_worker"] = count(limits.concurrency_per_worker);
    if (options.rate.empty()) return body;
    body["rate"] = nullptr;
    if (limits.rate)
        body["rate"] = boost::json::object{{"starts", limits.rate->starts},
                                           {"period_ms", limits.rate->period.count()}};
    return body;
}

ExitCode set_by_server(const Session& session, const ServerClient& remote,
                       const SetOptions& options) {
    const auto answer = remote.post(fmt::format("/api/queues/{}/limits", in_url(options.name)),
                                    limits_body(options));
    return answered(session, answer.as_object(),
                    limits_sentence(options.name, queue_in(answer.as_object()).limits));
}

// What is left out stays as it is.
ExitCode set_queue(Session& session, const SetOptions& options) {
    Request request;
    request.what = Request::What::Set;
    request.name = options.name;
    try {
        const auto store = open_to_read(session.place());
        for (const QueueInfo& queue : store->queues(session.now(), "")) {
            if (queue.name == options.name) request.limits = queue.limits;
        }
    } catch (const Error& error) {
        // Nothing has been kept there yet: then it has no queues, and is made.
        if (error.code() != ErrorCode::StoreUnavailable) throw;
    }
    read_into(options, request.limits);
    change(session, request);
    return told(session, options.name, limits_sentence(options.name, request.limits));
}

std::string sentence_about(Request::What what, const std::string& name) {
    switch (what) {
        case Request::What::Pause:
            return fmt::format(
                "Queue {} is paused: what runs goes on, nothing else begins until `belay queues "
                "resume "
                "{}`.",
                name, name);
        case Request::What::Resume:
            return fmt::format("Queue {} goes on.", name);
        default:
            return fmt::format("Queue {} is removed.", name);
    }
}

ExitCode ask(Session& session, Request::What what, const std::string& name,
             const std::string& reason) {
    const auto remote = session.remote();
    if (remote && what != Request::What::Remove) {
        boost::json::object body;
        if (!reason.empty()) body["reason"] = reason;
        const auto answer =
            remote->post(fmt::format("/api/queues/{}/{}", in_url(name),
                                     what == Request::What::Pause ? "pause" : "resume"),
                         body);
        return answered(session, answer.as_object(), sentence_about(what, name));
    }
    find_queue(open_to_read(session.place())->queues(session.now(), ""), name);
    Request request;
    request.what = what;
    request.name = name;
    request.reason = reason;
    change(session, request);
    return told(session, name, sentence_about(what, name));
}

std::string state_of(const QueueInfo& queue) {
    if (queue.paused) return "paused";
    return queue.limits.concurrency == 0 ? "closed" : "open";
}

}  // namespace

RateLimit parse_rate(const std::string& text) {
    const auto slash = text.find('/');
    if (slash != std::string::npos) {
        int starts = 0;
        const char* last = text.data() + slash;
        const auto [end, error] = std::from_chars(text.data(), last, starts);
        const auto period = base::parse_duration(text.substr(slash + 1));
        if (error == std::errc{} && end == last && period) return {starts, *period};
    }
    throw Error(ErrorCode::InvalidArgument,
                fmt::format("--rate `{}` is not a rate; give starts and a period, such as 100/1m "
                            "or 5/1s, or none to "
                            "lift the limit",
                            plain(text)));
}

ExitCode list_queues(const Queues& queues, Time now, const Screen& screen, bool json) {
    if (json) {
        boost::json::array rows;
        for (const QueueInfo& queue : queues.all) rows.push_back(model::queue_json(queue));
        screen.out << boost::json::serialize(boost::json::object{{"queues", std::move(rows)}})
                   << '\n';
        return ExitCode::Ok;
    }
    if (queues.all.empty()) {
        screen.out
            << "No queues in " << plain(queues.where)
            << " yet. Make one with engine.queue(\"NAME\", limits) or `belay queues set NAME`.\n";
        return ExitCode::Ok;
    }
    Table table{{{"QUEUE", 10},
                 {"STATE"},
                 {"LIMITS", 12},
                 {"IN LINE", 0, true},
                 {"RUNNING", 0, true},
                 {"WAITING", 0, true},
                 {"DELAYED", 0, true},
                 {"OLDEST", 0, true}}};
    for (const QueueInfo& queue : queues.all) {
        const std::string state = state_of(queue);
        table.row({{queue.name},
                   {state, state == "open" ? Style::Good : Style::Warn},
                   {model::limits_text(queue.limits)},
                   {std::to_string(queue.in_line)},
                   {std::to_string(queue.running)},
                   {std::to_string(queue.waiting)},
                   {std::to_string(queue.delayed)},
                   {duration_text(queue.oldest_at, std::nullopt, now)}});
    }
    table.print(screen);
    return ExitCode::Ok;
}

ExitCode show_queue(const Queues& queues, const std::string& name, Time now, const Screen& screen,
                    bool json) {
    const QueueInfo queue = find_queue(queues.all, name);
    if (json) {
        screen.out << boost::json::serialize(model::queue_json(queue)) << '\n';
        return ExitCode::Ok;
    }
    const auto line = [&](const char* title, const std::string& text) {
        screen.out << fmt::format("{:<11}{}\n", title, plain(text));
    };
    line("queue", queue.name);
    line("state", queue.paused && !queue.pause_reason.empty()
                      ? state_of(queue) + ": " + queue.pause_reason
                      : state_of(queue));
    line("limits", model::limits_text(queue.limits));
    line("in line", queue.in_line == 0
                        ? "0"
                        : fmt::format("{}, the oldest for {}", queue.in_line,
                                      duration_text(queue.oldest_at, std::nullopt, now)));
    line("running", std::to_string(queue.running));
    line("waiting",
         fmt::format("{} for a timer, a message or a child; they hold no slot", queue.waiting));
    line("delayed", std::to_string(queue.delayed));
    line("paused", fmt::format("{} of its runs", queue.paused_runs));
    if (queue.limits.rate) {
        line("tokens",
             fmt::format("{} of {} left in this {}", queue.tokens_left, queue.limits.rate->starts,
                         base::format_duration(queue.limits.rate->period)));
    }
    return ExitCode::Ok;
}

void add_queues(CLI::App& app, Session& session) {
    CLI::App* queues =
        app.add_subcommand("queues", "Look at queues, and change their limits while they work");
    queues->require_subcommand(0, 1);
    queues->footer(
        "Example:\n  belay queues set uploads --concurrency 8 --rate 100/1m\n\n"
        "Without a command it lists the queues. Changes take effect at once, without a restart.");

    const auto list = [&session] {
        return list_queues(queues_of(session), session.now(), session.world.screen, session.json);
    };
    CLI::App* all = add_command(*queues, "list", "The queues, their limits and who waits in them",
                                "belay queues list");
    add_json(*all, session);
    choose(*all, session, list);
    add_json(*queues, session);
    queues->callback([list, &session] {
        if (!session.chosen) session.chosen = list;
    });

    const auto name = std::make_shared<std::string>();
    CLI::App* show = add_command(*queues, "show", "One queue", "belay queues show uploads");
    show->add_option("NAME", *name, "as `belay queues list` shows it")->required();
    add_json(*show, session);
    choose(*show, session, [name, &session] {
        return show_queue(queues_of(session), *name, session.now(), session.world.screen,
                          session.json);
    });

    const auto options = std::make_shared<SetOptions>();
    CLI::App* set =
        add_command(*queues, "set", "Make a queue, or change limits of one; the others stay",
                    "belay queues set uploads --concurrency 8 --per-worker 2 --rate 100/1m");
    set->add_option("NAME", options->name, "letters, digits, `.`, `-` and `_`")->required();
    set->add_option("--concurrency", options->concurrency,
                    "runs at once over all workers; 0 lets none begin, none lifts the limit");
    set->add_option("--per-worker", options->per_worker, "runs at once in one worker, or none");
    set->add_option("--rate", options->rate, "starts per period, such as 100/1m, or none");
    add_json(*set, session);
    choose(*set, session, [options, &session] {
        if (const auto remote = session.remote()) return set_by_server(session, *remote, *options);
        return set_queue(session, *options);
    });

    const auto reason = std::make_shared<std::string>();
    const auto add_ask = [&](const char* word, Request::What what, const char* description) {
        CLI::App* command =
            add_command(*queues, word, description, fmt::format("belay queues {} uploads", word));
        command->add_option("NAME", *name, "as `belay queues list` shows it")->required();
        if (what == Request::What::Pause)
            command->add_option("--reason", *reason, "shown to whoever waits");
        add_json(*command, session);
        choose(*command, session,
               [what, name, reason, &session] { return ask(session, what, *name, *reason); });
    };
    add_ask("pause", Request::What::Pause, "Let no more runs of a queue begin or go on");
    add_ask("resume", Request::What::Resume, "Let a paused queue go on");
    add_ask("remove", Request::What::Remove, "Remove a queue that has no unfinished runs");
}

}  // namespace belay::cli
