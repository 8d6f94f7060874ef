// routes_test.cpp — what was found, as requests and answers, without a socket.
#include "ingestion/workflows/paper/api/routes.hpp"

#include <algorithm>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <boost/json.hpp>

#include "ingestion/ai/rules/typed_page.hpp"
#include "ingestion/ingest/api/routes.hpp"
#include "ingestion/ingest/api/upload_sink.hpp"
#include "ingestion/workflows/paper/export.hpp"
#include "ingestion/workflows/paper/paper_bench.hpp"

namespace belay::workflows {
namespace {

namespace json = boost::json;
using api::Method;
using api::Response;
using samples::Language;

struct RoutesBench : PaperBench {
    RoutesBench() {
        add_paper_routes(routes, services, uploads);
        ingest::add_ingest_routes(routes, uploads);
    }

    Response send(Method method, std::string target, std::string body = {},
                  std::string organization = "acme", api::Form form = {}) {
        api::Request request;
        request.method = method;
        api::set_target(request, std::move(target));
        request.caller.organization_id = std::move(organization);
        request.body = std::move(body);
        request.form = std::move(form);
        const auto match = routes.match(method, request.path);
        const auto& found = std::get<api::Found>(match);
        request.parameters = found.parameters;
        return found.route->call(request, {}).response();
    }
    json::value get(const std::string& target) {
        const Response response = send(Method::Get, target);
        EXPECT_EQ(response.status, 200);
        return json::parse(std::get<std::string>(response.body));
    }
    std::string text(const std::string& target) {
        return std::get<std::string>(send(Method::Get, target).body);
    }

