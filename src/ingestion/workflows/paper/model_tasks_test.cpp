// model_tasks_test.cpp — a model on a real socket reads paper; what it says is believed only if it adds up.
#include <gtest/gtest.h>

#include "ingestion/ai/extractor_chain.hpp"
#include "ingestion/ai/remote/openai_extractor.hpp"
#include "ingestion/workflows/paper/model_tasks.hpp"
#include "ingestion/workflows/paper/paper_bench.hpp"
#include "service/http/curl_client.hpp"
#include "service/http/testkit/test_server.hpp"

namespace belay::workflows {
namespace {

namespace json = boost::json;
using http::testkit::Received;
using http::testkit::Reply;
using samples::Language;

// An OpenAI-compatible server that gives one answer, and whoever asks it.
struct ModelServer {
    std::string content{};                            // what the model says
    std::map<std::string, std::string> content_of{};  // the same by task, before it
    int status = 200;
    std::atomic<int> asked = 0;
    std::string last_body{};
    std::vector<std::string> tasks{};
    std::mutex mutex;
    http::testkit::TestServer server{[this](const Received& request) -> Reply {
        ++asked;
        const std::lock_guard lock{mutex};
        last_body = request.body;
        if (status != 200) return {status, {}, R"({"error": {"message": "out of order"}})"};
        const std::string task(json::parse(request.body)
                                   .at("response_format")
                                   .at("json_schema")
                                   .at("name")
                                   .as_string());
        tasks.push_back(task);
        const auto said = content_of.find(task);
        const json::object message{{"role", "assistant"},
                                   {"content", said == content_of.end() ? content : said->second}};
        return {200,
                {},
                json::serialize(json::object{
                    {"choices", {json::object{{"message", message}, {"finish_reason", "stop"}}}},
                    {"usage", {{"prompt_tokens", 1000}, {"completion_tokens", 100}}}})};
    }};
    http::CurlClient client{{.addresses = http::AddressPolicy::any()}};
    env::ManualClock clock;
    ai::remote::OpenAiExtractor extractor{
        {.endpoint = {.base_url = server.url("/v1")},
         .model = "reader-1",
         .prices = {{"reader-1", ai::Price::per_million("1", "2")}}},
        client,
        clock};

    Analyst::Models models() {
        Analyst::Models all;
        for (const auto task : {Analyst::kReceipt, Analyst::kInvoice, Analyst::kStatement})
            all[std::string(task)] = {"test-server", &extractor};
        return all;
    }
    // AI1 to AI4 ask, each what its task is.
    Analyst::Models pipeline() {
        Analyst::Models all;
        for (const auto task : {Analyst::kDocumentType, Analyst::kExpenseType, Analyst::kReceipt,
                                Analyst::kAccounting})
            all[std::string(task)] = {"test-server", &extractor};
        return all;
    }
};

struct ModelBench : ModelServer, PaperBench {
    ModelBench() : PaperBench({}, {}, models()) {}
    // As AI1 to AI4.
    explicit ModelBench(PaperOptions options) : PaperBench(std::move(options), {}, pipeline()) {}

    Cost cost_of(const std::string& stage) {
        const SqlRows rows = engine.query(
            "SELECT coalesce(cost, '{}') FROM workflow_stage_runs WHERE stage_key = ?", stage);
        return rows.empty() ? Cost{} : from_json<Cost>(rows[0].get<std::string>(0));
    }

