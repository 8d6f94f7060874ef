#include "service/cli/runs_send.hpp"

#include <memory>
#include <ostream>

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <boost/json.hpp>

#include <belay/error.hpp>

#include "core/base/text.hpp"
#include "core/library/host.hpp"
#include "service/cli/command.hpp"
#include "service/cli/find_run.hpp"
#include "service/cli/runs_over_http.hpp"
#include "service/cli/table.hpp"
#include "service/cli/words.hpp"

namespace belay::cli {

namespace {

constexpr Duration kLookEvery{50};
constexpr int kMessagesShown = 1000;

model::NewMessage message_of(const Sending& sending, Time now) {
    boost::json::error_code error;
    boost::json::parse(sending.payload, error);
    if (error) {
        throw Error(ErrorCode::InvalidArgument,
                    fmt::format("`{}` is not JSON ({}); a text needs its quotes: '\"yes\"'",
                                plain(sending.payload), error.message()));
    }
    SendOptions options;
    options.dedupe_key = sending.dedupe_key;
    return engine::new_message(sending.run_id, sending.topic, sending.payload, options,
                               sending.organization_id, now);
}

[[noreturn]] void refused(const Sending& sending, const std::string& why) {
    throw Error(ErrorCode::RunFailed,
                fmt::format("the message to {} was refused: {}", sending.run_id, why));
}

std::string state_of(const model::Message& message, Time now) {
    if (!message.misfit.empty()) return "kept aside: " + message.misfit;
    if (message.read_at) return "read";
    if (message.expires_at && *message.expires_at <= now) return "expired";
    return "unread";
}

}  // namespace

std::optional<std::string> send_here(store::Store& store, const Sending& sending, Time now) {
    store::Batch batch;
    batch.now = now;
    store::Send send;
    send.message = message_of(sending, now);
    batch.verbs.emplace_back(std::move(send));
    store.commit(batch);
    const auto& sent = std::get<store::Send>(batch.verbs.front());
    if (sent.outcome == store::SendResult::Refused) refused(sending, sent.why);
    return sent.outcome == store::SendResult::Sent ? "sent" : "duplicate";
}

std::optional<std::string> ask_to_send(store::Store& store, const Sending& sending, Time now,
                                       Duration at_most, const std::function<void(Duration)>& nap) {
    message_of(sending, now);  // refused here rather than there
    store::ControlRequest request;
    request.kind = "send";
    request.run_id = sending.run_id;
    request.payload =
        boost::json::serialize(boost::json::object{{"topic", sending.topic},
                                                   {"payload", sending.payload},
                                                   {"dedupe_key", sending.dedupe_key},
                                                   {"organization_id", sending.organization_id}});
    request.created_at = now;
    const std::int64_t asked = store.ask(request);
    auto answer = store.answer(asked);
    for (Duration waited{0}; !answer && waited < at_most; waited += kLookEvery) {
        nap(kLookEvery);
        answer = store.answer(asked);
    }
    if (!answer) return std::nullopt;
    if (!answer->ok) refused(sending, answer->text);
    return answer->text;
}

ExitCode list_messages(store::Store& store, const std::string& run_id, Time now,
                       const Screen& screen) {
    const auto messages = store.messages(run_id, kMessagesShown);
    if (messages.empty()) {
        screen.out << "No message was sent to " << plain(run_id) << ".\n";
        return ExitCode::Ok;
    }
    Table table{{{"SENT"}, {"TOPIC", 8}, {"STATE"}, {"PAYLOAD", 12}}};
    for (const model::Message& message : messages) {
        table.row({{base::format_time(message.created_at)},
                   {message.topic},
                   {state_of(message, now)},
                   {message.payload.value_or("-")}});
    }
    table.print(screen);
    return ExitCode::Ok;
}

ExitCode list_messages_json(store::Store& store, const std::string& run_id, const Screen& screen) {
    boost::json::array rows;
    for (const model::Message& message : store.messages(run_id, kMessagesShown)) {
        boost::json::value payload = nullptr;
        boost::json::error_code error;
        if (message.payload) payload = boost::json::parse(*message.payload, error);
        const auto time = [](const std::optional<Time>& at) {
            return at ? boost::json::value(base::format_time(*at)) : boost::json::value(nullptr);
        };
        rows.push_back(boost::json::object{
            {"topic", message.topic},
            {"payload", std::move(payload)},
            {"created_at", time(message.created_at)},
            {"expires_at", time(message.expires_at)},
            {"read_at", time(message.read_at)},
            {"misfit", message.misfit.empty() ? boost::json::value(nullptr)
                                              : boost::json::value(message.misfit)}});
    }
    screen.out << boost::json::serialize(boost::json::object{{"messages", std::move(rows)}})
               << '\n';
    return ExitCode::Ok;
}

namespace {

ExitCode send(Session& session, Sending sending, Duration at_most) {
    if (const auto remote = session.remote()) {
        message_of(sending, session.now());  // refused here rather than there
        return send_remote(*remote, sending, session.json, session.world.screen);
    }
    const Place place = session.place();
    bool exists = false;
    {
        const auto store = open_to_read(place);
        // It may be sent before its run exists; then the id is taken as typed.
        std::optional<model::Run> run = store->find_run(sending.run_id);
        if (run && sending.organization_id.empty()) sending.organization_id = run->organization_id;
        if (sending.organization_id.empty())
            sending.organization_id = EngineOptions{}.organization_id;
        sending.run_id = kept_run_id(*store, sending.organization_id, sending.run_id);
        exists = store->find_run(sending.run_id).has_value();
    }
    std::optional<std::string> done;
    const auto own = take_over(place);
    if (own) {
        done = send_here(*own, sending, session.now());
    } else {
        const auto store = open_to_read(place);
        done = ask_to_send(*store, sending, session.now(), at_most, session.world.nap);
    }
    if (!done) {
        session.world.errors << "The process that executes on this store did not answer. The "
                                "message is recorded: it "
                                "is sent when that process comes to it.\n";
        return ExitCode::NoStore;
    }
    auto& out = session.world.screen.out;
    if (session.json) {
        out << boost::json::serialize(boost::json::object{{"id", sending.run_id},
                                                          {"topic", sending.topic},
                                                          {"outcome", *done},
                                                          {"exists", exists}})
            << '\n';
        return ExitCode::Ok;
    }
    out << plain(*done == "duplicate"
                     ? fmt::format(
                           "A message with this key was sent to {} before; it is not sent twice.",
                           sending.run_id)
                     : fmt::format(
                           "Sent to {}, topic {}.{}", sending.run_id, sending.topic,
                           exists ? "" : " There is no run of that id yet: it is kept for a week."))
        << '\n';
    return ExitCode::Ok;
}

}  // namespace

void add_runs_send(CLI::App& runs, Session& session) {
    struct Options {
        Sending sending;
        int wait_seconds = 10;
    };
    const auto options = std::make_shared<Options>();
    CLI::App* command =
        add_command(runs, "send", "Send a message to a run, which it receives once",
                    "belay runs send train/1 answer '{\"approved\": true, \"comment\": \"\"}'");
    command->add_option("ID", options->sending.run_id, "the run's id, whole; it need not exist yet")
        ->required();
    command
        ->add_option("TOPIC", options->sending.topic,
                     "what it is about, as the workflow receives it")
        ->required();
    command->add_option("JSON", options->sending.payload, "the message")->required();
    command->add_option("--key", options->sending.dedupe_key,
                        "the same key again is the same message");
    command->add_option("--organization", options->sending.organization_id,
                        "whose run it is, if it does not exist yet");
    command->add_option("--wait", options->wait_seconds, "seconds to wait until it has happened")
        ->check(CLI::Range(0, 3600))
        ->capture_default_str();
    add_json(*command, session);
    choose(*command, session, [options, &session] {
        return send(session, options->sending, std::chrono::seconds{options->wait_seconds});
    });

    const auto id = std::make_shared<std::string>();
    const auto whose = std::make_shared<std::string>(EngineOptions{}.organization_id);
    CLI::App* list =
        add_command(runs, "messages", "What was sent to a run, and whether it was read",
                    "belay runs messages train/1");
    list->add_option("ID", *id, "the run's id, whole; it need not exist yet")->required();
    list->add_option("--organization", *whose, "whose run it is, if it does not exist yet")
        ->capture_default_str();
    add_json(*list, session);
    choose(*list, session, [id, whose, &session] {
        const auto store = open_to_read(session.place());
        const std::string kept = store->find_run(*id) ? *id : kept_run_id(*store, *whose, *id);
        return session.json ? list_messages_json(*store, kept, session.world.screen)
                            : list_messages(*store, kept, session.now(), session.world.screen);
    });
}

}  // namespace belay::cli
