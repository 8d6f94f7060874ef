// routes_test.cpp — uploads and files as requests and answers, without a socket.
#include "ingestion/ingest/api/routes.hpp"

#include <gtest/gtest.h>
#include <boost/json.hpp>

#include "ingestion/ingest/api/event_views.hpp"
#include "ingestion/ingest/api/events.hpp"
#include "ingestion/ingest/api/upload_sink.hpp"
#include "ingestion/ingest/api/views.hpp"
#include "ingestion/ingest/inbox_worker.hpp"
#include "ingestion/ingest/ingest_bench.hpp"
#include "service/api/api.hpp"
#include "service/api/tokens.hpp"

namespace belay::ingest {
namespace {

namespace json = boost::json;
using api::Method;
using api::Response;

struct RoutesBench : IngestBench {
    RoutesBench() {
        add_ingest_routes(routes, uploads);
        add_event_routes(routes, inbox);
    }

    Response send(Method method, std::string target, std::string organization = "acme",
                  api::Form form = {}, std::string body = "") {
        api::Request request;
        request.body = std::move(body);
        request.caller.token_id = "tok_1";
        request.method = method;
        api::set_target(request, std::move(target));
        request.caller.organization_id = std::move(organization);
        request.form = std::move(form);
        const auto match = routes.match(method, request.path);
        const auto& found = std::get<api::Found>(match);
        request.parameters = found.parameters;
        return found.route->call(request, {}).response();
    }
    void add_file(api::Form& form, const std::string& name, const std::string& bytes,
                  const std::string& field = "files") {
        auto upload = sink.begin({"acme", field, name, ""});
        upload->write(std::as_bytes(std::span(bytes)));
        form.files.push_back({field, name, "", bytes.size(), "", std::move(upload)});
    }
    static json::value body(const Response& response) {
        return json::parse(std::get<std::string>(response.body));
    }