    api::Routes routes;
    ingest::ObjectSink sink{store, 1 << 20};
};

TEST(PaperRoutes, who_waits_for_the_helper_is_told_to_its_own_organization) {
    RoutesBench b;
    const auto first = b.turns.wait({"acme", isolate::JobKind::Long, "run_a", "ocr_page_1"}, {});
    const auto second = b.turns.wait({"other", isolate::JobKind::Long, "run_b", "ocr"}, {});
    std::stop_source stop;
    b.turns.ask({"acme", isolate::JobKind::Long, "run_a", "ocr_page_2"}, stop.get_token(),
                [](auto) {});

    const auto jobs = b.get("/api/helper/jobs").at("jobs").as_array();

    ASSERT_EQ(jobs.size(), 2u);
    EXPECT_EQ(jobs[0].at("stage_key").as_string(), "ocr_page_1");
    EXPECT_EQ(jobs[0].at("status").as_string(), "working");
    EXPECT_EQ(jobs[1].at("workflow_run_id").as_string(), "run_a");
    EXPECT_EQ(jobs[1].at("status").as_string(), "waiting");
    EXPECT_EQ(jobs[1].at("since").as_string(), "2030-01-01T00:00:00.000Z");
    stop.request_stop();
}

TEST(PaperRoutes, a_run_of_which_one_page_is_read_while_another_waits_is_at_work) {
    RoutesBench b;
    const auto read = b.turns.wait({"acme", isolate::JobKind::Long, "run_a", "ocr_page_1"}, {});
    const auto other = b.turns.wait({"other", isolate::JobKind::Long, "run_b", "ocr"}, {});
    std::stop_source stop;
    for (const char* run : {"run_a", "run_c"})
        b.turns.ask({"acme", isolate::JobKind::Long, run, "ocr_page_2"}, stop.get_token(),
                    [](auto) {});
    b.turns.ask({"other", isolate::JobKind::Long, "run_d", "ocr"}, stop.get_token(), [](auto) {});

    EXPECT_EQ(runs_without_turn(b.services, "acme"), std::set<std::string>{"run_c"});
    EXPECT_EQ(runs_without_turn(b.services, "other"), std::set<std::string>{"run_d"});
    stop.request_stop();
}

TEST(PaperRoutes, a_picture_of_a_page_does_not_wait_for_papers_that_are_read) {
    RoutesBench b;
    const auto sample = samples::make_receipt(2, Language::Swedish);
    const auto file = b.upload("a receipt", samples::pages_of(sample.sheets), "receipt");
    b.result(file);
    const auto one = b.turns.wait({"acme"}, {}), two = b.turns.wait({"acme"}, {});

    const Response picture =
        b.send(Method::Get, "/api/files/" + std::string(file.file_id) + "/pages/1");

    EXPECT_EQ(picture.status, 200);
}

TEST(PaperRoutes, a_receipt_is_listed_and_shown_with_boxes_entries_and_history) {
    RoutesBench b;
    const auto sample = samples::make_receipt(2, Language::Swedish);
    const auto file = b.upload("a receipt", samples::pages_of(sample.sheets), "receipt");
    b.result(file);

    const auto list = b.get("/api/receipts").at("receipts").as_array();
    ASSERT_EQ(list.size(), 1u);
    EXPECT_EQ(list[0].at("file_id").as_string(), file.file_id);
    EXPECT_EQ(list[0].at("total").as_string(), *sample.truth.total);

    const auto one = b.get("/api/receipts/" + file.file_id);
    EXPECT_EQ(one.at("workflow_run_id").as_string(), file.workflow_run_id);
    EXPECT_EQ(one.at("detail").at("total").at("value").as_string(), *sample.truth.total);
    EXPECT_TRUE(one.at("detail").at("total").at("box").is_object());
    EXPECT_FALSE(one.at("entries").as_array().empty());
    EXPECT_EQ(one.at("history").as_array().size(), 5u);
    EXPECT_EQ(one.at("pages").as_array().size(), 1u);
    EXPECT_THROW(b.send(Method::Get, "/api/receipts/" + file.file_id, "", "other"), api::ApiError);
    EXPECT_TRUE(b.get("/api/invoices").at("invoices").as_array().empty());
}

TEST(PaperRoutes, uploads_say_of_every_paper_what_was_found_why_it_failed_and_when_it_ended) {
    RoutesBench b;
    const auto receipt = samples::make_receipt(2, Language::Swedish);
    b.result(b.upload("a receipt", samples::pages_of(receipt.sheets), "receipt", "receipt"));
    const auto invoice = samples::make_invoice(5, Language::Swedish, 3);
    b.result(b.upload("an invoice", samples::pages_of(invoice.sheets), "invoice", "invoice"));
    const auto statement = samples::make_statement(3, Language::Swedish, 20);
    const auto card = b.upload("a statement", samples::pages_of(statement.sheets),
                               "creditcard_invoice", "statement");
    b.result(card);
    b.failure(b.upload("broken", {}, "invoice", "broken").workflow_run_id);

    const auto rows = b.get("/api/uploads").at("uploads").as_array();

    ASSERT_EQ(rows.size(), 4u);
    for (const json::value& row : rows) EXPECT_TRUE(row.at("completed_at").is_string());
    EXPECT_EQ(rows[0].at("status").as_string(), "failed");
    EXPECT_NE(std::string(rows[0].at("error").as_string()).find("(broken)"), std::string::npos);
    EXPECT_TRUE(rows[0].at("found").is_null());
    EXPECT_EQ(rows[1].at("found").at("statement_id").as_string(), card.file_id);
    EXPECT_EQ(rows[1].at("found").at("number").as_string(), *statement.truth.invoice_number);
    EXPECT_EQ(rows[1].at("found").at("lines").to_number<int>(), 20);
    EXPECT_EQ(rows[2].at("found").at("merchant").as_string(), *invoice.truth.seller_name);
    EXPECT_EQ(rows[3].at("found").at("kind").as_string(), "receipt");
    EXPECT_EQ(rows[3].at("found").at("total").as_string(), *receipt.truth.total);
    EXPECT_TRUE(rows[3].at("error").is_null());
}

TEST(PaperRoutes, a_canceled_paper_is_canceled_and_not_failed) {
    RoutesBench b;
    const auto sample = samples::make_receipt(2, Language::Swedish);
    b.reader.before_page = [&](int) {
        b.engine.cancel(b.value<std::string>("SELECT workflow_run_id FROM unified_files"),
                        "a test");
    };

    b.failure(b.upload("a receipt", samples::pages_of(sample.sheets), "receipt").workflow_run_id);

    const auto rows = b.get("/api/uploads?state=canceled").at("uploads").as_array();
    ASSERT_EQ(rows.size(), 1u);
    EXPECT_EQ(rows[0].at("status").as_string(), "canceled");
    EXPECT_TRUE(rows[0].at("completed_at").is_string());
    EXPECT_TRUE(b.get("/api/uploads?state=failed").at("uploads").as_array().empty());
}

TEST(PaperRoutes, an_invoice_and_its_lines_as_csv) {
    RoutesBench b;
    const auto sample = samples::make_invoice(5, Language::Swedish, 30);
    const auto file = b.upload("an invoice", samples::pages_of(sample.sheets), "invoice");
    b.result(file);

    const auto one = b.get("/api/invoices/" + file.file_id);
    EXPECT_EQ(one.at("invoice_number").as_string(), *sample.truth.invoice_number);
    EXPECT_EQ(one.at("pages").as_array().size(), sample.sheets.size());
    const std::string csv = b.text("/api/invoices/" + file.file_id + "/lines.csv");
    EXPECT_EQ(static_cast<std::size_t>(std::ranges::count(csv, '\n')),
              sample.truth.lines.size() + 1);
    EXPECT_EQ(b.get("/api/files/" + file.file_id + "/pages?words=1").at("pages").at(0).at("number"),
              1);
    EXPECT_EQ(b.text("/api/files/" + file.file_id + "/pages/1"), "a picture");
}

TEST(PaperRoutes, a_statement_is_matched_by_hand_over_http) {
    RoutesBench b;
    const auto sample = samples::make_statement(3, Language::Swedish, 20);
    const auto file = b.upload("a statement", samples::pages_of(sample.sheets), "statement");
    b.result(file);
    const auto receipt_sample = samples::make_receipt(2, Language::Swedish);
    const auto receipt = b.upload("a receipt", samples::pages_of(receipt_sample.sheets), "receipt");
    b.result(receipt);

    const std::string path = "/api/card-invoices/" + file.file_id;
    const auto one = b.get(path);
    EXPECT_EQ(one.at("invoice_number").as_string(), *sample.truth.invoice_number);
    EXPECT_EQ(b.get("/api/card-invoices").at("card_invoices").as_array().size(), 1u);
    const auto lines = b.get(path + "/lines").at("lines").as_array();
    ASSERT_EQ(lines.size(), 20u);
    const auto line = [&](std::size_t i) {
        return path + "/lines/" + std::to_string(lines[i].at("id").as_int64());
    };
    const std::string link = json::serialize(json::object{{"file_id", receipt.file_id}});

    EXPECT_EQ(b.send(Method::Post, line(0) + "/match", link).status, 200);
    const Response taken = b.send(Method::Post, line(1) + "/match", link);
    EXPECT_EQ(taken.status, 409);
    EXPECT_EQ(json::parse(std::get<std::string>(taken.body)).at("error").at("code"),
              "receipt_in_use");
    EXPECT_EQ(b.send(Method::Post, line(0) + "/confirm").status, 200);
    EXPECT_THROW(b.send(Method::Post, line(0) + "/reject"), api::ApiError);
    EXPECT_EQ(b.get(path + "/matches").at("matches").as_array().size(), 1u);
    EXPECT_EQ(b.send(Method::Post, path + "/match").status, 200);
    EXPECT_TRUE(b.get(path + "/candidates").at("candidates").is_array());
    EXPECT_FALSE(b.text(path + "/lines.csv").empty());
    EXPECT_THROW(b.send(Method::Get, path, "", "other"), api::ApiError);
}

TEST(PaperRoutes, a_statement_sent_twice_is_refused_by_name) {
    RoutesBench b;
    const auto sample = samples::make_statement(3, Language::Swedish, 20);
    b.reader.documents["%PDF-1.4 a statement"] = samples::pages_of(sample.sheets);
    const auto send = [&] {
        api::Form form;
        auto upload = b.sink.begin({"acme", "invoice", "s.pdf", ""});
        const std::string bytes = "%PDF-1.4 a statement";
        upload->write(std::as_bytes(std::span(bytes)));
        form.files.push_back({"invoice", "s.pdf", "", bytes.size(), "", std::move(upload)});
        return b.send(Method::Post, "/api/card-invoices", "", "acme", std::move(form));
    };

    EXPECT_EQ(send().status, 201);
    const Response again = send();

    EXPECT_EQ(again.status, 409);
    EXPECT_EQ(json::parse(std::get<std::string>(again.body)).at("error").at("code"),
              "duplicate_invoice");
}

media::Page foreign_receipt() {
    return ai::rules::typed_page(
        "KEDAI KOPI SDN BHD\n"
        "25/12/2018 08:13:39\n"
        "RECEIPT\n"
        "Coffee           13.10\n"
        "TOTAL RM         13.10\n");
}

TEST(PaperRoutes, a_receipt_in_a_foreign_currency_is_not_booked_and_the_file_says_so) {
    RoutesBench b;
    const auto sample = samples::make_receipt(2, Language::Swedish);
    b.result(b.upload("a receipt", samples::pages_of(sample.sheets), "receipt", "home"));
    b.result(b.upload("another", {foreign_receipt()}, "receipt", "away"));

    const std::string sie = b.text("/api/export/sie");

    EXPECT_EQ(sie.find("13.10"), std::string::npos);
    EXPECT_NE(sie.find("#PROSA \"Left out: 1 receipt in another currency than SEK\"\r\n"),
              std::string::npos);
    EXPECT_EQ(sie_comment(sie), "Left out: 1 receipt in another currency than SEK");
    EXPECT_EQ(sie.find("#VER"), sie.rfind("#VER"));
    EXPECT_NE(b.text("/api/export/receipts.csv").find("13.10"), std::string::npos);
}

TEST(PaperRoutes, the_date_of_a_receipt_in_csv_is_a_day) {
    RoutesBench b;
    b.result(b.upload("a receipt", {foreign_receipt()}, "receipt"));

    const std::string csv = b.text("/api/export/receipts.csv");

    EXPECT_NE(csv.find(",2018-12-25,"), std::string::npos) << csv;
}

TEST(PaperRoutes, lines_and_matches_take_no_parameters) {
    RoutesBench b;
    const auto sample = samples::make_statement(3, Language::Swedish, 20);
    const auto file = b.upload("a statement", samples::pages_of(sample.sheets), "statement");
    b.result(file);

    const std::string path = "/api/card-invoices/" + file.file_id;
    EXPECT_THROW(b.send(Method::Get, path + "/lines?limit=2"), api::ApiError);
    EXPECT_THROW(b.send(Method::Get, path + "/matches?foo=2"), api::ApiError);
}

std::string header_of(const Response& response, std::string_view name) {
    return std::string(response.headers.find(name).value_or(""));
}

TEST(PaperRoutes, a_thumbnail_is_made_once_and_meanwhile_there_is_something_to_show) {
    RoutesBench b;
    const auto sample = samples::make_receipt(2, Language::Swedish);
    const auto file = b.upload("a receipt", samples::pages_of(sample.sheets), "receipt");
    b.result(file);
    const std::string path = "/api/files/" + file.file_id + "/thumbnail";

    {  // somebody else looks: it is not waited for
        const auto look = b.turns.wait({"other", isolate::JobKind::Look}, {});
        const Response first = b.send(Method::Get, path);
        EXPECT_EQ(first.status, 200);
        EXPECT_EQ(header_of(first, "Content-Type"), "image/svg+xml");
        EXPECT_EQ(header_of(first, "Cache-Control"), "no-store");
    }
    while (header_of(b.send(Method::Get, path), "Content-Type") != "image/jpeg")
        std::this_thread::yield();

    EXPECT_EQ(b.text(path), "a picture");
    EXPECT_EQ(b.count("file_thumbnails"), 1);
    EXPECT_THROW(b.send(Method::Get, path, "", "other"), api::ApiError);
    b.uploads.remove("acme", file.file_id);
    EXPECT_EQ(b.count("file_thumbnails"), 0);
}

// Names, in the order of the answer.
std::string names_in(const json::value& answer, std::string_view list) {
    std::string out;
    for (const auto& row : answer.at(list).as_array())
        out += (out.empty() ? "" : " ") + std::string(row.at("name").as_string());
    return out;
}

TEST(PaperRoutes, receipts_are_found_by_text_day_amount_and_match_counted_and_sorted) {
    RoutesBench b;
    const auto typed = [&](const std::string& name, const std::string& shop, const std::string& day,
                           const std::string& total) {
        b.result(b.upload(
            name,
            {ai::rules::typed_page(shop + "\nOrg.nr 556012-5790\nDatum " + day + " 14:32\nVara " +
                                   total + "\nTOTALT SEK " + total + "\n")},
            "receipt", name));
    };
    typed("first", "LAMPAN AB", "2026-09-16", "499,00");
    typed("second", "KAFFE AB", "2026-09-20", "35,00");
    typed("third", "LAMPAN AB", "2026-10-02", "1250,50");
    const auto found = [&](const std::string& query) {
        return names_in(b.get("/api/receipts?" + query), "receipts");
    };

    EXPECT_EQ(found("q=lampan"), "third.png first.png");
    EXPECT_EQ(found("q=1250,50"), "third.png");
    EXPECT_EQ(found("q=SECOND"), "second.png");
    EXPECT_EQ(found("from=2026-09-17&to=2026-09-30"), "second.png");
    EXPECT_EQ(found("least=100&most=500"), "first.png");
    EXPECT_EQ(found("sort=-total"), "third.png first.png second.png");
    EXPECT_EQ(found("sort=date&limit=2"), "first.png second.png");
    EXPECT_EQ(found("matched=1"), "");
    EXPECT_EQ(b.get("/api/receipts?q=lampan&limit=1").at("total").as_int64(), 2);
    const auto page = b.get("/api/receipts?sort=date&limit=2");
    EXPECT_EQ(found("sort=date&cursor=" + std::string(page.at("next_cursor").as_string())),
              "third.png");
    EXPECT_THROW(b.get("/api/receipts?sort=colour"), api::ApiError);
    EXPECT_THROW(b.get("/api/receipts?least=much"), api::ApiError);
    EXPECT_EQ(json::parse(b.text("/api/receipts")).at("receipts").as_array().size(), 3u);
}

TEST(PaperRoutes, rows_of_a_receipt_are_corrected_and_booked_as_they_are_now) {
    RoutesBench b;
    const auto sample = samples::make_receipt(2, Language::Swedish);
    const auto file = b.upload("a receipt", samples::pages_of(sample.sheets), "receipt");
    b.result(file);
    const std::string path = "/api/receipts/" + file.file_id;
    const auto correct = [&](const std::string& body) { return b.send(Method::Patch, path, body); };

    EXPECT_EQ(correct(R"({"total": "100.00", "vat": [{"rate": "25", "amount": "20.00"}],
        "items": [{"name": "Lamp", "quantity": "1", "amount": "100.00"}]})")
                  .status,
              200);

