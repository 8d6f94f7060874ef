// serve_test.cpp — the whole server on a data directory: what it tells, refuses and leaves behind.
#include "ingestion/cli/belay_bench.hpp"

#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include <gtest/gtest.h>
#include <unistd.h>

#include <belay/belay.hpp>
#include <belay/error.hpp>

#include "core/env/clock.hpp"
#include "service/cli/tokens.hpp"
#include "service/server/socket_bench.hpp"

namespace belay::cli {
namespace {

class ServeTest : public ::testing::Test {
protected:
    ServeTest()
        : folder_(std::filesystem::temp_directory_path() /
                  fmt::format("belay-serve-{}", ::getpid())) {
        std::filesystem::remove_all(folder_);
        place = {folder_ / "belay.db", folder_, " --data " + folder_.string()};
    }
    ~ServeTest() override { std::filesystem::remove_all(folder_); }

    ServeOptions options(const std::string& listen = "127.0.0.1:0") {
        return serve_options(gather_settings(
            {{"listen", listen}, {"workers", "2"}}, [](const std::string&) { return std::nullopt; },
            ""));
    }
    template <class F>
    ExitCode run(const ServeOptions& with, F during) {
        return serve(place, with, {out, errors, [&](const std::string& url) {
                                       const auto port = std::stoi(url.substr(url.rfind(':') + 1));
                                       during(static_cast<std::uint16_t>(port));
                                   }});
    }

    std::filesystem::path folder_;
    Place place;
    std::ostringstream out;
    std::ostringstream errors;
    env::SystemClock clock;
};

TEST(ServePlace, flags_win_over_variables_and_those_over_the_file) {
    const auto file =
        std::filesystem::temp_directory_path() / fmt::format("belay-place-{}.conf", ::getpid());
    const auto place_of = [&](const std::string& config, const PlaceOptions& flags,
                              std::map<std::string, std::string> variables) {
        std::ofstream(file) << config;
        const Environment environment = [&](const std::string& name) -> std::optional<std::string> {
            const auto found = variables.find(name);
            return found == variables.end() ? std::nullopt : std::optional(found->second);
        };
        const Place place = serve_place(
            flags, environment, serve_options(gather_settings({}, environment, file.string())));
        std::filesystem::remove(file);
        return place;
    };
    const std::string both = "data = /file\nstore = postgres://belay@db/work\n";

    EXPECT_EQ(place_of("", {}, {}).file, "belay-data/belay.db");
    EXPECT_EQ(place_of("data = /file\n", {}, {}).file, "/file/belay.db");
    EXPECT_EQ(place_of("data = /file\n", {}, {{"BELAY_DATA", "/variable"}}).file,
              "/variable/belay.db");
    EXPECT_EQ(place_of("store = own.db\n", {}, {}).file, "own.db");
    EXPECT_EQ(place_of(both, {}, {}).address, "postgres://belay@db/work");
    EXPECT_EQ(place_of(both, {}, {}).data_folder, "/file");
    EXPECT_EQ(place_of(both, {}, {{"BELAY_DATA", "/variable"}}).address,
              "postgres://belay@db/work");
    EXPECT_EQ(place_of(both, {}, {{"BELAY_DATA", "/variable"}}).data_folder, "/variable");
    EXPECT_EQ(place_of(both, {}, {{"BELAY_STORE", "variable.db"}}).file, "variable.db");
    EXPECT_EQ(place_of(both, {.data = "/flag"}, {}).file, "/flag/belay.db");
    EXPECT_EQ(place_of(both, {.store = "flag.db"}, {}).file, "flag.db");
}

TEST_F(ServeTest, it_says_how_many_runs_go_on) {
    std::filesystem::create_directories(folder_);
    {
        Engine engine{sqlite(place.file.string())};
        engine.define("LATER", [](Context&, int number) -> Task<int> { co_return number; });
        for (int i = 0; i < 3; ++i) engine.submit<int>("LATER", i);
    }
    run(options(), [](std::uint16_t) {});
    EXPECT_NE(out.str().find("3 runs were not over: they go on from where they stopped."),
              std::string::npos)
        << out.str();
}

TEST_F(ServeTest, it_says_where_it_is_and_answers_there) {
    const ExitCode code = run(options(), [&](std::uint16_t port) {
        server::Client client(port);
        EXPECT_EQ(client.get("/readyz").status, 200);
        EXPECT_EQ(client.get("/api/runs").body, "{\"runs\":[],\"next_cursor\":null,\"total\":0}\n");
        EXPECT_NE(client.get("/metrics").body.find("belay_commits_total"), std::string::npos);
        EXPECT_NE(out.str().find(fmt::format("is ready at http://127.0.0.1:{}", port)),
                  std::string::npos);
    });
    EXPECT_EQ(code, ExitCode::Ok);
    EXPECT_TRUE(std::filesystem::exists(place.file));
    EXPECT_NE(errors.str().find(R"("path":"/readyz","status":200)"), std::string::npos)
        << errors.str();
}

TEST_F(ServeTest, others_can_reach_it_only_when_there_is_a_token) {
    try {
        run(options("0.0.0.0:0"), [](std::uint16_t) { FAIL(); });
        FAIL();
    } catch (const Error& error) {
        EXPECT_NE(std::string(error.what())
                      .find("belay tokens create --organization acme --name first --data "),
                  std::string::npos)
            << error.what();
    }
    const auto token = api::make_token("acme", "first");
    change_tokens_here(*open_to_execute(place), clock, token.request);

    run(options("0.0.0.0:0"), [&](std::uint16_t port) {
        server::Client client(port);
        EXPECT_EQ(client.get("/api/runs").status, 401);
        EXPECT_EQ(client.get("/api/runs", "Authorization: Bearer " + token.secret + "\r\n").status,
                  200);
    });
}

TEST_F(ServeTest, a_token_made_while_it_runs_counts_at_once) {
    run(options(), [&](std::uint16_t port) {
        server::Client client(port);
        EXPECT_EQ(client.get("/api/runs").status, 200);
        EXPECT_EQ(take_over(place), nullptr);
        const auto token = api::make_token("acme", "later");
        const auto store = open_to_read(place);
        ask_to_change_tokens(*store, clock.now(), token.request,
                             [](Duration d) { ::usleep(d.count() * 1000); });

        EXPECT_EQ(client.get("/api/runs").status, 401);
        EXPECT_EQ(client.get("/api/runs", "Authorization: Bearer " + token.secret + "\r\n").status,
                  200);
        EXPECT_EQ(tokens_of(*store, clock).size(), 1u);
    });
}

TEST_F(ServeTest, a_port_that_is_taken_is_told) {
    run(options(), [&](std::uint16_t port) {
        Place other = place;
        other.file = folder_ / "other.db";
        std::ostringstream quiet;
        const ExitCode code = serve(other, options(fmt::format("127.0.0.1:{}", port)),
                                    {quiet, errors, [](const std::string&) { FAIL(); }});
        EXPECT_EQ(code, ExitCode::Failed);
        EXPECT_NE(errors.str().find("is taken"), std::string::npos) << errors.str();
    });
}

}  // namespace
}  // namespace belay::cli
