// content_test.cpp — `belay content` as people run it, against a web and models on real sockets that count.
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <condition_variable>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <mutex>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <boost/json.hpp>

#include "service/http/testkit/test_server.hpp"

namespace belay {
namespace {

namespace json = boost::json;
using http::testkit::Received;
using http::testkit::Reply;

// The program in a process of its own; what it prints is kept.
class Command {
public:
    Command(const std::vector<std::string>& words,
            const std::map<std::string, std::string>& environment) {
        int ends[2];
        if (::pipe2(ends, O_CLOEXEC) != 0) std::abort();
        pid_ = ::fork();
        if (pid_ == 0) {
            for (const auto& [name, value] : environment) ::setenv(name.c_str(), value.c_str(), 1);
            ::dup2(ends[1], 1);
            std::vector<char*> argv{const_cast<char*>(BELAY_PROGRAM)};
            for (const std::string& word : words) argv.push_back(const_cast<char*>(word.c_str()));
            argv.push_back(nullptr);
            ::execv(BELAY_PROGRAM, argv.data());
            ::_exit(127);
        }
        ::close(ends[1]);
        out_ = ends[0];
    }
    ~Command() {
        if (pid_ > 0) {
            ::kill(pid_, SIGKILL);
            ::waitpid(pid_, nullptr, 0);
        }
        ::close(out_);
    }
    Command(const Command&) = delete;
    Command& operator=(const Command&) = delete;

    void kill() { ::kill(pid_, SIGKILL); }

    // Its exit code, or -1 if it was killed.
    int wait() {
        char piece[4096];
        for (ssize_t got = 0; (got = ::read(out_, piece, sizeof piece)) > 0;)
            output.append(piece, static_cast<std::size_t>(got));
        int status = 0;
        ::waitpid(pid_, &status, 0);
        pid_ = -1;
        return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    }

    std::string output;

private:
    pid_t pid_ = -1;
    int out_ = -1;
};

class ContentTest : public testing::Test {
protected:
    ContentTest() {
        std::string name = testing::TempDir() + "belay-web-XXXXXX";
        folder = ::mkdtemp(name.data());
        environment = {{"BELAY_EMBED_URL", server.url("/v1")},
                       {"BELAY_EMBED_MODEL", "test"},
                       {"BELAY_EXTRACT_URL", server.url("/v1")},
                       {"BELAY_EXTRACT_MODEL", "chat"},
                       {"BELAY_FETCH_ALLOW", "127.0.0.1"}};
    }
    ~ContentTest() override { std::filesystem::remove_all(folder); }

    std::vector<std::string> words(std::vector<std::string> given) const {
        given.insert(given.begin(), "content");
        given.insert(given.end(), {"--data", (folder / "data").string()});
        return given;
    }
    int belay(const std::vector<std::string>& given) {
        Command command{words(given), environment};
        const int code = command.wait();
        out = command.output;
        return code;
    }
    json::value answer() const { return json::parse(out); }
    std::vector<json::value> lines() const {
        std::vector<json::value> all;
        std::size_t from = 0;
        for (auto end = out.find('\n'); end != std::string::npos; end = out.find('\n', from)) {
            all.push_back(json::parse(out.substr(from, end - from)));
            from = end + 1;
        }
        return all;
    }

    Reply reply(const Received& request) {
        std::unique_lock lock{mutex};
        ++asked[request.path];
        happened.notify_all();
        if (request.path == hang_at) return {200, {}, "", Reply::Manner::Hang};
        lock.unlock();
        if (request.path == "/v1/embeddings") {
            const bool cats = request.body.find("kitten") != std::string::npos ||
                              request.body.find("feline") != std::string::npos;
            return {200,
                    {},
                    fmt::format(R"({{"data":[{{"index":0,"embedding":[{},{},0.1]}}]}})",
                                cats ? 1 : 0, cats ? 0 : 1)};
        }
        if (request.path == "/v1/chat/completions") {
            const json::object message{
                {"content",
                 R"({"content_type":"blog","confidence":1,"extracted_title":"T","has_code_examples":false,)"
                 R"("has_step_by_step_procedures":false,"has_narrative_structure":true,"topics":["pets"],"entities":[]})"}};
            return {
                200,
                {},
                json::serialize(json::object{
                    {"choices", {json::object{{"message", message}, {"finish_reason", "stop"}}}}})};
        }
        if (request.path == "/sitemap.xml")
            return {
                200,
                {},
                fmt::format("<urlset><url><loc>{0}/cats</loc></url><url><loc>{0}/cars</loc></url>"
                            "<url><loc>https://other.example/</loc></url></urlset>",
                            server.url())};
        if (request.path == "/cats")
            return page("Pets",
                        "A kitten sleeps on the sofa all day long and dreams of milk, mice and the "
                        "warm sun.");
        if (request.path == "/cars")
            return page("Motors",
                        "The engine of a car burns petrol, turns the wheels and needs oil to keep "
                        "running.");
        return {404, {}, "no"};
    }
    static Reply page(const std::string& title, const std::string& sentence) {
        std::string body;
        for (int i = 0; i < 5; ++i) body += "<p>" + sentence + "</p>";
        return {
            200,
            {{"Content-Type", "text/html"}},
            fmt::format(
                "<html><head><title>{0}</title></head><body><article><h1>{0}</h1>{1}<p>More about "
                "this is on <a href=/cars>the page about cars</a>, which is long and full of "
                "pictures.</p></article></body></html>",
                title, body)};
    }
    int count(const std::string& path) {
        const std::lock_guard lock{mutex};
        return asked[path];
    }
    // Starts the command, lets `path` never answer, kills it when that is asked for, and runs it again.
    int killed_at(const std::string& path, const std::vector<std::string>& given) {
        {
            const std::lock_guard lock{mutex};
            hang_at = path;
        }
        Command first{words(given), environment};
        {
            std::unique_lock lock{mutex};
            happened.wait(lock, [&] { return asked[path] > 0; });
            hang_at.clear();
        }
        first.kill();
        EXPECT_EQ(first.wait(), -1);
        return belay(given);
    }