    env::SeededRandom random{7};
    Inbox inbox{engine, clock, random};
    InboxWorker worker{inbox, store, {"IMAGE_CLASSIFICATION"}};
    api::Routes routes;
    ObjectSink sink{store, 1 << 20};
};

const std::string kJpeg = "\xFF\xD8\xFF\xE0 a picture";

TEST(IngestRoutes, a_form_field_that_nobody_reads_is_named) {
    RoutesBench b;
    api::Form form;
    form.fields.emplace_back("workflowtype", "image");
    b.add_file(form, "photo.jpg", kJpeg);

    try {
        b.send(Method::Post, "/ingest/upload", "acme", std::move(form));
        FAIL() << "it was taken";
    } catch (const api::ApiError& refused) {
        EXPECT_NE(std::string(refused.what()).find("`workflowtype`"), std::string::npos);
    }
    EXPECT_EQ(b.count("unified_files"), 0);
}

TEST(IngestRoutes, an_upload_answers_for_each_file_and_is_listed) {
    RoutesBench b;
    api::Form form;
    form.fields.emplace_back("workflow_type", "image");
    b.add_file(form, "photo.jpg", kJpeg);
    b.add_file(form, "notes.txt", "hello");

    const Response response = b.send(Method::Post, "/ingest/upload", "acme", std::move(form));

    EXPECT_EQ(response.status, 202);
    const auto answer = b.body(response);
    EXPECT_TRUE(api::schema_violations(answer, api::schema_of<UploadAnswer>()).empty());
    ASSERT_EQ(answer.at("uploads").as_array().size(), 1u);
    EXPECT_EQ(answer.at("uploads").at(0).at("key").as_string(), "acme/photo.jpg");
    EXPECT_EQ(answer.at("uploads").at(0).at("content_type").as_string(), "image/jpeg");
    EXPECT_EQ(answer.at("errors").at(0).at("name").as_string(), "notes.txt");

    const auto list = b.body(b.send(Method::Get, "/api/uploads"));
    ASSERT_EQ(list.at("uploads").as_array().size(), 1u);
    EXPECT_TRUE(
        api::schema_violations(list.at("uploads").at(0), api::schema_of<UploadView>()).empty());
    EXPECT_EQ(list.at("uploads").at(0).at("workflow_run_id"),
              answer.at("uploads").at(0).at("workflow_run_id"));
    EXPECT_TRUE(
        b.body(b.send(Method::Get, "/api/uploads", "other")).at("uploads").as_array().empty());
}

TEST(IngestRoutes, an_upload_of_which_nothing_was_taken_is_an_error_that_says_why) {
    RoutesBench b;
    const auto sent = [&](const std::string& name, const std::string& bytes,
                          const std::string& field = "files") {
        api::Form form;
        b.add_file(form, name, bytes, field);
        return b.send(Method::Post, "/ingest/upload", "acme", std::move(form));
    };

    const Response text = sent("fake.pdf", "this is no PDF");
    const Response empty = sent("empty.jpg", "");
    const Response elsewhere = sent("photo.jpg", kJpeg, "file");

    EXPECT_EQ(text.status, 415);
    const auto told = b.body(text);
    EXPECT_EQ(told.at("error").at("code").as_string(), "unsupported_media_type");
    EXPECT_EQ(told.at("error").at("message").as_string(),
              "fake.pdf: this is text/plain; PDF, XML, PNG, JPEG, WebP and GIF files are taken");
    EXPECT_TRUE(told.at("uploads").as_array().empty());
    EXPECT_EQ(told.at("errors").at(0).at("name").as_string(), "fake.pdf");
    EXPECT_EQ(empty.status, 400);
    EXPECT_EQ(b.body(empty).at("errors").at(0).at("error").as_string(), "this file is empty");
    EXPECT_EQ(elsewhere.status, 400);
    EXPECT_EQ(b.body(elsewhere).at("error").at("message").as_string(),
              "photo.jpg: send files in the field `files`, not `file`");
    EXPECT_EQ(b.count("unified_files"), 0);
}

TEST(IngestRoutes, files_refused_for_several_reasons_are_a_bad_request_that_counts_them) {
    RoutesBench b;
    api::Form form;
    b.add_file(form, "notes.txt", "hello");
    b.add_file(form, "empty.jpg", "");

    const Response response = b.send(Method::Post, "/ingest/upload", "acme", std::move(form));

    EXPECT_EQ(response.status, 400);
    EXPECT_EQ(b.body(response).at("errors").as_array().size(), 2u);
    EXPECT_TRUE(std::string_view(b.body(response).at("error").at("message").as_string())
                    .starts_with("none of the 2 files was taken; notes.txt: this is text/plain"));
}

TEST(IngestRoutes, a_type_that_is_not_there_and_a_form_without_files_are_refused) {
    RoutesBench b;
    api::Form form;
    form.fields.emplace_back("workflow_type", "picture");
    b.add_file(form, "photo.jpg", kJpeg);
    EXPECT_THROW(b.send(Method::Post, "/ingest/upload", "acme", std::move(form)), api::ApiError);
    try {
        b.send(Method::Post, "/ingest/upload");
        FAIL() << "nothing was sent";
    } catch (const api::ApiError& error) {
        EXPECT_EQ(error.problem(), api::Problem::BadRequest);
        EXPECT_NE(std::string_view(error.what()).find("`files`"), std::string_view::npos);
    }
}

TEST(IngestRoutes, a_file_is_shown_read_and_deleted_by_its_own_organization) {
    RoutesBench b;
    const Ingested file = b.upload("photo.jpg", kJpeg);
    const std::string path = "/api/files/" + file.file_id;

    EXPECT_EQ(b.body(b.send(Method::Get, path)).at("name").as_string(), "photo.jpg");
    const Response content = b.send(Method::Get, path + "/content");
    EXPECT_EQ(content.body_length(), kJpeg.size());
    EXPECT_THROW(b.send(Method::Get, path, "other"), api::ApiError);
    EXPECT_THROW(b.send(Method::Delete, path, "other"), api::ApiError);

    EXPECT_EQ(b.send(Method::Delete, path).status, 204);
    EXPECT_THROW(b.send(Method::Get, path), api::ApiError);
}

TEST(EventRoutes, notifications_are_kept_answered_handled_and_listed) {
    RoutesBench b;
    b.store.put(objects::Key{"acme/photo.jpg"}, kJpeg, {"image/jpeg", {}});
    const std::string body = R"([{"action":"PutObject","object":{"key":"acme/photo.jpg"}},
                                 {"action":"PutObject","object":{"key":"other/photo.jpg"}}, 7])";

    const Response response = b.send(Method::Post, "/events/objects", "acme", {}, body);

