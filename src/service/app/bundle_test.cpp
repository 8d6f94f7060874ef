// bundle_test.cpp — a bundle as a stranger writes it, with belay/server.hpp and nothing else of this repository: its
// settings, command, routes, files, numbers, and what others ask of it.
#include <belay/server.hpp>

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <sstream>

#include <gtest/gtest.h>
#include <boost/describe.hpp>
#include <boost/json.hpp>

namespace bundle_shop {

using namespace belay;

struct Photo final : Upload {
    void write(std::span<const std::byte> bytes) override { size += bytes.size(); }
    std::size_t size = 0;
};

struct Photos final : UploadSink {
    std::unique_ptr<Upload> begin(const UploadHead& head) override {
        if (head.file_name.ends_with(".exe"))
            throw Error(ErrorCode::InvalidArgument, "photos only");
        return std::make_unique<Photo>();
    }
};

Task<int> develop(Context&, int number) { co_return number * 2; }

class DarkRoom final : public ServedBundle {
public:
    explicit DarkRoom(const BundleParts& parts)
        : engine_(parts.engine), chemicals_(parts.settings.at("chemicals").value) {
        engine_.migrate("dark-room", {"CREATE TABLE photos (name TEXT, size INTEGER)"});
        engine_.define("DEVELOP", develop);
        parts.on_request("fix", [](Tx& tx, const std::string& payload) {
            tx.exec("INSERT INTO photos VALUES (?, 0)", payload);
            return "fixed " + payload;
        });
    }

    std::vector<HttpRoute> routes() override {
        HttpRoute take{.method = "POST", .path = "/api/photos", .summary = "Takes photos"};
        take.takes_files = true;
        take.once = [](HttpRequest& request, Tx& tx) -> HttpAnswer {
            for (const UploadedFile& file : request.files) {
                const auto size =
                    static_cast<std::int64_t>(dynamic_cast<Photo&>(*file.upload).size);
                tx.exec("INSERT INTO photos VALUES (?, ?)", file.file_name, size);
            }
            tx.submit<int>("DEVELOP", 21, {.id = "developed"});
            return {R"({"taken": )" + std::to_string(request.files.size()) + R"(, "album": ")" +
                        request.fields["album"] + R"("})",
                    201};
        };
        HttpRoute list{.path = "/api/photos", .summary = "Photos"};
        list.handler = [this](HttpRequest& request) -> HttpAnswer {
            if (request.query.contains("nothing"))
                throw Error(ErrorCode::NotFound, "there are no photos of nothing");
            const auto rows = engine_.query("SELECT name, size FROM photos ORDER BY name");
            std::string text;
            for (const SqlRow row : rows)
                text += row.get<std::string>(0) + " " + std::to_string(row.get<int>(1)) + "\n";
            return {text + chemicals_, 200, "text/plain"};
        };
        HttpRoute next{.path = "/api/photos/next", .summary = "The next photo, when there is one"};
        next.later = [this](HttpRequest&, HttpReply reply) {
            const std::lock_guard lock(mutex_);
            waiting_.push_back(std::move(reply));
            came_.notify_all();
        };
        return {take, list, next};
    }
    UploadSink* uploads() override { return &photos_; }
    std::vector<Metric> metrics() override {
        return {
            {"shop_baths", "Baths.", "gauge", {{{{"kind", "stop"}}, 2}, {{{"kind", "fix"}}, 3}}}};
    }
    void started(std::function<void(std::string_view)>) override { is_open = true; }
    void stopping() override { is_open = false; }
    std::vector<std::pair<std::string, std::string>> hidden() const override {
        return {{"the-secret-recipe", "(a recipe)"}};
    }
    std::string try_first(const std::string& url) const override {
        return "  curl " + url + "/api/photos\n";
    }

    HttpReply await_one() {
        std::unique_lock lock(mutex_);
        came_.wait(lock, [this] { return !waiting_.empty(); });
        HttpReply reply = waiting_.back();
        waiting_.pop_back();
        return reply;
    }
    bool is_open = false;

private:
    Engine& engine_;
    const std::string chemicals_;
    Photos photos_;
    std::mutex mutex_;
    std::condition_variable came_;
    std::vector<HttpReply> waiting_;
};

class Photography final : public Bundle {
public:
    std::vector<Setting> settings() const override {
        return {{"chemicals", "salt", "WHICH", "what pictures are developed with"}};
    }
    std::vector<Command> commands() const override {
        return {{"snap", "Takes a picture", {{"WHAT", "of what", true}}, [](CommandCall& call) {
                     call.out << "snap: " << call.value("WHAT") << '\n';
                     return 0;
                 }}};
    }
    std::vector<std::string> views() const override { return {}; }
    std::unique_ptr<ServedBundle> serve(const BundleParts& parts) override {
        auto made = std::make_unique<DarkRoom>(parts);
        served = made.get();
        return made;
    }
    DarkRoom* served = nullptr;
};

}  // namespace bundle_shop