    // Who answered that job, and what was noted about it.
    std::string answered_by(const std::string& job) {
        const SqlRows rows = engine.query(
            "SELECT provider, model_name, coalesce(log_text, '') FROM ai_processing_history "
            "WHERE job_type = ?",
            job);
        if (rows.empty()) return "nobody";
        return fmt::format("{} {}: {}", rows[0].get<std::string>(0), rows[0].get<std::string>(1),
                           rows[0].get<std::string>(2));
    }
    // The time to the next attempt passes whenever one has failed.
    json::value patient_result(const ingest::Ingested& file) {
        const auto run = engine.find<json::value>(file.workflow_run_id);
        int passed = 0;
        while (!run.wait_for(std::chrono::milliseconds{1})) {
            if (count("workflow_stage_attempts") <= passed) continue;
            ++passed;
            PaperBench::clock.advance(std::chrono::minutes{2});
        }
        return run.result();
    }
    ingest::Ingested upload_invoice() {
        invoice = samples::make_invoice(5, Language::English, 6);
        return upload("an invoice", samples::pages_of(invoice.sheets), "invoice");
    }

    samples::Sample<samples::InvoiceTruth> invoice;
};

// Two servers, of which the second is asked when the first has no answer to take.
struct TwoServers {
    ModelServer first, second;
    ai::ExtractorChain chain{links()};