    const auto one = b.get(path);
    EXPECT_EQ(one.at("items").as_array().size(), 1u);
    EXPECT_EQ(one.at("items").at(0).at("name").as_string(), "Lamp");
    EXPECT_EQ(one.at("vat").at(0).at("amount").as_string(), "20.00");
    EXPECT_EQ(one.at("detail").at("items").at(0).at("confidence").to_number<double>(), 1.0);
    EXPECT_NE(json::serialize(one.at("entries")).find("80.00"), std::string::npos);
    EXPECT_EQ(b.count("receipt_items"), 1);
    EXPECT_EQ(b.file_text(file.file_id, "total_vat_25"), "20.00");
    for (const char* wrong : {R"({"items": [{"name": "x"}]})", R"({"items": [7]})",
                              R"({"lines": []})", R"({"items": [{"amount": "1", "colour": "2"}]})"})
        EXPECT_THROW(correct(wrong), api::ApiError) << wrong;
    EXPECT_EQ(b.count("receipt_items"), 1);
}

TEST(PaperRoutes, an_approval_can_be_taken_back) {
    RoutesBench b;
    const auto file = b.upload("another", {foreign_receipt()}, "receipt", "away");
    b.result(file);
    const std::string path = "/api/receipts/" + file.file_id;
    ASSERT_EQ(b.get(path).at("status").as_string(), "manual_review");
    EXPECT_EQ(b.get("/api/review").at("total").as_int64(), 1);

    b.send(Method::Post, path + "/approve");
    EXPECT_EQ(b.get(path).at("status").as_string(), "completed");
    EXPECT_EQ(b.get(path).at("approved_by").as_string(), "api");
    EXPECT_EQ(b.get("/api/review").at("total").as_int64(), 0);

    b.send(Method::Post, path + "/reopen");
    EXPECT_EQ(b.get(path).at("status").as_string(), "manual_review");
    EXPECT_TRUE(b.get(path).at("approved_by").is_null());
    EXPECT_THROW(b.send(Method::Post, path + "/reopen", "", "other"), api::ApiError);
}

// All that a body gives, at whatever size it is asked for.
std::string bytes_of(const Response& response, std::size_t at_once) {
    const auto& stream = std::get<api::StreamBody>(response.body);
    std::string out;
    std::vector<std::byte> space(at_once);
    while (const std::size_t got = stream.source->read(space))
        out.append(reinterpret_cast<const char*>(space.data()), got);
    EXPECT_EQ(out.size(), stream.length);
    return out;
}

TEST(PaperRoutes, originals_are_one_zip_of_the_length_that_was_said) {
    RoutesBench b;
    const auto sample = samples::make_receipt(2, Language::Swedish);
    b.result(b.upload("a receipt", samples::pages_of(sample.sheets), "receipt", "one"));
    b.result(b.upload("an invoice", samples::pages_of(sample.sheets), "invoice", "two"));
    b.upload("not ours", {}, "receipt", "three", "other");

    const std::string zip = bytes_of(b.send(Method::Get, "/api/export/originals.zip"), 7);

    EXPECT_EQ(zip, bytes_of(b.send(Method::Get, "/api/export/originals.zip"), 1 << 16));
    EXPECT_EQ(zip.substr(0, 4), "PK\x03\x04");
    EXPECT_NE(zip.find("a receipt"), std::string::npos);
    EXPECT_NE(zip.find("two.pdf"), std::string::npos);
    EXPECT_EQ(zip.find("three"), std::string::npos);
    const std::string some =
        bytes_of(b.send(Method::Get, "/api/export/originals.zip?kind=invoice"), 100);
    EXPECT_EQ(some.find("one.png"), std::string::npos);
}

TEST(PaperRoutes, entries_are_exported_as_sie) {
    RoutesBench b;
    const auto sample = samples::make_receipt(2, Language::Swedish);
    b.result(b.upload("a receipt", samples::pages_of(sample.sheets), "receipt"));

    const std::string sie = b.text("/api/export/sie");

    EXPECT_NE(sie.find("#SIETYP 4"), std::string::npos);
    EXPECT_NE(sie.find("#VER"), std::string::npos);
    EXPECT_EQ(b.text("/api/export/sie?from=1990-01-01&to=1990-12-31").find("#VER"),
              std::string::npos);
    EXPECT_THROW(b.text("/api/export/sie?from=yesterday"), api::ApiError);
    EXPECT_NE(b.text("/api/export/receipts.csv").find(*sample.truth.total), std::string::npos);
}

}  // namespace
}  // namespace belay::workflows
