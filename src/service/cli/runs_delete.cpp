// runs_delete.cpp — `belay runs delete`: runs that are over go, by id or by filter; their ids stay taken.
#include <memory>
#include <ostream>

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <boost/json.hpp>

#include <belay/error.hpp>

#include "core/store/store.hpp"
#include "service/cli/command.hpp"
#include "service/cli/find_run.hpp"
#include "service/cli/run_filter.hpp"

namespace belay::cli {

namespace {

constexpr Duration kLookEvery{50};
constexpr Duration kAnswerMax{10'000};
constexpr std::size_t kIdsPerBatch = 100;

struct Deleted {
    std::vector<std::string> gone{};
    std::vector<std::pair<std::string, std::string>> refused{};
};

// Nobody executes: we do, for a moment.
Deleted delete_here(store::Store& store, const std::vector<std::string>& ids, Time now) {
    Deleted deleted;
    for (std::size_t from = 0; from < ids.size(); from += kIdsPerBatch) {
        const std::size_t to = std::min(ids.size(), from + kIdsPerBatch);
        store::Prune prune;
        prune.run_ids.assign(ids.begin() + static_cast<std::ptrdiff_t>(from),
                             ids.begin() + static_cast<std::ptrdiff_t>(to));
        store::Batch batch;
        batch.now = now;
        batch.verbs.emplace_back(std::move(prune));
        store.commit(batch);
        const auto& outcome = std::get<store::Prune>(batch.verbs.front()).outcome;
        for (const model::Run& run : outcome.deleted) deleted.gone.push_back(run.id);
        for (const auto& refused : outcome.refused) deleted.refused.push_back(refused);
    }
    store.collect_garbage();
    return deleted;
}

// The process that executes is asked for each, and answers.
Deleted ask_to_delete(store::Store& store, const std::vector<std::string>& ids, Time now,
                      const std::function<void(Duration)>& nap) {
    std::vector<std::pair<std::string, std::int64_t>> asked;
    for (const std::string& id : ids) {
        store::ControlRequest request;
        request.kind = "delete";
        request.run_id = id;
        request.created_at = now;
        asked.emplace_back(id, store.ask(request));
    }
    Deleted deleted;
    Duration waited{0};
    for (const auto& [id, request] : asked) {
        auto answer = store.answer(request);
        for (; !answer && waited < kAnswerMax; waited += kLookEvery) {
            nap(kLookEvery);
            answer = store.answer(request);
        }
        if (!answer) {
            deleted.refused.emplace_back(
                id,
                "the process that executes on this store did not answer; what was asked "
                "is recorded, and is done when it comes to it");
        } else if (answer->ok) {
            deleted.gone.push_back(id);
        } else {
            deleted.refused.emplace_back(id, answer->text);
        }
    }
    return deleted;
}

std::vector<std::string> ids_like(store::Store& store, store::RunFilter filter) {
    std::vector<std::string> ids;
    filter.limit = 1000;
    while (true) {
        const store::RunPage page = store.list_runs(filter);
        for (const model::Run& run : page.runs) {
            if (is_finished(run.status)) ids.push_back(run.id);
        }
        if (!page.next) return ids;
        filter.before = page.next;
    }
}

ExitCode tell(const Session& session, const Deleted& deleted) {
    const ExitCode code = deleted.refused.empty() ? ExitCode::Ok : ExitCode::Failed;
    if (session.json) {
        boost::json::array gone;
        for (const std::string& id : deleted.gone) gone.emplace_back(id);
        boost::json::array refused;
        for (const auto& [id, why] : deleted.refused)
            refused.push_back(boost::json::object{{"id", id}, {"error", why}});
        session.world.screen.out << boost::json::serialize(
                                        boost::json::object{{"deleted", std::move(gone)},
                                                            {"refused", std::move(refused)}})
                                 << '\n';
        return code;
    }
    for (const auto& [id, why] : deleted.refused) session.world.errors << plain(why) << ".\n";
    session.world.screen.out << fmt::format("{} run{} deleted. Their ids stay taken.\n",
                                            deleted.gone.size(),
                                            deleted.gone.size() == 1 ? "" : "s");
    return code;
}

}  // namespace

void add_runs_delete(CLI::App& runs, Session& session) {
    struct Options {
        std::vector<std::string> ids;
        FilterOptions filter;
        bool dry_run = false;
    };
    const auto options = std::make_shared<Options>();
    CLI::App* command = add_command(
        runs, "delete", "Delete the records of runs that are over; their ids stay taken",
        "belay runs delete --workflow INVOICE --ended-until 30d --dry-run");
    command->add_option("ID", options->ids, kRunIdHelp);
    add_filter_options(*command, options->filter);
    command->add_flag("--dry-run", options->dry_run, "say how many, and delete none");
    add_json(*command, session);
    choose(*command, session, [options, &session] {
        const Place place = session.place();
        const store::RunFilter filter = filter_of(options->filter, session.now());
        if (options->ids.empty() == !is_narrowed(filter)) {
            throw Error(ErrorCode::InvalidArgument,
                        "name the runs to delete, or a filter such as --workflow X --ended-until "
                        "30d, and not both");
        }
        std::vector<std::string> ids;
        {
            const auto store = open_to_read(place);
            for (const std::string& typed : options->ids) ids.push_back(find_run(*store, typed).id);
            if (options->ids.empty()) ids = ids_like(*store, filter);
        }
        if (options->dry_run) {
            if (session.json) {
                session.world.screen.out
                    << boost::json::serialize(boost::json::object{{"would_delete", ids.size()}})
                    << '\n';
            } else {
                session.world.screen.out
                    << fmt::format("{} run{} that {} over would be deleted.\n", ids.size(),
                                   ids.size() == 1 ? "" : "s", ids.size() == 1 ? "is" : "are");
            }
            return ExitCode::Ok;
        }
        if (const auto own = take_over(place))
            return tell(session, delete_here(*own, ids, session.now()));
        return tell(session,
                    ask_to_delete(*open_to_read(place), ids, session.now(), session.world.nap));
    });
}

}  // namespace belay::cli
