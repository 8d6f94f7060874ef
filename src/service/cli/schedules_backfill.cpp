// schedules_backfill.cpp — `belay schedules backfill`: runs of past ticks, or how many they would be.
#include <memory>
#include <ostream>
#include <string>

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <boost/json.hpp>

#include <belay/error.hpp>

#include "core/base/limits.hpp"
#include "core/base/text.hpp"
#include "core/library/host.hpp"
#include "core/model/queue_json.hpp"
#include "service/cli/ask.hpp"
#include "service/cli/command.hpp"
#include "service/cli/operations_over_http.hpp"
#include "service/cli/schedules.hpp"
#include "service/cli/words.hpp"

namespace belay::cli {

namespace {

struct Typed {
    std::string name, from, to;
    int limit = BackfillOptions{}.limit;
    bool dry_run = false;
};

// A moment, or a day, which begins at midnight UTC.
Time parse_moment(const char* option, const std::string& text) {
    const auto time = base::parse_time(text.size() == 10 ? text + "T00:00:00Z" : text);
    if (time) return *time;
    throw Error(ErrorCode::InvalidArgument,
                fmt::format("{} `{}` is no time; give one such as 2026-11-15 or "
                            "2026-11-15T20:00:00Z",
                            option, plain(text)));
}

BackfillReport made(Session& session, const belay::detail::BackfillRequest& request) {
    const auto remote = session.remote();
    if (!remote) return backfill(session, request);
    const auto answer =
        remote->post(fmt::format("/api/schedules/{}/backfill", in_url(request.name)),
                     boost::json::object{{"from", base::format_time(request.from)},
                                         {"to", base::format_time(request.to)},
                                         {"limit", request.options.limit},
                                         {"dry_run", request.options.dry_run}});
    return backfill_in(answer.as_object());
}

std::string sentence_of(const std::string& name, const BackfillReport& report, bool dry_run) {
    if (report.ticks == 0)
        return fmt::format("Schedule {} has no tick in that span that is due.", name);
    std::string text =
        fmt::format("Schedule {} has {} tick{} from {} to {}: {} run{} {}, {} there already.", name,
                    report.ticks, report.ticks == 1 ? "" : "s", base::format_time(*report.first),
                    base::format_time(*report.last), report.started, report.started == 1 ? "" : "s",
                    dry_run ? "would be started" : "started", report.there);
    if (report.taken > 0) {
        text += fmt::format(" {} {} an id that another run has: nothing was started there.",
                            report.taken, report.taken == 1 ? "has" : "have");
    }
    if (report.next)
        text += fmt::format(" There are more: --from {}.", base::format_time(*report.next));
    return text;
}

ExitCode run(Session& session, const Typed& typed) {
    belay::detail::BackfillRequest request;
    request.name = typed.name;
    request.from = parse_moment("--from", typed.from);
    request.to = typed.to.empty() ? session.now() : parse_moment("--to", typed.to);
    request.options = {typed.limit, typed.dry_run};
    const BackfillReport report = made(session, request);
    session.world.screen.out << (session.json
                                     ? boost::json::serialize(model::backfill_json(report))
                                     : plain(sentence_of(typed.name, report, typed.dry_run)))
                             << '\n';
    return ExitCode::Ok;
}

}  // namespace

void add_backfill(CLI::App& schedules, Session& session) {
    const auto typed = std::make_shared<Typed>();
    CLI::App* command = add_command(
        schedules, "backfill", "Start the runs of past ticks, each at most once, or count them",
        "belay schedules backfill nightly --from 2026-10-01 --to 2026-11-01 --dry-run");
    command->add_option("NAME", typed->name, "as `belay schedules list` shows it")->required();
    command->add_option("--from", typed->from, "the first moment, or day (UTC)")->required();
    command->add_option("--to", typed->to, "no tick from this moment on (default: now)");
    command->add_option("--limit", typed->limit, "the oldest so many")
        ->check(CLI::Range(1, base::kBackfillTicksMax))
        ->capture_default_str();
    command->add_flag("--dry-run", typed->dry_run, "only say how many");
    add_json(*command, session);
    choose(*command, session, [typed, &session] { return run(session, *typed); });
}

}  // namespace belay::cli
