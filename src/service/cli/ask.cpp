#include "service/cli/ask.hpp"

#include <filesystem>

#include <belay/error.hpp>

#include "core/library/host.hpp"
#include "service/cli/command.hpp"
#include "service/cli/data_folder.hpp"

namespace belay::cli {

namespace {

constexpr Duration kLookEvery{50};
constexpr Duration kWaitForAnswer{10'000};

template <class Change>
void commit(store::Store& store, Time now, Change change) {
    store::Batch batch;
    batch.now = now;
    batch.verbs.emplace_back(std::move(change));
    store.commit(batch);
    engine::throw_unless_done(std::get<Change>(batch.verbs.front()));
}

template <class Request>
void make(Session& session, const Request& request, const char* kind) {
    const Place place = session.place();
    make_data_folder(place);
    if (const auto own = take_over(place)) return change_here(*own, session.now(), request);
    const auto store = open_to_read(place);
    std::string run_id;
    if constexpr (requires { request.run_id; }) run_id = request.run_id;
    ask_executor(*store, session.now(), kind, engine::to_payload(request), session.world.nap,
                 run_id);
}

}  // namespace

std::string ask_executor(store::Store& store, Time now, const std::string& kind,
                         const std::string& payload, const std::function<void(Duration)>& nap,
                         const std::string& run_id) {
    store::ControlRequest asked;
    asked.kind = std::string(engine::kCoded) + kind;
    asked.run_id = run_id;
    asked.payload = payload;
    asked.created_at = now;
    const std::int64_t id = store.ask(asked);
    auto answer = store.answer(id);
    for (Duration waited{0}; !answer && waited < kWaitForAnswer; waited += kLookEvery) {
        nap(kLookEvery);
        answer = store.answer(id);
    }
    if (!answer) {
        throw Error(ErrorCode::StoreUnavailable,
                    "the process that executes on this store did not answer; the request is "
                    "recorded, and handled "
                    "when that process comes to it");
    }
    if (!answer->ok) throw engine::refusal_of(answer->text);
    return std::move(answer->text);
}

void change_here(store::Store& store, Time now, const belay::detail::QueueRequest& request) {
    commit(store, now, engine::change_of(request));
}

void change_here(store::Store& store, Time now, const belay::detail::ScheduleRequest& request) {
    env::TimeZones zones;
    commit(store, now, engine::change_of(request, zones, EngineOptions{}.organization_id));
}

BackfillReport backfill_here(store::Store& store, Time now,
                             const belay::detail::BackfillRequest& request) {
    env::TimeZones zones;
    const auto rows = store.schedules();
    // No code is here: what somebody from outside has put in is asked about where it is.
    engine::Backfill planned = engine::plan_backfill(request, rows, zones, now, "");
    engine::admit(planned, {}, rows);
    store::Batch batch;
    batch.now = now;
    batch.verbs.emplace_back(engine::transact_of(std::move(planned)));
    store.commit(batch);
    return engine::report_of(std::get<store::Transact>(batch.verbs.front()));
}

BackfillReport backfill(Session& session, const belay::detail::BackfillRequest& request) {
    const Place place = session.place();
    make_data_folder(place);
    if (const auto own = take_over(place)) return backfill_here(*own, session.now(), request);
    const auto store = open_to_read(place);
    return engine::backfill_report(ask_executor(*store, session.now(), engine::kBackfillRequest,
                                                engine::to_payload(request), session.world.nap));
}

void change_here(store::Store& store, Time now, const belay::detail::BudgetRequest& request) {
    commit(store, now, engine::change_of(request, EngineOptions{}.organization_id));
}

void change_here(store::Store& store, Time now, const belay::detail::ApprovalRequest& request) {
    store::Batch batch;
    batch.now = now;
    store::Control resume =
        engine::control_of(store, request.run_id, store::ControlKind::Resume, "");
    resume.approves = engine::approval_of(request, EngineOptions{}.organization_id);
    batch.verbs.emplace_back(std::move(resume));
    store.commit(batch);
    const auto& done = std::get<store::Control>(batch.verbs.front());
    if (done.outcome == store::ControlResult::NotFound) {
        throw Error(ErrorCode::NotFound, "there is no run with id `" + request.run_id + "`");
    }
    if (done.outcome == store::ControlResult::Refused)
        throw Error(ErrorCode::InvalidArgument, done.why);
}

void change(Session& session, const belay::detail::QueueRequest& request) {
    make(session, request, engine::kQueueRequest);
}

void change(Session& session, const belay::detail::ScheduleRequest& request) {
    make(session, request, engine::kScheduleRequest);
}

void change(Session& session, const belay::detail::BudgetRequest& request) {
    make(session, request, engine::kBudgetRequest);
}

void change(Session& session, const belay::detail::ApprovalRequest& request) {
    make(session, request, engine::kApprovalRequest);
}

}  // namespace belay::cli