#include "core/env/clock.hpp"
#include "core/library/host.hpp"
#include "service/api/tokens.hpp"
#include "service/app/own_commands.hpp"
#include "service/app/own_routes.hpp"
#include "service/app/program.hpp"
#include "service/app/serve.hpp"
#include "service/cli/ask_executor.hpp"
#include "service/cli/run.hpp"
#include "service/cli/tokens.hpp"
#include "service/server/socket_bench.hpp"

#include <filesystem>
#include <thread>

#include <unistd.h>

namespace belay::app {
namespace {

namespace json = boost::json;

class PublicBundle : public ::testing::Test {
protected:
    PublicBundle() {
        std::string name = testing::TempDir() + "belay-bundle-XXXXXX";
        folder_ = ::mkdtemp(name.data());
        place = {folder_ / "belay.db", folder_, ""};
        program.name = "shop";
        program.bundles.push_back(bundle);
    }
    ~PublicBundle() override { std::filesystem::remove_all(folder_); }

    template <class F>
    void serving(F during) {
        const auto nothing = [](const std::string&) { return std::nullopt; };
        const auto options = cli::serve_options(cli::gather_settings(
            settings_of(program),
            {{"listen", "127.0.0.1:0"}, {"chemicals", "silver"}, {"http-threads", "1"}}, nothing,
            ""));
        serve(program, place, options,
              {out, errors, [&](const std::string& url) {
                   during(static_cast<std::uint16_t>(std::stoi(url.substr(url.rfind(':') + 1))));
               }});
    }