    std::filesystem::path folder;
    std::map<std::string, std::string> environment;
    std::string out;
    std::mutex mutex;
    std::condition_variable happened;
    std::map<std::string, int> asked;
    std::string hang_at;
    http::testkit::TestServer server{[this](const Received& request) { return reply(request); }};
};

TEST_F(ContentTest, pages_are_fetched_listed_read_and_found_by_a_word_that_stands_nowhere) {
    ASSERT_EQ(
        belay({"fetch", server.url("/cats"), server.url("/none"), server.url("/cars"), "--json"}),
        1)
        << out;
    const auto fetched = lines();
    ASSERT_EQ(fetched.size(), 3u) << out;
    EXPECT_EQ(fetched[0].at("status").as_string(), "succeeded");
    EXPECT_EQ(fetched[1].at("status").as_string(), "failed");
    EXPECT_NE(std::string(fetched[1].at("error").as_string()).find("404"), std::string::npos);
    EXPECT_EQ(fetched[2].at("result").at("metadata").at("title").as_string(), "Motors");

    ASSERT_EQ(belay({"list", "--status", "FETCHED", "--json"}), 0);
    EXPECT_EQ(answer().at("documents").as_array().size(), 2u);

    ASSERT_EQ(belay({"get", server.url("/cats"), "--json"}), 0);
    for (const char* name : {"url", "title", "author", "date", "site", "description", "language",
                             "text", "markdown", "links"})
        EXPECT_TRUE(answer().as_object().contains(name)) << name;
    EXPECT_NE(std::string(answer().at("text").as_string()).find("dreams of milk"),
              std::string::npos);

    ASSERT_EQ(belay({"search", "feline", "--json"}), 0);
    EXPECT_EQ(answer().at("results").at(0).at("title").as_string(), "Pets");
    ASSERT_EQ(belay({"search", "petrol", "--json"}), 0);
    EXPECT_EQ(answer().at("results").at(0).at("title").as_string(), "Motors");

    ASSERT_EQ(belay({"links", server.url("/cats"), "--json"}), 0);
    EXPECT_EQ(answer().at("links").at(0).at("document_id"), fetched[2].at("document_id"));

    ASSERT_EQ(belay({"index", "--all", "--json"}), 0) << out;
    ASSERT_EQ(belay({"stats", "--json"}), 0);
    EXPECT_EQ(answer().at("indexed").as_int64(), 2);
    EXPECT_EQ(answer().at("failed").as_int64(), 1);
}

TEST_F(ContentTest, the_pages_that_a_site_lists_are_kept_and_fetched) {
    ASSERT_EQ(belay({"map", server.url(), "--json"}), 0) << out;
    EXPECT_EQ(answer().at("urls").as_array().size(), 2u);
    EXPECT_EQ(answer().at("new").as_int64(), 2);
    ASSERT_EQ(belay({"fetch", "--include", "*/c*", "--dry-run", "--json"}), 0);
    EXPECT_EQ(answer().at("documents").as_int64(), 2);
    EXPECT_EQ(count("/cats"), 0);

    ASSERT_EQ(belay({"fetch", "--include", "*/c*", "--json"}), 0) << out;

    EXPECT_EQ(lines().size(), 2u);
    EXPECT_EQ(count("/cats"), 1);
}

TEST_F(ContentTest, an_address_of_a_private_network_is_refused_unless_allowed) {
    environment["BELAY_FETCH_ALLOW"] = "10.0.0.0/8";

    EXPECT_EQ(belay({"fetch", server.url("/cats"), "--ignore-robots", "--json"}), 1);

    EXPECT_NE(out.find("loopback"), std::string::npos) << out;
    EXPECT_EQ(count("/cats"), 0);
}

// ---- specification 001, with kill -9

TEST_F(ContentTest, killed_while_the_page_is_fetched_it_is_fetched_by_the_next_command) {
    ASSERT_EQ(killed_at("/cats", {"fetch", server.url("/cats"), "--json"}), 0) << out;
    EXPECT_EQ(count("/cats"), 2);  // one that never answered
    EXPECT_EQ(count("/v1/embeddings"), 1);
}

TEST_F(ContentTest, killed_while_it_is_embedded_no_page_is_fetched_again) {
    ASSERT_EQ(killed_at("/v1/embeddings", {"fetch", server.url("/cats"), "--json"}), 0) << out;
    EXPECT_EQ(count("/cats"), 1);
    EXPECT_EQ(count("/v1/embeddings"), 2);
}

TEST_F(ContentTest, killed_while_it_is_indexed_nothing_is_fetched_or_embedded_again) {
    ASSERT_EQ(
        killed_at("/v1/chat/completions", {"fetch", server.url("/cats"), "--index", "--json"}), 0)
        << out;
    EXPECT_EQ(count("/cats"), 1);
    EXPECT_EQ(count("/v1/embeddings"), 1);
    EXPECT_EQ(count("/v1/chat/completions"), 2);
    EXPECT_EQ(lines().at(0).at("result").at("facts").at("content_type").as_string(), "blog");
}

}  // namespace
}  // namespace belay