    std::vector<ai::ExtractorChain::Link> links() {
        std::vector<ai::ExtractorChain::Link> out;
        for (ModelServer* each : {&first, &second}) {
            const std::string name = each == &first ? "reader-1" : "reader-2";
            ai::remote::OpenAiExtractorOptions options;
            options.endpoint.base_url = each->server.url("/v1");
            options.model = name;
            options.prices[name] = ai::Price::per_million("1", "2");
            out.push_back({each == &first ? "first" : "second",
                           std::make_unique<ai::remote::OpenAiExtractor>(
                               std::move(options), each->client, each->clock)});
        }
        return out;
    }
    Analyst::Models models() { return {{std::string(Analyst::kInvoice), {"first", &chain}}}; }
};

struct ChainBench : TwoServers, PaperBench {
    ChainBench() : PaperBench({}, {}, TwoServers::models()) {
        good = samples::make_invoice(5, Language::English, 6);
        second.content = to_json(good.truth);
    }
    json::value read() {
        return result(upload("an invoice", samples::pages_of(good.sheets), "invoice"));
    }
    std::string answered_by() {
        const SqlRows rows = engine.query(
            "SELECT provider, model_name, coalesce(log_text, '') FROM ai_processing_history "
            "WHERE job_type = 'invoice_analysis'");
        return fmt::format("{} {}: {}", rows[0].get<std::string>(0), rows[0].get<std::string>(1),
                           rows[0].get<std::string>(2));
    }
    std::string money() {
        return from_json<Cost>(value<std::string>("SELECT cost FROM workflow_stage_runs WHERE "
                                                  "stage_key = 'invoice_analysis'"))
            .money.at("USD")
            .amount();
    }
    samples::Sample<samples::InvoiceTruth> good;
};

bool has(const std::string& text, std::string_view part) {
    return text.find(part) != std::string::npos;
}

TEST(ModelTask, an_invoice_that_adds_up_is_taken_from_the_model_with_its_cost) {
    ModelBench b;
    auto said = samples::make_invoice(5, Language::English, 6).truth;
    said.seller_name = "As only the model reads it Ltd";
    b.content = to_json(said);

    const json::value result = b.result(b.upload_invoice());

    EXPECT_EQ(result.at("seller_name").as_string(), "As only the model reads it Ltd");
    EXPECT_EQ(result.at("grand_total").as_string(), *b.invoice.truth.grand_total);
    EXPECT_EQ(result.at("lines").as_array().size(), b.invoice.truth.lines.size());
    EXPECT_TRUE(has(b.answered_by("invoice_analysis"), "test-server reader-1: 6 lines"))
        << b.answered_by("invoice_analysis");
    EXPECT_EQ(b.asked, 1);
    const auto cost = from_json<Cost>(b.value<std::string>(
        "SELECT cost FROM workflow_stage_runs WHERE stage_key = 'invoice_analysis'"));
    EXPECT_EQ(cost.tokens_in, 1000);
    EXPECT_EQ(cost.money.at("USD").amount(), "0.0012");
    EXPECT_EQ(cost.counters.at("extractions"), 1);
}

TEST(ModelTask, the_next_model_answers_where_the_first_gives_no_answer_to_take) {
    auto wrong = samples::make_invoice(5, Language::English, 6).truth;
    wrong.grand_total = "999999.99";
    struct Case {
        int status;
        std::string says, why, money;
    };
    const std::vector<Case> cases{
        {503, "", "out of order", "0.0012"},
        {401, "", "out of order", "0.0012"},
        {200, "", "the answer is empty", "0.0024"},
        {200, R"({"total": 5})", "is not what was asked for", "0.0024"},
        {200, to_json(wrong), "reader-1 was not taken: its total", "0.0024"},
    };
    for (const Case& one : cases) {
        ChainBench b;
        b.first.status = one.status;
        b.first.content = one.says;

        const json::value result = b.read();

        EXPECT_EQ(result.at("grand_total").as_string(), *b.good.truth.grand_total) << one.why;
        EXPECT_TRUE(b.answered_by().starts_with("second reader-2: 6 lines")) << b.answered_by();
        EXPECT_TRUE(has(b.answered_by(), one.why)) << b.answered_by();
        EXPECT_EQ(b.money(), one.money) << one.why;
        EXPECT_EQ(b.second.asked, 1);
    }
}

TEST(ModelTask, a_model_is_not_asked_over_a_budget_until_somebody_lets_it) {
    ModelBench b;
    b.content = to_json(samples::make_invoice(5, Language::English, 6).truth);
    // A million tokens cost 1 and 2 USD: the longest text and answer, about 0.29.
    b.engine.budget("models", {.money = Money("0.10", "USD"), .organization = "acme"});
    const auto run = b.engine.find<json::value>(b.upload_invoice().workflow_run_id);

    try {
        run.result();
        FAIL() << "it was paid";
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::BudgetReached) << error.what();
        EXPECT_TRUE(has(error.what(),
                        "step `invoice_analysis` may cost 0.294912 USD, and budget "
                        "`models` (0.1 USD a day) has 0 USD spent"))
            << error.what();
    }
    EXPECT_EQ(b.asked, 0);
    b.engine.approve_spending(run.id());
    EXPECT_EQ(run.result().at("lines").as_array().size(), 6u);
    EXPECT_EQ(b.asked, 1);
    EXPECT_EQ(b.engine.budgets().at(0).spent.amount(), "0.0012");
    EXPECT_TRUE(b.engine.budgets().at(0).reserved.is_zero());
}

TEST(ModelTask, the_rules_answer_when_the_whole_chain_has_none_and_say_why_of_each) {
    ChainBench b;
    b.first.status = 401;
    b.second.status = 401;

    const json::value result = b.read();

    EXPECT_EQ(result.at("grand_total").as_string(), *b.good.truth.grand_total);
    EXPECT_TRUE(b.answered_by().starts_with("rules ")) << b.answered_by();
    EXPECT_TRUE(has(b.answered_by(), "reader-1, then reader-2 gave no answer")) << b.answered_by();
    EXPECT_EQ(b.first.asked, 1);
    EXPECT_EQ(b.second.asked, 1);
}

TEST(ModelTask, nothing_is_asked_any_more_about_a_file_that_was_deleted) {
    ModelBench b;
    b.reader.before_page = [&](int) {
        b.uploads.remove("acme", b.value<std::string>("SELECT id FROM unified_files WHERE "
                                                      "file_type <> 'pdf_page'"));
    };

    const auto file = b.upload_invoice();
    b.failure(file.workflow_run_id);

    EXPECT_EQ(b.asked, 0);
    EXPECT_EQ(b.value<std::string>("SELECT status FROM workflow_runs"), "canceled");
}

TEST(ModelTask, it_is_asked_with_the_prompt_and_the_schema_of_its_task) {
    ModelBench b;
    b.content = to_json(samples::make_invoice(5, Language::English, 6).truth);
    b.result(b.upload_invoice());

    const json::value body = json::parse(b.last_body);
    const json::value& format = body.at("response_format");
    EXPECT_EQ(format.at("type").as_string(), "json_schema");
    const ai::Task task = model_task(Analyst::kInvoice);
    EXPECT_EQ(format.at("json_schema").at("schema"), task.schema.json());
    EXPECT_EQ(body.at("messages").at(0).at("content").as_string(), task.instructions);
    EXPECT_TRUE(has(std::string(body.at("messages").at(1).at("content").as_string()),
                    *b.invoice.truth.invoice_number));
}

TEST(ModelTask, an_answer_that_does_not_add_up_is_left_to_the_rules_and_says_so) {
    struct Case {
        std::string what;
        std::function<void(samples::InvoiceTruth&)> wrong;
        std::string noted;
    };
    const std::vector<Case> cases{
        {"lines that come to something else", [](auto& said) { said.lines.pop_back(); },
         "which is none of its totals"},
        {"a total that is printed nowhere", [](auto& said) { said.grand_total = "987654.32"; },
         "is not printed on the invoice"},
        {"net and tax that are not the total",
         [](auto& said) { said.tax_total = said.lines[0].line_total; }, "do not come to its total"},
        {"nothing at all", [](auto& said) { said = {}; }, "it found nothing"},
    };
    for (const Case& one : cases) {
        ModelBench b;
        auto said = samples::make_invoice(5, Language::English, 6).truth;
        one.wrong(said);
        b.content = to_json(said);

        const json::value result = b.result(b.upload_invoice());

        EXPECT_EQ(result.at("grand_total").as_string(), *b.invoice.truth.grand_total) << one.what;
        const std::string by = b.answered_by("invoice_analysis");
        EXPECT_TRUE(by.starts_with("rules ") && has(by, one.noted) && has(by, "the rules answered"))
            << one.what << ": " << by;
    }
}

TEST(ModelTask, an_answer_of_another_shape_is_asked_for_again_and_then_left_to_the_rules) {
    ModelBench b;
    b.content = R"({"invoice": {"number": "1"}, "transactions": []})";

    const json::value result = b.patient_result(b.upload_invoice());

    EXPECT_EQ(result.at("grand_total").as_string(), *b.invoice.truth.grand_total);
    EXPECT_EQ(b.asked, analysis_step(b.services).retry.attempts_max);
    const std::string by = b.answered_by("invoice_analysis");
    EXPECT_TRUE(by.starts_with("rules ") && has(by, "not what was asked for")) << by;
}

TEST(ModelTask, a_server_that_is_out_of_order_costs_attempts_and_no_result) {
    ModelBench b;
    b.status = 500;

    const json::value result = b.patient_result(b.upload_invoice());

    EXPECT_EQ(result.at("invoice_number").as_string(), *b.invoice.truth.invoice_number);
    EXPECT_EQ(b.asked, analysis_step(b.services).retry.attempts_max);
    EXPECT_TRUE(has(b.answered_by("invoice_analysis"), "gave no answer"));
}

TEST(ModelTask, a_receipt_whose_total_is_not_on_the_paper_is_left_to_the_rules) {
    ModelBench b;
    const auto sample = samples::make_receipt(4, Language::Swedish);
    b.content = R"({"merchant": "Invented AB", "orgnr": null, "address": null, "date": "2026-01-01",
        "total": "99999.99", "currency": "SEK", "vat": [], "items": [], "payment_type": "card"})";

    const json::value result =
        b.result(b.upload("a receipt", samples::pages_of(sample.sheets), "receipt"));

    EXPECT_EQ(result.at("total").as_string(), *sample.truth.total);
    EXPECT_TRUE(has(b.answered_by("ai3"), "is not printed on the receipt"));
}

