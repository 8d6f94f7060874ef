#include "service/cli/tokens.hpp"

#include <memory>
#include <ostream>

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <boost/json.hpp>

#include <belay/error.hpp>

#include "core/base/text.hpp"
#include "service/cli/command.hpp"
#include "service/cli/data_folder.hpp"
#include "service/cli/table.hpp"
#include "service/cli/words.hpp"

namespace belay::cli {

namespace {

constexpr Duration kLookEvery{50};
constexpr Duration kWaitForAnswer{10'000};

void change_tokens(Session& session, const std::string& request) {
    const Place place = session.place();
    make_data_folder(place);
    if (const auto own = take_over(place)) {
        change_tokens_here(*own, session.world.clock, request);
    } else {
        const auto store = open_to_read(place);
        ask_to_change_tokens(*store, session.now(), request, session.world.nap);
    }
}

boost::json::value time_json(const std::optional<Time>& time) {
    return time ? boost::json::value(base::format_time(*time)) : boost::json::value(nullptr);
}

ExitCode create(Session& session, const std::string& organization, const std::string& name) {
    const api::NewToken token = api::make_token(organization, name);
    change_tokens(session, token.request);
    auto& out = session.world.screen.out;
    if (session.json) {
        out << boost::json::serialize(boost::json::object{{"id", token.id},
                                                          {"organization_id", organization},
                                                          {"name", name},
                                                          {"token", token.secret}})
            << '\n';
        return ExitCode::Ok;
    }
    out << token.secret << '\n';
    session.world.errors << fmt::format(
        "This is token {} of organization {}. It is shown only now: keep it, and send it as\n"
        "  Authorization: Bearer <token>\n",
        token.id, plain(organization));
    return ExitCode::Ok;
}

ExitCode list(Session& session) {
    const auto store = open_to_read(session.place());
    const auto tokens = tokens_of(*store, session.world.clock);
    const Screen& screen = session.world.screen;
    if (session.json) {
        boost::json::array rows;
        for (const api::Token& token : tokens) {
            rows.push_back({{"id", token.id},
                            {"organization_id", token.organization_id},
                            {"name", token.name},
                            {"created_at", base::format_time(token.created_at)},
                            {"last_used_at", time_json(token.last_used_at)},
                            {"revoked_at", time_json(token.revoked_at)}});
        }
        screen.out << boost::json::serialize(boost::json::object{{"tokens", std::move(rows)}})
                   << '\n';
        return ExitCode::Ok;
    }
    if (tokens.empty()) {
        screen.out << "No token was made yet: only this machine can use the server, without one.\n";
        return ExitCode::Ok;
    }
    Table table{
        {{"ID"}, {"ORGANIZATION", 10}, {"NAME", 10}, {"CREATED"}, {"LAST USED"}, {"STATE"}}};
    for (const api::Token& token : tokens) {
        table.row({{token.id},
                   {token.organization_id},
                   {token.name},
                   {base::format_time(token.created_at)},
                   {token.last_used_at ? base::format_time(*token.last_used_at) : "never"},
                   {token.revoked_at ? "revoked" : "valid",
                    token.revoked_at ? Style::Dim : Style::Good}});
    }
    table.print(screen);
    return ExitCode::Ok;
}

ExitCode revoke(Session& session, const std::string& id) {
    change_tokens(session, api::revoke_request(id));
    if (session.json) {
        session.world.screen.out << boost::json::serialize(
                                        boost::json::object{{"id", id}, {"revoked", true}})
                                 << '\n';
    } else {
        session.world.screen.out << fmt::format("Token {} is revoked, from now on.\n", plain(id));
    }
    return ExitCode::Ok;
}

}  // namespace

void change_tokens_here(store::Store& store, const env::Clock& clock, const std::string& request) {
    store.migrate({std::string(api::kTokensOwner), api::token_migrations()});
    api::StoreTables tables{store, clock};
    tables.transact([&](Tx& tx) { api::token_request(tx, request); });
}

void ask_to_change_tokens(store::Store& store, Time now, const std::string& request,
                          const std::function<void(Duration)>& nap) {
    store::ControlRequest asked;
    asked.kind = api::kTokensRequest;
    asked.payload = request;
    asked.created_at = now;
    const std::int64_t id = store.ask(asked);
    auto answer = store.answer(id);
    for (Duration waited{0}; !answer && waited < kWaitForAnswer; waited += kLookEvery) {
        nap(kLookEvery);
        answer = store.answer(id);
    }
    if (!answer) {
        throw Error(
            ErrorCode::StoreUnavailable,
            "the process that executes on this store did not answer; the request is recorded, and "
            "handled when that process comes to it");
    }
    if (answer->ok) return;
    if (answer->text.starts_with("unknown request")) {
        throw Error(ErrorCode::StoreLocked,
                    "a program that knows no tokens executes on this store; stop it, or make them "
                    "when `belay "
                    "serve` runs on it");
    }
    throw Error(ErrorCode::NotFound, answer->text);
}

std::vector<api::Token> tokens_of(store::Store& store, const env::Clock& clock) {
    api::StoreTables tables{store, clock};
    try {
        return api::Tokens{tables, clock}.list();
    } catch (const Error& error) {
        // The table comes with the first token.
        const bool no_table =
            std::string_view(error.what()).find("api_tokens") != std::string_view::npos;
        if (error.code() == ErrorCode::InvalidArgument && no_table) return {};
        throw;
    }
}

void add_tokens(CLI::App& app, Session& session) {
    CLI::App* tokens =
        app.add_subcommand("tokens", "Make, list and revoke the tokens of the HTTP API");
    tokens->require_subcommand(1);
    tokens->footer("Example:\n  belay tokens create --organization acme --name ci");

    struct Options {
        std::string organization = "default";
        std::string name = "unnamed";
        std::string id;
    };
    const auto options = std::make_shared<Options>();
    CLI::App* make = add_command(*tokens, "create", "Make a token and print it, once",
                                 "belay tokens create --organization acme --name ci");
    make->add_option("--organization", options->organization, "whose runs and files it opens")
        ->capture_default_str();
    make->add_option("--name", options->name, "what people call it")->capture_default_str();
    add_json(*make, session);
    choose(*make, session,
           [options, &session] { return create(session, options->organization, options->name); });

    CLI::App* show = add_command(*tokens, "list", "The tokens there are; never their secrets",
                                 "belay tokens list");
    add_json(*show, session);
    choose(*show, session, [&session] { return list(session); });

    CLI::App* end = add_command(*tokens, "revoke", "Make a token useless, at once",
                                "belay tokens revoke tok_3f2a9c01d4e5");
    end->add_option("ID", options->id, "as `belay tokens list` shows it")->required();
    add_json(*end, session);
    choose(*end, session, [options, &session] { return revoke(session, options->id); });
}

}  // namespace belay::cli
