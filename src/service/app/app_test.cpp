// app_test.cpp — a program of its own: what its server tells of its workflows, what it lets in, what its command
// line does.
#include <belay/server.hpp>

#include <filesystem>
#include <sstream>

#include <gtest/gtest.h>
#include <unistd.h>
#include <boost/describe.hpp>
#include <boost/json.hpp>

#include "core/env/clock.hpp"
#include "service/app/own_commands.hpp"
#include "service/app/program.hpp"
#include "service/cli/run.hpp"
#include "service/server/socket_bench.hpp"

namespace app_shop {

struct Address {
    std::string street;
};
BOOST_DESCRIBE_STRUCT(Address, (), (street))

struct Order {
    std::string item;
    int pieces = 1;
    std::optional<Address> to;
    static constexpr belay::Doc kDocs[] = {{"pieces", "how many"}};
};
BOOST_DESCRIBE_STRUCT(Order, (), (item, pieces, to))

}  // namespace app_shop

namespace belay {
namespace {

namespace json = boost::json;
using app_shop::Order;

Task<int> sell(Context& ctx, Order order) {
    co_return co_await ctx.step(
        "charge", [](int pieces) { return pieces * 250; }, order.pieces);
}
Task<void> sweep(Context&) { co_return; }

WorkflowOptions selling() {
    WorkflowOptions options;
    options.summary = "Sells a thing";
    options.editable = {"charge"};
    options.admit = [](std::string_view organization, const Order& order) {
        if (organization == "closed") throw NonRetryable("this shop is closed to you");
        if (order.pieces > 100) throw NonRetryable("pieces: at most 100");
    };
    return options;
}

class Served : public ::testing::Test {
protected:
    Served() {
        engine.define("SELL", sell, selling());
        engine.define("SWEEP", sweep, {.exposed = false});
    }
    json::value get(const std::string& path) {
        server::Client client(server.port());
        return json::parse(client.get(path).body);
    }
    server::Answer post(const std::string& path, const std::string& body) {
        server::Client client(server.port());
        client.send(
            fmt::format("POST {} HTTP/1.1\r\nHost: localhost\r\nContent-Type: "
                        "application/json\r\nContent-Length: {}\r\n\r\n{}",
                        path, body.size(), body));
        return client.receive();
    }

