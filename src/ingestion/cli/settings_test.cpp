#include "ingestion/cli/settings.hpp"

#include "ingestion/cli/belay_bench.hpp"
#include "ingestion/cli/paper_settings.hpp"

#include <gtest/gtest.h>

#include <belay/error.hpp>

namespace belay::cli {
namespace {

Environment environment_of(std::map<std::string, std::string> values) {
    return [values = std::move(values)](const std::string& name) -> std::optional<std::string> {
        const auto found = values.find(name);
        if (found == values.end()) return std::nullopt;
        return found->second;
    };
}

std::string refusal(const std::map<std::string, std::string>& flags) {
    try {
        const GivenSettings given = gather_settings(flags, environment_of({}), "");
        serve_options(given);
        ingestion_settings_of(given);
    } catch (const Error& error) {
        return error.what();
    }
    return "";
}

TEST(Settings, a_flag_wins_over_the_environment_and_that_over_the_file_and_that_over_the_default) {
    const std::string file =
        "# comment\n\nworkers = 4\nlisten=0.0.0.0:80\r\n  tls_cert =  a b.pem \n";
    const auto in_file = read_settings(settings_of(belay_program()), file, "belay.conf");
    EXPECT_EQ(in_file.at("workers").value, "4");
    EXPECT_EQ(in_file.at("workers").from, "belay.conf line 3");
    EXPECT_EQ(in_file.at("tls-cert").value, "a b.pem");

    const auto given =
        gather_settings({{"workers", "8"}},
                        environment_of({{"BELAY_WORKERS", "6"}, {"BELAY_RATE_LIMIT", "7"}}), "");
    EXPECT_EQ(given.at("workers").value, "8");
    EXPECT_EQ(given.at("rate-limit").from, "BELAY_RATE_LIMIT");
    EXPECT_EQ(given.at("max-upload").value, "2GiB");
    const ServeOptions options = serve_options(given);
    EXPECT_EQ(options.workers, 8u);
    EXPECT_EQ(options.host, "127.0.0.1");
    EXPECT_EQ(options.port, 8080);
    EXPECT_EQ(options.max_upload_bytes, 2ULL << 30U);
}

TEST(Settings, the_place_of_everything_may_stand_in_the_file) {
    const auto given = read_settings(
        settings_of(belay_program()),
        "data = /srv/belay\nstore = postgres://db/x\nobjects = s3://b\n", "belay.conf");
    EXPECT_EQ(given.at("store").value, "postgres://db/x");
    EXPECT_NE(sample_config(settings_of(belay_program())).find("\n# store = STORE\n"),
              std::string::npos);
}

TEST(Settings, a_refusal_names_what_was_written) {
    const std::string text = "BELAY_PAPER_MATCH_DAYS is a number from 1 to 366, not `-3`";
    const Given flag{"-3", "--paper-match-days"}, line{"-3", "belay.conf line 2"},
        variable{"-3", "BELAY_PAPER_MATCH_DAYS"};
    EXPECT_EQ(in_given_words(text, {{"paper-match-days", flag}}),
              "--paper-match-days is a number from 1 to 366, not `-3`");
    EXPECT_EQ(in_given_words(text, {{"paper-match-days", line}}),
              "belay.conf line 2: paper_match_days is a number from 1 to 366, not `-3`");
    EXPECT_EQ(in_given_words(text, {{"paper-match-days", variable}}), text);
    EXPECT_EQ(in_given_words(text, {{"paper-match", flag}}), text);
}

TEST(Settings, what_cannot_be_is_refused_with_where_it_was_found) {
    EXPECT_EQ(refusal({{"workers", "many"}}),
              "--workers: workers is a number from 1 to 1024, not `many`");
    EXPECT_NE(refusal({{"listen", "8080"}}).find("HOST:PORT"), std::string::npos);
    EXPECT_NE(refusal({{"listen", "::1:8080"}}).find("[::1]:8080"), std::string::npos);
    EXPECT_NE(refusal({{"listen", "127.0.0.1:99999"}}), "");
    EXPECT_NE(refusal({{"tls-cert", "x"}}).find("both"), std::string::npos);
    EXPECT_NE(refusal({{"max-upload", "2 potatoes"}}), "");
    EXPECT_THROW(read_settings(settings_of(belay_program()), "workers 4", "f"), Error);
    EXPECT_THROW(gather_settings({}, environment_of({}), "/nowhere/belay.conf"), Error);
    try {
        read_settings(settings_of(belay_program()), "wrokers = 4", "f");
        FAIL();
    } catch (const Error& error) {
        EXPECT_STREQ(error.what(),
                     "f line 1: there is no setting `wrokers`; did you mean `workers`?");
    }
}

TEST(Settings, the_sample_file_has_every_setting_and_changes_nothing) {
    const std::string sample = sample_config(settings_of(belay_program()));
    EXPECT_TRUE(read_settings(settings_of(belay_program()), sample, "sample").empty());
    for (const Setting& setting : settings_of(belay_program()))
        EXPECT_NE(sample.find(std::string(setting.meaning)), std::string::npos) << setting.name;
}

TEST(Settings, what_is_set_about_paper_reaches_it_from_the_file) {
    const auto given =
        gather_settings({{"paper-match-amount", "2.50"}},
                        environment_of({{"BELAY_PAPER_COMPANY_CARDS", "1234, 5678"}}), "");
    const IngestionSettings options = ingestion_settings_of(given);
    const auto paper = paper_options([&](const std::string& name) -> std::optional<std::string> {
        const auto found = options.paper.find(name);
        return found == options.paper.end() ? std::nullopt : std::optional(found->second);
    });

    EXPECT_EQ(paper.matching.tolerance.text(), "2.50");
    EXPECT_EQ(paper.company_cards_last_4, (std::vector<std::string>{"1234", "5678"}));
    EXPECT_EQ(paper.accounting.cost_account, "5790");
    EXPECT_EQ(paper.pages_max, 500);
}

TEST(Settings, what_cannot_be_about_paper_is_refused_by_name) {
    const std::vector<std::pair<std::string, std::string>> wrong{
        {"BELAY_PAPER_CURRENCY", "kronor"},      {"BELAY_PAPER_COMPANY_CARDS", "4111111111111111"},
        {"BELAY_PAPER_PAGES_MAX", "0"},          {"BELAY_PAPER_MATCH_AMOUNT", "-1"},
        {"BELAY_PAPER_ACCOUNT_RULES", "hotell"}, {"BELAY_PAPER_OWED_ACCOUNT", "bank"},
    };
    for (const auto& [name, value] : wrong) {
        try {
            paper_options(environment_of({{name, value}}));
            ADD_FAILURE() << name;
        } catch (const Error& error) {
            EXPECT_EQ(std::string(error.what()).find(name), 0u) << error.what();
        }
    }
    const auto rules =
        paper_options(environment_of({{"BELAY_PAPER_ACCOUNT_RULES", "hotell=5831, taxi=5800"}}));
    ASSERT_EQ(rules.accounting.rules.size(), 2u);
    EXPECT_EQ(rules.accounting.rules[1].merchant_contains, "taxi");
    EXPECT_EQ(rules.accounting.rules[1].account_code, "5800");
}

TEST(Settings, the_helper_is_told_where_its_models_lie_and_nothing_else) {
    const auto told = helper_environment(
        environment_of({{"BELAY_OCR_MODELS", "/models"}, {"AWS_SECRET_ACCESS_KEY", "secret"}}));

    ASSERT_EQ(told.size(), 1u);
    EXPECT_EQ(told[0].first, "BELAY_OCR_MODELS");
    EXPECT_EQ(told[0].second, "/models");
}

TEST(Settings, sizes_have_units) {
    EXPECT_EQ(parse_bytes("1048576"), 1048576u);
    EXPECT_EQ(parse_bytes("500 MB"), 500'000'000u);
    EXPECT_EQ(parse_bytes("2gib"), 2ULL << 30U);
    EXPECT_FALSE(parse_bytes("-1"));
    EXPECT_FALSE(parse_bytes("99999999999999999999"));
    EXPECT_FALSE(parse_bytes("99999999999 TiB"));
}

}  // namespace
}  // namespace belay::cli
