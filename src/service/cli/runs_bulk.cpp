#include "service/cli/runs_bulk.hpp"

#include <ostream>

#include <fmt/format.h>
#include <boost/json.hpp>

#include <belay/error.hpp>

#include "core/library/host.hpp"
#include "service/cli/bulk_over_http.hpp"
#include "service/cli/find_run.hpp"
#include "service/cli/run_list_over_http.hpp"
#include "service/cli/runs_control.hpp"

namespace belay::cli {

namespace {

constexpr int kBatch = 100;
constexpr std::size_t kFirst = 10;
constexpr std::size_t kRefusalsTold = 10;
constexpr Duration kLookEvery{50};

// Calls `act` with the ids of one batch after the other, newest first.
void for_each_batch(store::Store& store, const Bulk& bulk,
                    const std::function<void(const std::vector<std::string>&)>& act) {
    store::RunFilter filter = bulk.filter;
    filter.limit = kBatch;
    do {
        const store::RunPage page = store.list_runs(filter);
        std::vector<std::string> ids;
        for (const model::Run& run : page.runs) {
            if (!bulk.kind || engine::may_be_asked(*bulk.kind, run)) ids.push_back(run.id);
        }
        if (!ids.empty()) act(ids);
        filter.before = page.next;
    } while (filter.before);
}

void act_here(store::Store& store, const Bulk& bulk, const std::vector<std::string>& ids, Time now,
              BulkOutcome& out) {
    if (!bulk.kind) {
        for (const std::string& id : ids) {
            try {
                fork_here(store, id, bulk.fork, now);
                ++out.done;
            } catch (const Error& error) {
                if (error.code() == ErrorCode::StoreUnavailable) throw;
                out.refused.emplace_back(id, error.what());
            }
        }
        return;
    }
    store::Batch batch;
    batch.now = now;
    for (const std::string& id : ids)
        batch.verbs.emplace_back(engine::control_of(store, id, *bulk.kind, bulk.reason));
    store.commit(batch);
    for (const store::Verb& verb : batch.verbs) {
        const auto& control = std::get<store::Control>(verb);
        const bool ok = control.outcome == store::ControlResult::Done ||
                        control.outcome == store::ControlResult::Requested;
        if (ok) {
            ++out.done;
        } else {
            out.refused.emplace_back(control.run_id,
                                     control.why.empty() ? "it is gone" : control.why);
        }
    }
}

}  // namespace

std::string_view word_of(const Bulk& bulk) { return bulk.kind ? word_of(*bulk.kind) : "fork"; }

std::string fork_here(store::Store& store, const std::string& run_id, const ForkOptions& options,
                      Time now) {
    if (options.input || !options.outputs.empty()) {
        throw Error(ErrorCode::InvalidArgument,
                    "an input or an output is let in by the workflow's code, and no program with "
                    "it executes on this store: start it, or fork one run by its ID");
    }
    std::string id;
    for (int n = 1; options.id.empty() && (id.empty() || store.find_run(id)); ++n)
        id = fmt::format("{}/fork-{}", run_id, n);
    const auto origin = store.find_run(run_id);
    ForkOptions kept = options;
    if (origin && !kept.id.empty()) kept.id = kept_run_id(store, origin->organization_id, kept.id);
    store::Batch batch;
    batch.now = now;
    batch.verbs.emplace_back(
        engine::fork_of(store, run_id, kept, id, origin ? origin->code_version : ""));
    store.commit(batch);
    const auto& outcome = std::get<store::Submit>(batch.verbs.front()).outcome;
    const auto* made = std::get_if<store::SubmitOutcome>(&outcome);
    // A fork is a new run: one that joins a run that is there has made none.
    if (made == nullptr || made->kind != store::SubmitKind::Created) {
        throw Error(ErrorCode::InputMismatch,
                    fmt::format("a run `{}` exists already; choose another --id", options.id));
    }
    return made->run.id;
}

BulkCount count_bulk(store::Store& store, const Bulk& bulk) {
    BulkCount count;
    for_each_batch(store, bulk, [&](const std::vector<std::string>& ids) {
        count.runs += static_cast<std::int64_t>(ids.size());
        for (const std::string& id : ids) {
            if (count.first.size() < kFirst) count.first.push_back(id);
        }
    });
    return count;
}

BulkOutcome bulk_here(store::Store& store, const Bulk& bulk, Time now) {
    BulkOutcome out;
    for_each_batch(store, bulk, [&](const std::vector<std::string>& ids) {
        act_here(store, bulk, ids, now, out);
    });
    return out;
}

BulkOutcome bulk_by_asking(store::Store& store, const Bulk& bulk, Time now, Duration at_most,
                           const std::function<void(Duration)>& nap) {
    BulkOutcome out;
    for_each_batch(store, bulk, [&](const std::vector<std::string>& ids) {
        std::vector<std::int64_t> asked;
        for (const std::string& id : ids) {
            store::ControlRequest request;
            request.kind = bulk.kind ? request_of(*bulk.kind) : word_of(bulk);
            request.run_id = id;
            request.payload = bulk.kind ? bulk.reason : engine::fork_request(bulk.fork);
            request.created_at = now;
            asked.push_back(store.ask(request));
        }
        Duration waited{0};
        for (std::size_t i = 0; i < asked.size(); ++i) {
            auto answer = store.answer(asked[i]);
            for (; !answer && waited < at_most; waited += kLookEvery) {
                nap(kLookEvery);
                answer = store.answer(asked[i]);
            }
            if (!answer) {
                ++out.unanswered;
            } else if (answer->ok) {
                ++out.done;
            } else {
                out.refused.emplace_back(ids[i], answer->text);
            }
        }
    });
    return out;
}

namespace {

ExitCode tell_count(Session& session, const Bulk& bulk, const BulkCount& count) {
    if (session.json) {
        boost::json::array first(count.first.begin(), count.first.end());
        session.world.screen.out << boost::json::serialize(
                                        boost::json::object{{"action", word_of(bulk)},
                                                            {"dry_run", true},
                                                            {"matched", count.runs},
                                                            {"first", std::move(first)}})
                                 << '\n';
        return ExitCode::Ok;
    }
    session.world.screen.out << plain(fmt::format("{} of {} would be asked to {}.", count.runs,
                                                  in_words(bulk.filter), word_of(bulk)))
                             << '\n';
    for (const std::string& id : count.first) session.world.screen.out << "  " << plain(id) << '\n';
    if (count.runs > static_cast<std::int64_t>(count.first.size()))
        session.world.screen.out << "  …\n";
    return ExitCode::Ok;
}

ExitCode tell_outcome(Session& session, const Bulk& bulk, const BulkOutcome& outcome) {
    const auto refused = static_cast<std::int64_t>(outcome.refused.size());
    const ExitCode code = outcome.unanswered > 0 ? ExitCode::NoStore
                          : refused > 0          ? ExitCode::Failed
                                                 : ExitCode::Ok;
    if (session.json) {
        boost::json::array refusals;
        for (const auto& [id, why] : outcome.refused)
            refusals.push_back(boost::json::object{{"id", id}, {"why", why}});
        session.world.screen.out << boost::json::serialize(
                                        boost::json::object{{"action", word_of(bulk)},
                                                            {"dry_run", false},
                                                            {"done", outcome.done},
                                                            {"refused", refused},
                                                            {"unanswered", outcome.unanswered},
                                                            {"refusals", std::move(refusals)}})
                                 << '\n';
        return code;
    }
    auto& out = session.world.screen.out;
    out << fmt::format("{}: {} done, {} refused.\n", word_of(bulk), outcome.done, refused);
    std::size_t told = 0;
    for (const auto& [id, why] : outcome.refused) {
        if (told++ == kRefusalsTold) {
            out << "  …\n";
            break;
        }
        out << plain(fmt::format("  {}: {}", id, why)) << '\n';
    }
    if (outcome.unanswered > 0) {
        out << fmt::format(
            "{} were not answered yet: they are recorded, and handled when the process that "
            "executes comes to them.\n",
            outcome.unanswered);
    }
    return code;
}

}  // namespace

ExitCode run_bulk(Session& session, const Bulk& bulk, bool dry_run, Duration at_most) {
    if (const auto remote = remote_for(session, bulk.filter.organization_id)) {
        return dry_run ? tell_count(session, bulk, count_remote_bulk(*remote, bulk))
                       : tell_outcome(session, bulk, bulk_by_server(*remote, bulk));
    }
    const Place place = session.place();
    if (dry_run) return tell_count(session, bulk, count_bulk(*open_to_read(place), bulk));
    BulkOutcome outcome;
    if (const auto own = take_over(place)) {
        outcome = bulk_here(*own, bulk, session.now());
    } else {
        const auto store = open_to_read(place);
        outcome = bulk_by_asking(*store, bulk, session.now(), at_most, session.world.nap);
    }
    return tell_outcome(session, bulk, outcome);
}

}  // namespace belay::cli