    Engine engine{memory(), {.log_to_stderr = false}};
    Server server{engine, {.listen = "127.0.0.1:0", .name = "shop"}};
};

TEST_F(Served, workflows_tell_what_they_take_and_how_they_do) {
    server.start();
    engine.submit<int>("SELL", Order{"rope", 2, {}}).result();

    const json::value all = get("/api/workflows");
    const auto& list = all.at("workflows").as_array();
    std::string keys;
    for (const auto& one : list) keys += std::string(one.at("key").as_string()) + " ";
    EXPECT_NE(keys.find("SELL "), std::string::npos) << keys;
    const json::value one = get("/api/workflows/SELL");
    EXPECT_EQ(one.at("summary"), "Sells a thing");
    EXPECT_EQ(json::serialize(one.at("input_schema")), schema_of<Order>());
    EXPECT_EQ(one.at("exposed"), true);
    EXPECT_EQ(json::serialize(one.at("editable")), R"(["charge"])");
    EXPECT_EQ(one.at("runs").at("succeeded"), 1);
    EXPECT_TRUE(one.at("runs").at("p95_ms").is_int64());
    EXPECT_EQ(json::serialize(one.at("stages")), R"(["charge"])");
    EXPECT_EQ(get("/api/workflows/SWEEP").at("exposed"), false);
    EXPECT_EQ(get("/api/workflows/NONE").at("error").at("code"), "not_found");
}

TEST_F(Served, a_run_is_started_over_http_and_one_id_is_one_run) {
    server.start();
    const std::string body = R"({"input": {"item": "rope", "pieces": 3}, "id": "order-1"})";

    const auto answer = post("/api/workflows/SELL/runs", body);

    EXPECT_EQ(answer.status, 202) << answer.body;
    const std::string id(json::parse(answer.body).at("id").as_string());
    EXPECT_EQ(engine.find<int>(id).result(), 750);
    EXPECT_EQ(json::parse(post("/api/workflows/SELL/runs", body).body).at("status"), "succeeded");
    EXPECT_EQ(
        post("/api/workflows/SELL/runs", R"({"input": {"item": "x"}, "id": "order-1"})").status,
        409);
}

TEST_F(Served, a_client_asks_over_http_as_beside_the_executor) {
    engine.define("TALK", [](Context& ctx, int n) -> Task<int> {
        ctx.expose("n", n);
        ctx.answer("plus", [&](int more) { return n + more; });
        co_return co_await ctx.receive<int>("end");
    });
    server.start();
    Client client{store_at(fmt::format("http://127.0.0.1:{}", server.port()))};
    const auto code = [](auto what) -> std::optional<ErrorCode> {
        try {
            what();
        } catch (const Error& error) {
            return error.code();
        }
        return std::nullopt;
    };

    const SubmitOptions labeled{.id = "order-1", .labels = {{"customer", "42"}}};
    belay::Run<int> sold = client.submit<int>("SELL", Order{"rope", 3, {}}, labeled);
    EXPECT_EQ(sold.result(), 750);
    EXPECT_EQ(client.submit<int>("SELL", Order{"rope", 3, {}}, labeled).result(), 750);
    EXPECT_EQ(sold.labels(), (Labels{{"customer", "42"}}));
    belay::Run<int> talk = client.submit<int>("TALK", 4);
    EXPECT_EQ(talk.ask<int>("plus", 3), 7);
    EXPECT_EQ(talk.exposed<int>("n"), 4);
    client.send(talk.id(), "end", 9);
    EXPECT_EQ(talk.result(), 9);
    belay::Run<int> other = client.submit<int>("TALK", 5);
    client.cancel(other.id(), "enough");

    const RunList all = client.list({}, {.limit = 2});
    EXPECT_EQ(all.runs.size(), 2U);
    EXPECT_EQ(client.list({}, {.after = all.next}).runs.size(), 1U);
    EXPECT_EQ(client.list({.labels = {{"customer", "42"}}}).runs.at(0).id, sold.id());
    EXPECT_EQ(code([&] { other.result(); }), ErrorCode::RunCanceled);
    EXPECT_EQ(code([&] { talk.ask("plus", 3); }), ErrorCode::NoAnswer);
    EXPECT_EQ(code([&] { client.find("nobody"); }), ErrorCode::NotFound);
    EXPECT_EQ(code([&] { client.submit<int>("NONE"); }), ErrorCode::NotFound);
    EXPECT_EQ(code([&] {
                  client.submit<int>("SELL", Order{"x", 1, {}}, labeled);
              }),
              ErrorCode::InputMismatch);
    EXPECT_EQ(code([&] { client.submit<int>("SELL", 7); }), ErrorCode::InvalidArgument);
}

TEST_F(Served, what_does_not_fit_is_answered_with_its_field) {
    server.start();
    const auto field_of = [&](const std::string& input) {
        const auto answer = post("/api/workflows/SELL/runs", R"({"input": )" + input + "}");
        EXPECT_EQ(answer.status, 400) << answer.body;
        return std::string(json::parse(answer.body).at("error").at("field").as_string());
    };
    EXPECT_EQ(field_of(R"({"item": "rope", "pieces": "three"})"), "$.pieces");
    EXPECT_EQ(field_of(R"({"item": "rope", "peices": 3})"), "$.peices");
    EXPECT_EQ(field_of(R"({"item": "rope", "to": {"street": 7}})"), "$.to.street");
    EXPECT_EQ(field_of(R"({"item": "rope", "to": {"stret": "x"}})"), "$.to.stret");
    EXPECT_EQ(field_of(R"({"item": "rope", "pieces": 5000000000})"), "$.pieces");
    EXPECT_EQ(field_of("7"), "$");
    EXPECT_EQ(get("/api/runs").at("runs").as_array().size(), 0u);
}

TEST_F(Served, what_is_not_let_in_starts_no_run) {
    server.start();

    const auto refused = post("/api/workflows/SELL/runs", R"({"input": {"pieces": 101}})");
    EXPECT_EQ(refused.status, 400);
    EXPECT_NE(refused.body.find("pieces: at most 100"), std::string::npos) << refused.body;
    // Not exposed is as good as not there.
    EXPECT_EQ(post("/api/workflows/SWEEP/runs", "{}").status, 404);
    EXPECT_EQ(post("/api/workflows/NONE/runs", "{}").status, 404);
    const auto other =
        post("/api/workflows/SELL/runs", R"({"input": {}, "organization": "somebody-else"})");
    EXPECT_EQ(other.status, 403);
    EXPECT_EQ(get("/api/runs").at("runs").as_array().size(), 0u);
}

TEST_F(Served, the_page_is_told_what_the_program_is_called_and_has_no_papers) {
    server.start();

    const json::value program = get("/api/program");

    EXPECT_EQ(program.at("name"), "shop");
    EXPECT_EQ(program.at("views").as_array().size(), 0u);
    EXPECT_EQ(get("/api/uploads").at("error").at("code"), "not_found");
}

TEST(ServerOfItsOwn, belongs_to_an_engine_that_has_not_started) {
    Engine engine{memory(), {.log_to_stderr = false}};
    engine.start();
    try {
        Server server{engine, {.listen = "127.0.0.1:0"}};
        FAIL();
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::InvalidArgument);
        EXPECT_NE(std::string(error.what()).find("after start()"), std::string::npos);
    }
}

// ---- the command line

class ShopCommands : public ::testing::Test {
protected:
    ShopCommands() {
        std::string name = testing::TempDir() + "belay-shop-XXXXXX";
        folder_ = ::mkdtemp(name.data());
        program.name = "shop";
        program.summary = "Sells things";
        program.prepare.push_back([](Engine& engine) { engine.define("SELL", sell, selling()); });
        program.commands.push_back({"greet",
                                    "Says hello",
                                    {{"NAME", "whom", true}, {"--loud", "with a !", false, true}},
                                    [](CommandCall& call) {
                                        call.out << "hello " << call.value("NAME")
                                                 << call.value("--loud", "false") << "\n";
                                        return 0;
                                    }});
    }
    ~ShopCommands() override { std::filesystem::remove_all(folder_); }