    EXPECT_EQ(response.status, 202);
    const auto answer = b.body(response);
    EXPECT_TRUE(api::schema_violations(answer, api::schema_of<EventsAnswer>()).empty());
    EXPECT_EQ(answer.at("messages").at(0).at("status").as_string(), "waiting");
    EXPECT_EQ(answer.at("messages").at(1).at("status").as_string(), "waiting");
    EXPECT_EQ(answer.at("messages").at(2).at("reason").as_string(), "a message is a JSON object");
    b.worker.handle_due();
    const auto list = b.body(b.send(Method::Get, "/api/inbox?status=done"));
    ASSERT_EQ(list.at("messages").as_array().size(), 1u);
    const auto violations =
        api::schema_violations(list.at("messages").at(0), api::schema_of<MessageView>());
    EXPECT_TRUE(violations.empty()) << (violations.empty() ? "" : violations.front());
    EXPECT_FALSE(list.at("messages").at(0).at("workflow_run_id").is_null());
    EXPECT_THROW(b.send(Method::Get, "/api/inbox?status=lost"), api::ApiError);
    // Its metadata did not say that the other one is acme's.
    const auto refused = b.body(b.send(Method::Get, "/api/inbox?status=invalid"));
    EXPECT_EQ(refused.at("messages").as_array().size(), 2u);
}

TEST(IngestRoutes, a_file_is_run_as_another_kind_by_one_call) {
    RoutesBench b;
    Uploads uploads{b.engine, b.store, {"IMAGE_CLASSIFICATION", "WF1_RECEIPT"}};
    api::Routes routes;
    add_ingest_routes(routes, uploads);
    b.routes = std::move(routes);
    const Ingested photo = b.upload("photo.jpg", kJpeg);
    const std::string path = "/api/files/" + photo.file_id + "/read-as";
    const auto read_as = [&](const std::string& type, const std::string& organization = "acme") {
        return b.send(Method::Post, path, organization, {},
                      json::serialize(json::object{{"workflow_type", type}}));
    };
    EXPECT_THROW(read_as("receipt", "other"), api::ApiError);
    EXPECT_THROW(read_as("image"), api::ApiError) << "it is one already";
    EXPECT_THROW(read_as("lost"), api::ApiError);
    EXPECT_THROW(read_as("invoice"), api::ApiError) << "this server does not run it";
    EXPECT_EQ(b.count("unified_files WHERE deleted_at IS NULL"), 1);

    const Response response = read_as("receipt");

    EXPECT_EQ(response.status, 202);
    const auto now = b.body(response);
    EXPECT_EQ(now.at("workflow_key").as_string(), "WF1_RECEIPT");
    EXPECT_EQ(now.at("name").as_string(), "photo.jpg");
    EXPECT_NE(now.at("file_id").as_string(), photo.file_id);
    EXPECT_EQ(b.count("unified_files WHERE deleted_at IS NULL"), 1);
    EXPECT_EQ(b.count("Upload"), 0) << "the picture's row stayed";
    EXPECT_TRUE(b.store.head(objects::Key{"acme/photo.jpg"})) << "its bytes went";
    EXPECT_THROW(read_as("receipt"), api::ApiError) << "that file is gone";
}

TEST(EventRoutes, a_body_that_is_no_json_is_acknowledged_with_the_reason) {
    RoutesBench b;

    const Response response = b.send(Method::Post, "/events/objects", "acme", {}, "{oops");

    EXPECT_EQ(response.status, 202);
    EXPECT_EQ(b.body(response).at("messages").at(0).at("reason").as_string(),
              "the body is not JSON");
    EXPECT_EQ(b.count("object_inbox"), 1);
}

TEST(EventRoutes, all_of_an_organization_are_retried_by_one_call) {
    RoutesBench b;
    b.store.put(objects::Key{"acme/photo.jpg"}, kJpeg, {"image/jpeg", {{"workflow_type", "lost"}}});
    b.send(Method::Post, "/events/objects", "acme", {},
           R"({"action":"PutObject","object":{"key":"acme/photo.jpg"}})");
    b.worker.handle_due();

    EXPECT_EQ(b.body(b.send(Method::Post, "/api/inbox/retry", "other")).at("retried"), 0);
    EXPECT_EQ(b.body(b.send(Method::Post, "/api/inbox/retry")).at("retried"), 1);
    EXPECT_EQ(b.count("object_inbox WHERE status = 'waiting'"), 1);
}

TEST(EventRoutes, a_message_is_dropped_and_retried_by_its_own_organization) {
    RoutesBench b;
    const auto answer =
        b.body(b.send(Method::Post, "/events/objects", "acme", {},
                      R"({"action":"PutObject","object":{"key":"acme/none.jpg"}})"));
    const std::string id{answer.at("messages").at(0).at("id").as_string()};

    EXPECT_THROW(b.send(Method::Post, "/api/inbox/" + id + "/drop", "other"), api::ApiError);
    EXPECT_EQ(b.body(b.send(Method::Post, "/api/inbox/" + id + "/drop")).at("status").as_string(),
              "dropped");
    EXPECT_EQ(b.body(b.send(Method::Post, "/api/inbox/" + id + "/retry")).at("status").as_string(),
              "waiting");
}

}  // namespace
}  // namespace belay::ingest