    std::filesystem::path folder_;
    cli::Place place;
    std::shared_ptr<bundle_shop::Photography> bundle = std::make_shared<bundle_shop::Photography>();
    Program program;
    env::SystemClock clock;
    std::ostringstream out, errors;
};

std::string form_of(std::string_view file_name, std::string_view bytes) {
    return fmt::format(
        "--XyZ\r\nContent-Disposition: form-data; name=\"album\"\r\n\r\nholidays\r\n"
        "--XyZ\r\nContent-Disposition: form-data; name=\"files\"; filename=\"{}\"\r\n\r\n{}\r\n"
        "--XyZ--\r\n",
        file_name, bytes);
}

TEST_F(PublicBundle, has_all_that_a_server_may_be_given) {
    serving([&](std::uint16_t port) {
        EXPECT_TRUE(bundle->served->is_open);
        server::Client client(port);
        constexpr std::string_view kForm = "multipart/form-data; boundary=XyZ";
        const auto taken = client.post("/api/photos", kForm, form_of("reef.jpg", "12345"),
                                       "Idempotency-Key: p-1\r\n");
        EXPECT_EQ(taken.status, 201) << taken.body;
        EXPECT_EQ(json::parse(taken.body).at("album"), "holidays");
        EXPECT_EQ(client
                      .post("/api/photos", kForm, form_of("reef.jpg", "12345"),
                            "Idempotency-Key: p-1\r\n")
                      .body,
                  taken.body);
        EXPECT_EQ(client.get("/api/photos").body, "reef.jpg 5\nsilver");  // taken once
        EXPECT_EQ(client.post("/api/photos", kForm, form_of("virus.exe", "1")).status, 400);
        EXPECT_EQ(client.get("/api/photos?nothing=1").status, 404);
        EXPECT_NE(client.get("/metrics").body.find("shop_baths{kind=\"fix\"} 3"),
                  std::string::npos);
        EXPECT_NE(client.get("/openapi.json").body.find("/api/photos/next"), std::string::npos);
        while (json::parse(client.get("/api/runs/developed").body).at("status") != "succeeded")
            ::usleep(1000);

        // Another process asks, by the kind that the bundle handles.
        const auto store = cli::open_to_read(place);
        store::ControlRequest request;
        request.kind = "fix";
        request.payload = "dune.jpg";
        request.created_at = clock.now();
        const auto number = store->ask(request);
        while (!store->answer(number)) ::usleep(1000);
        EXPECT_EQ(store->answer(number)->text, "fixed dune.jpg");
    });
    EXPECT_NE(out.str().find("curl http"), std::string::npos) << out.str();
}

TEST_F(PublicBundle, the_page_is_told_how_the_program_wants_to_look) {
    program.look = {"#0a7d55", "runs", {{"Shop", "https://shop.example/"}}};
    serving([&](std::uint16_t port) {
        const json::value told = json::parse(server::Client(port).get("/api/program").body);
        EXPECT_EQ(told.at("accent"), "#0a7d55");
        EXPECT_EQ(told.at("start"), "runs");
        EXPECT_EQ(json::serialize(told.at("links")),
                  R"([{"title":"Shop","url":"https://shop.example/"}])");
    });
}

TEST_F(PublicBundle, answers_when_there_is_something_to_answer) {
    serving([&](std::uint16_t port) {
        server::Client client(port);
        client.send("GET /api/photos/next HTTP/1.1\r\nHost: localhost\r\n\r\n");
        const HttpReply reply = bundle->served->await_one();
        EXPECT_FALSE(reply.is_gone());
        // It holds no thread: the only one that there is answers others meanwhile.
        EXPECT_EQ(server::Client(port).get("/api/program").status, 200);
        EXPECT_TRUE(reply.answer({R"({"photo": "reef"})"}));
        EXPECT_FALSE(reply.answer({"{}"}));
        EXPECT_EQ(client.receive().body, R"({"photo": "reef"})");

        std::atomic<bool> gone{false};
        std::optional<HttpReply> held;
        {
            server::Client other(port);
            other.send("GET /api/photos/next HTTP/1.1\r\nHost: localhost\r\n\r\n");
            held = bundle->served->await_one();
            held->on_gone([&] { gone = true; });
        }
        while (!gone) ::usleep(1000);
    });
}

TEST_F(PublicBundle, what_it_hides_strangers_do_not_read) {
    const auto own = api::make_token("default", "first");
    const auto guest = api::make_token("acme", "second");
    {
        const auto store = cli::open_to_execute(place);
        cli::change_tokens_here(*store, clock, own.request);
        cli::change_tokens_here(*store, clock, guest.request);
    }
    program.routes.push_back({.path = "/api/recipe", .summary = "A recipe"});
    program.routes.back().handler = [this](HttpRequest&) -> HttpAnswer {
        return {json::serialize(json::object{{"recipe", "the-secret-recipe"},
                                             {"where", (folder_ / "belay.db").string()}})};
    };
    serving([&](std::uint16_t port) {
        const auto told = [&](const api::NewToken& token) {
            server::Client client(port);
            return client.get("/api/recipe", "Authorization: Bearer " + token.secret + "\r\n").body;
        };
        EXPECT_NE(told(own).find("the-secret-recipe"), std::string::npos);
        EXPECT_EQ(told(guest).find("the-secret-recipe"), std::string::npos) << told(guest);
        EXPECT_EQ(told(guest).find(folder_.string()), std::string::npos) << told(guest);
    });
}

TEST_F(PublicBundle, has_commands_and_settings_of_its_own) {
    const auto shop = [&](std::vector<std::string> words) {
        out.str("");
        cli::World world{cli::Screen{out}, errors, [](const std::string&) { return std::nullopt; },
                         clock, [](Duration) {}};
        return cli::run(words, world, commands_of(program), names_of(program));
    };
    EXPECT_EQ(shop({"snap", "reef"}), cli::ExitCode::Ok) << errors.str();
    EXPECT_EQ(out.str(), "snap: reef\n");
    shop({"serve", "--print-config"});
    EXPECT_NE(out.str().find("# chemicals = salt"), std::string::npos) << out.str();
}

TEST(OwnRoutes, say_what_they_are_or_are_refused) {
    Engine engine{memory(), {.log_to_stderr = false}};
    api::Routes routes;
    detail::EnginePort& port = library::core_of(engine);
    const auto answer = [](HttpRequest&) { return HttpAnswer{"{}"}; };
    const auto refused = [&](HttpRoute route) {
        EXPECT_THROW(add_own_route(routes, route, port), Error) << route.path;
    };
    refused({.path = "/api/a", .summary = "none"});
    refused({.path = "/api/a", .summary = "", .handler = answer});
    refused({.path = "api", .summary = "a", .handler = answer});
    refused({.method = "HEAD", .path = "/api/a", .summary = "a", .handler = answer});
    refused(
        {.path = "/api/a", .summary = "a", .once = [](HttpRequest&, Tx&) { return HttpAnswer{}; }});
    refused({.path = "/api/a",
             .summary = "two",
             .handler = answer,
             .later = [](HttpRequest&, HttpReply) {}});
    refused({.path = "/api/a", .summary = "files", .takes_files = true, .handler = answer});
    add_own_route(routes, {.path = "/api/a", .summary = "a", .handler = answer}, port);
    refused({.path = "/api/a", .summary = "again", .handler = answer});
}

}  // namespace
}  // namespace belay::app