// Spec 002, AI1 to AI4: each may be a model.
struct Pipeline {
    samples::Sample<samples::ReceiptTruth> sample = samples::make_receipt(4, Language::Swedish);

    static PaperOptions options() {
        PaperOptions options;
        options.company_cards_last_4 = {"1234"};
        return options;
    }
    void answer(ModelBench& b) const {
        b.content_of["document_type"] =
            R"({"document_type": "receipt", "confidence": 0.9, "reasoning": "KVITTO, by a model"})";
        b.content_of["expense_type"] =
            R"({"expense_type": "personal", "confidence": 0.8, "card_identifier": null,
                "reasoning": "nothing of the company is printed, by a model"})";
        b.content_of["receipt"] = json::serialize(json::object{{"merchant", *sample.truth.merchant},
                                                               {"orgnr", nullptr},
                                                               {"address", nullptr},
                                                               {"date", *sample.truth.date},
                                                               {"total", *sample.truth.total},
                                                               {"currency", "SEK"},
                                                               {"vat", json::array{}},
                                                               {"items", json::array{}},
                                                               {"payment_type", "card"}});
        b.content_of["accounting"] = entries("4010", *sample.truth.total, "2440");
    }
    static std::string entries(const std::string& cost, const std::string& total,
                               const std::string& paid) {
        return json::serialize(
            json::object{{"entries", json::array{json::object{{"account_code", cost},
                                                              {"debit", total},
                                                              {"credit", "0.00"},
                                                              {"vat_rate", nullptr},
                                                              {"notes", "by a model"}},
                                                 json::object{{"account_code", paid},
                                                              {"debit", "0.00"},
                                                              {"credit", total},
                                                              {"vat_rate", nullptr},
                                                              {"notes", ""}}}}});
    }
    json::value run(ModelBench& b) const {
        return b.result(b.upload("a receipt", samples::pages_of(sample.sheets), "receipt"));
    }
};

