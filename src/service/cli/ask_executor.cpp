#include "service/cli/ask_executor.hpp"

#include <fmt/format.h>

#include <belay/error.hpp>

#include "service/api/tables.hpp"

namespace belay::cli {

namespace {

constexpr Duration kLookEvery{50};
constexpr Duration kWaitForAnswer{10'000};

std::string asked(store::Store& store, const std::string& kind, const std::string& payload,
                  const Session& session) {
    store::ControlRequest request;
    request.kind = kind;
    request.payload = payload;
    request.created_at = session.now();
    const std::int64_t id = store.ask(request);
    auto answer = store.answer(id);
    for (Duration waited{0}; !answer && waited < kWaitForAnswer; waited += kLookEvery) {
        session.world.nap(kLookEvery);
        answer = store.answer(id);
    }
    if (!answer) {
        throw Error(
            ErrorCode::StoreUnavailable,
            "the process that executes on this store did not answer; the request is recorded, and "
            "handled when that process comes to it");
    }
    if (answer->ok) return answer->text;
    if (answer->text.starts_with("unknown request")) {
        throw Error(
            ErrorCode::StoreLocked,
            fmt::format("a program that knows no {} executes on this store; stop it, or ask "
                        "when `belay serve` runs on it",
                        kind));
    }
    throw Error(ErrorCode::NotFound, answer->text);
}

}  // namespace

std::string ask_executor(const Session& session, const Place& place, const std::string& kind,
                         const std::string& payload) {
    return asked(*open_to_read(place), kind, payload, session);
}

std::string ask_or_do(const Session& session, const std::string& kind, const std::string& payload,
                      const store::Migrations& tables,
                      const std::function<std::string(Tx&)>& body) {
    const Place place = session.place();
    const auto own = take_over(place);
    if (!own) return ask_executor(session, place, kind, payload);
    own->migrate(tables);
    api::StoreTables rows{*own, session.world.clock};
    std::string answer;
    rows.transact([&](Tx& tx) { answer = body(tx); });
    return answer;
}

}  // namespace belay::cli
