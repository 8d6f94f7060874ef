// serve_test.cpp — the whole server on a data directory: what it tells, refuses and leaves behind.
#include "cli/serve.hpp"

#include <filesystem>
#include <sstream>

#include <gtest/gtest.h>
#include <unistd.h>

#include <belay/error.hpp>

#include "cli/tokens.hpp"
#include "env/clock.hpp"
#include "server/socket_bench.hpp"

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

TEST_F(ServeTest, it_says_where_it_is_and_answers_there) {
    const ExitCode code = run(options(), [&](std::uint16_t port) {
        server::Client client(port);
        EXPECT_EQ(client.get("/readyz").status, 200);
        EXPECT_EQ(client.get("/api/runs").body, "{\"runs\":[],\"next_cursor\":null}\n");
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