TEST(ModelTask, each_of_ai1_to_ai4_may_be_a_model_with_its_cost) {
    const Pipeline p;
    ModelBench b{Pipeline::options()};
    p.answer(b);

    const json::value result = p.run(b);

    EXPECT_EQ(result.at("total").as_string(), *p.sample.truth.total);
    EXPECT_EQ(b.tasks,
              (std::vector<std::string>{"document_type", "expense_type", "receipt", "accounting"}));
    EXPECT_EQ(b.answered_by("ai1"), "test-server reader-1: KVITTO, by a model");
    EXPECT_TRUE(has(b.answered_by("ai2"), "test-server reader-1"));
    EXPECT_TRUE(has(b.answered_by("ai4"), "test-server reader-1")) << b.answered_by("ai4");
    EXPECT_EQ(b.count("ai_accounting_proposals WHERE account_code = '4010'"), 1);
    for (const char* stage :
         {"ai1_document_type", "ai2_expense_type", "ai3_extraction", "ai4_accounting"})
        EXPECT_EQ(b.cost_of(stage).money.at("USD").amount(), "0.0012") << stage;
}

TEST(ModelTask, what_a_model_decides_against_the_paper_is_left_to_the_rules) {
    struct Case {
        std::string task, said, job, noted;
    };
    const Pipeline p;
    const std::string total = *p.sample.truth.total;
    const std::vector<Case> cases{
        {"expense_type",
         R"({"expense_type": "corporate", "confidence": 1, "card_identifier": null,
             "reasoning": "so it is"})",
         "ai2", "corporate without a card of the company"},
        {"expense_type",
         R"({"expense_type": "corporate", "confidence": 1, "card_identifier": "1234",
             "reasoning": "so it is"})",
         "ai2", "is not printed on the receipt"},
        {"accounting", Pipeline::entries("4010", "1.00", "2440"), "ai4", "not to the total"},
        {"accounting", Pipeline::entries("4010", total, "1930"), "ai4", "it credits 1930"},
        {"accounting", Pipeline::entries("2641", total, "2440"), "ai4", "of tax"},
        {"accounting", Pipeline::entries("bank", total, "2440"), "ai4", "not four digits"},
        {"accounting", R"({"entries": []})", "ai4", "no entries"},
    };
    for (const Case& one : cases) {
        ModelBench b{Pipeline::options()};
        p.answer(b);
        b.content_of[one.task] = one.said;

        p.run(b);

        const std::string by = b.answered_by(one.job);
        EXPECT_TRUE(by.starts_with("rules ") && has(by, one.noted) && has(by, "the rules answered"))
            << by;
        EXPECT_EQ(b.count("ai_accounting_proposals WHERE notes = 'by a model'"),
                  one.job == "ai2" ? 1 : 0);
    }
}

