// openapi_test.cpp — /openapi.json against the running server: whatever it lists is there, and answers as
// it says.
#include <gtest/gtest.h>

#include "service/api/openapi.hpp"
#include "service/server/server_bench.hpp"

namespace belay::server {
namespace {

namespace json = boost::json;

std::string upper(std::string_view word) {
    std::string out{word};
    for (char& c : out) c = static_cast<char>(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c);
    return out;
}

// The path with its parameters filled in.
std::string filled(std::string path) {
    for (auto open = path.find('{'); open != std::string::npos; open = path.find('{'))
        path.replace(open, path.find('}') - open + 1, "july");
    return path;
}

// What an answer breaks of what the description says about it.
std::string breaks(const json::object& operation, const Answer& answer) {
    const auto& responses = operation.at("responses").as_object();
    const auto* told = responses.if_contains(std::to_string(answer.status));
    if (told == nullptr)
        return "status " + std::to_string(answer.status) + " is not in the description\n";
    const auto* content = told->as_object().if_contains("content");
    if (content == nullptr) return "";
    const std::string type{
        answer.headers.get("Content-Type").substr(0, answer.headers.get("Content-Type").find(';'))};
    const auto* form = content->as_object().if_contains(type);
    if (form == nullptr) return "content type " + type + " is not in the description\n";
    if (type != "application/json") return "";
    const auto& schema = form->at("schema").as_object();
    std::string text;
    for (const auto& one : api::schema_violations(
             json::parse(answer.body), schema.contains("$ref") ? api::error_schema() : schema))
        text += one + "\n";
    return text;
}

TEST(Openapi, every_path_it_lists_is_there_and_answers_as_it_says) {
    ServerBench b;
    Client client = b.client();
    const auto document = json::parse(client.get("/openapi.json").body);
    int walked = 0;

    for (const auto& [path, methods] : document.at("paths").as_object()) {
        for (const auto& [method, operation] : methods.as_object()) {
            const std::string target = filled(path);
            if (target == "/slow" || target == "/endless") continue;  // they wait for the test
            SCOPED_TRACE(std::string(method) + " " + target);
            Client one = b.client();
            one.send(upper(method) + " " + target +
                     " HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n");
            const Answer answer = one.receive();
            EXPECT_NE(answer.status, 405);
            // A run that does not exist is 404 by its handler, which the description lists.
            EXPECT_EQ(breaks(operation.as_object(), answer), "") << answer.body.substr(0, 300);
            ++walked;
        }
    }
    EXPECT_GE(walked, 10);
}

TEST(Openapi, with_a_run_the_answers_have_their_described_shape) {
    ServerBench b;
    const auto document = json::parse(b.client().get("/openapi.json").body);
    const auto check = [&](const std::string& method, const std::string& path) {
        Client one = b.client();
        one.send(upper(method) + " " + filled(path) +
                 " HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n");
        const Answer answer = one.receive();
        EXPECT_LT(answer.status, 500) << path;
        EXPECT_EQ(breaks(document.at("paths").at(path).at(method).as_object(), answer), "")
            << path << answer.body;
        return answer.status;
    };
    EXPECT_EQ(check("get", "/api/runs"), 200);
    EXPECT_EQ(check("get", "/api/runs/{id}"), 200);
    EXPECT_EQ(check("get", "/api/runs/{id}/why"), 200);
    for (const char* verb : {"cancel", "pause", "resume", "retry"})
        EXPECT_EQ(check("post", std::string("/api/runs/{id}/") + verb), 409);
}

}  // namespace
}  // namespace belay::server