    cli::ExitCode shop(std::vector<std::string> words) {
        out.str("");
        errors.str("");
        words.insert(words.end(), {"--data", folder_.string()});
        cli::World world{cli::Screen{out}, errors, [](const std::string&) { return std::nullopt; },
                         clock, [](Duration) { ::usleep(1000); }};
        return cli::run(words, world, app::commands_of(program), app::names_of(program));
    }

    std::filesystem::path folder_;
    app::Program program;
    env::SystemClock clock;
    std::ostringstream out, errors;
};

TEST_F(ShopCommands, submit_waits_for_a_run_that_this_process_executes) {
    EXPECT_EQ(shop({"submit", "SELL", R"({"item": "rope", "pieces": 3})", "--id", "o-1", "--wait"}),
              cli::ExitCode::Ok)
        << errors.str();
    EXPECT_EQ(out.str(), "750\n");
    shop({"submit", "SELL", R"({"item": "rope", "pieces": 3})", "--id", "o-1", "--wait", "--json"});
    EXPECT_EQ(out.str(), R"({"id":"o-1","workflow_key":"SELL","status":"succeeded","result":750,)"
                         R"("error":null})"
                         "\n");
}

TEST_F(ShopCommands, submit_labels_a_run_and_lists_find_it) {
    EXPECT_EQ(shop({"submit", "SELL", "{}", "--id", "gold", "--label", "customer=42", "--label",
                    "tier=gold"}),
              cli::ExitCode::Ok)
        << errors.str();
    shop({"submit", "SELL", "{}", "--id", "plain"});
    out.str("");

    shop({"runs", "list", "--label", "customer=42"});

    EXPECT_NE(out.str().find("gold"), std::string::npos) << out.str();
    EXPECT_EQ(out.str().find("plain"), std::string::npos) << out.str();
    EXPECT_NE(shop({"submit", "SELL", "{}", "--label", "customer"}), cli::ExitCode::Ok);
}

TEST_F(ShopCommands, submit_without_waiting_leaves_a_run_that_is_there_later) {
    EXPECT_EQ(shop({"submit", "SELL", "{}", "--id", "later"}), cli::ExitCode::Ok) << errors.str();
    EXPECT_EQ(out.str(), "later is queued.\n");
    shop({"runs", "list"});
    EXPECT_NE(out.str().find("later"), std::string::npos) << out.str();
}

TEST_F(ShopCommands, submit_refuses_what_the_server_would_refuse) {
    const auto refusal = [&](std::vector<std::string> words) {
        words.insert(words.begin(), "submit");
        EXPECT_NE(shop(words), cli::ExitCode::Ok);
        return errors.str();
    };
    EXPECT_NE(refusal({"SELL", R"({"pieces": "x"})"}).find("$.pieces"), std::string::npos);
    EXPECT_NE(refusal({"SELL", R"({"peices": 1})"}).find("$.peices"), std::string::npos);
    EXPECT_NE(refusal({"SELL", R"({"pieces": 101})"}).find("at most 100"), std::string::npos);
    EXPECT_NE(refusal({"NONE", "{}"}).find("NONE"), std::string::npos);
    EXPECT_NE(refusal({"SELL", "{pieces"}).find("not JSON"), std::string::npos);
    EXPECT_NE(refusal({"SELL", "@/nowhere.json"}).find("/nowhere.json"), std::string::npos);
    EXPECT_EQ(errors.str().find("shop: "), 0u) << errors.str();
}

// As Run::result: nobody resumes it unasked, and a script must not hang for ever.
TEST_F(ShopCommands, submit_stops_waiting_for_a_run_that_was_paused_for_what_it_did) {
    WorkflowOptions options = selling();
    options.on_end = [](Tx&, const RunInfo&) { throw std::runtime_error("the books are closed"); };
    Engine executor{sqlite((folder_ / "belay.db").string()), {.log_to_stderr = false}};
    executor.define("SELL", sell, options);
    executor.start();

    EXPECT_EQ(shop({"submit", "SELL", "{}", "--id", "o-1", "--wait"}), cli::ExitCode::Failed);

    EXPECT_NE(errors.str().find("o-1 paused: "), std::string::npos) << errors.str();
    EXPECT_NE(errors.str().find("the books are closed"), std::string::npos) << errors.str();
}

TEST_F(ShopCommands, schedules_trigger_begins_a_run_that_its_workflow_lets_in) {
    const std::vector<std::string> cron{"--workflow", "SELL", "--cron", "0 3 * * *", "--input"};
    const auto add = [&](const std::string& name, const std::string& input) {
        std::vector<std::string> words{"schedules", "add", name};
        words.insert(words.end(), cron.begin(), cron.end());
        words.push_back(input);
        EXPECT_EQ(shop(words), cli::ExitCode::Ok) << errors.str();
    };
    add("much", R"({"pieces": 101})");
    add("some", R"({"pieces": 3})");
    EXPECT_NE(shop({"schedules", "trigger", "some"}), cli::ExitCode::Ok);
    EXPECT_NE(errors.str().find("nobody executes"), std::string::npos) << errors.str();

    Engine executor{sqlite((folder_ / "belay.db").string()), {.log_to_stderr = false}};
    executor.define("SELL", sell, selling());
    executor.schedule("own", "SELL", Order{"rope", 101, {}}, {.cron = "0 4 * * *"});
    executor.start();

    EXPECT_NE(shop({"schedules", "trigger", "much"}), cli::ExitCode::Ok);
    EXPECT_NE(errors.str().find("at most 100"), std::string::npos) << errors.str();
    EXPECT_NE(shop({"schedules", "trigger", "none"}), cli::ExitCode::Ok);
    for (const char* name : {"some", "own"}) {
        EXPECT_EQ(shop({"schedules", "trigger", name, "--json"}), cli::ExitCode::Ok)
            << errors.str();
        const json::value begun = json::parse(out.str());
        EXPECT_EQ(begun.at("workflow_key"), "SELL");
        const std::string id(begun.at("workflow_run_id").as_string());
        EXPECT_EQ(executor.find<int>(id).result(), name == std::string("own") ? 25250 : 750);
    }
}

TEST_F(ShopCommands, a_command_of_its_own_gets_its_options) {
    EXPECT_EQ(shop({"greet", "anna", "--loud"}), cli::ExitCode::Ok) << errors.str();
    EXPECT_EQ(out.str(), "hello annatrue\n");
    EXPECT_EQ(shop({"greet"}), cli::ExitCode::Usage);
    EXPECT_EQ(shop({"ingest", "x.png"}), cli::ExitCode::Usage);
}

TEST(AppName, is_lower_case_and_short) {
    for (const char* name : {"", "Shop", "2shop", "shop shop", "../shop",
                             "a-name-that-is-longer-than-thirty-two-characters"}) {
        EXPECT_THROW((App{name, "sells"}), Error) << name;
    }
    EXPECT_NO_THROW((App{"shop-2", "sells"}));
}

}  // namespace
}  // namespace belay