TEST(ModelTask, no_model_takes_a_card_statement_for_a_receipt) {
    const Pipeline p;
    ModelBench b{Pipeline::options()};
    p.answer(b);
    const auto statement = samples::make_statement(3, Language::Swedish, 20);

    b.result(b.upload("a statement", samples::pages_of(statement.sheets), "receipt"));

    EXPECT_TRUE(has(b.answered_by("ai1"), "it calls a card statement `receipt`"));
    EXPECT_EQ(b.count("receipt_items"), 0);
    EXPECT_EQ(b.tasks, std::vector<std::string>{"document_type"});
}

// What was paid was paid, also for an answer that nobody could use.
TEST(ModelTask, an_answer_that_is_rejected_is_paid_all_the_same) {
    ModelBench shape;
    shape.content = R"({"invoice": {"number": "1"}, "transactions": []})";
    shape.patient_result(shape.upload_invoice());
    const Cost cost = shape.cost_of("invoice_analysis");
    EXPECT_EQ(cost.tokens_in, 1000 * shape.asked);
    EXPECT_EQ(cost.counters.at("extractions"), shape.asked);

    const auto sample = samples::make_receipt(4, Language::Swedish);
    ModelBench not_printed;
    not_printed.content =
        R"({"merchant": "Invented AB", "orgnr": null, "address": null, "date": "2026-01-01",
        "total": "99999.99", "currency": "SEK", "vat": [], "items": [], "payment_type": "card"})";
    not_printed.result(
        not_printed.upload("a receipt", samples::pages_of(sample.sheets), "receipt"));
    EXPECT_EQ(not_printed.cost_of("ai3_extraction").tokens_in, 1000);
}

// Defect 3: the prompt asked for one shape, the parser read another, and nobody noticed.
TEST(ModelTask,
     a_statement_is_taken_in_the_shape_that_was_asked_for_if_its_rows_come_to_its_total) {
    const auto sample = samples::make_statement(3, Language::Swedish, 12);
    json::object header = json::parse(to_json(sample.truth)).as_object();
    const json::value rows = header.at("rows");
    header.erase("rows");
    header["due_date"] = nullptr;
    const json::object said{{"header", header}, {"lines", rows}};
    ModelBench b;
    b.content = json::serialize(said);

    const json::value result =
        b.result(b.upload("a statement", samples::pages_of(sample.sheets), "creditcard_invoice"));

    EXPECT_EQ(result.at("rows").as_array().size(), sample.truth.rows.size());
    EXPECT_TRUE(has(b.answered_by("ai6"), "test-server reader-1"));

    ModelBench wrong;
    json::object less = said;
    less["lines"].as_array().pop_back();
    wrong.content = json::serialize(less);
    const json::value by_rules = wrong.result(
        wrong.upload("a statement", samples::pages_of(sample.sheets), "creditcard_invoice"));
    EXPECT_EQ(by_rules.at("rows").as_array().size(), sample.truth.rows.size());
    EXPECT_TRUE(has(wrong.answered_by("ai6"), "which is not the printed sum"));
}

}  // namespace
}  // namespace belay::workflows
