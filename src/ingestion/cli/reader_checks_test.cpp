// reader_checks_test.cpp — the doctor on belay-media: with both readers, with one, and where it is not there.
#include "ingestion/cli/reader_checks.hpp"

#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include <gtest/gtest.h>

namespace belay::cli {
namespace {

Environment with_reader_folder(const std::string& folder) {
    return [folder](const std::string& name) -> std::optional<std::string> {
        if (name == "BELAY_READER_FOLDER") return folder;
        return std::nullopt;
    };
}

TEST(ReaderChecks, a_machine_without_the_second_readers_models_is_told_that_tesseract_reads_alone) {
    const auto checks = check_readers(with_reader_folder("/no/such/folder"), BELAY_MEDIA_PROGRAM);

    ASSERT_EQ(checks.size(), 2u);
    EXPECT_EQ(checks[0].name, "sandbox");
    EXPECT_EQ(checks[1].health, Health::Warn);
    EXPECT_TRUE(checks[1].found.starts_with("Tesseract alone: ")) << checks[1].found;
    EXPECT_NE(checks[1].found.find("/no/such/folder"), std::string::npos);
    EXPECT_TRUE(is_well(checks));
}

TEST(ReaderChecks, a_machine_with_both_readers_is_well) {
    const std::filesystem::path models{BELAY_READER_FOLDER};
    if (!std::filesystem::exists(models / "detect.onnx"))
        GTEST_SKIP() << "no second reader here; tools/setup models fetches it";

    const auto checks = check_readers(with_reader_folder(models.string()), BELAY_MEDIA_PROGRAM);

    ASSERT_EQ(checks.size(), 2u);
    EXPECT_EQ(checks[1].health, Health::Good) << checks[1].found;
    EXPECT_EQ(checks[1].found, "Tesseract and PP-OCRv4");
}

TEST(ReaderChecks, a_helper_that_is_not_there_is_a_warning_and_no_crash) {
    const auto checks = check_readers(with_reader_folder(""), "/no/such/belay-media");

    ASSERT_EQ(checks.size(), 1u);
    EXPECT_EQ(checks[0].health, Health::Warn);
}

TEST(ReaderChecks, the_doctor_shows_who_is_asked_for_paper_and_in_which_order) {
    std::map<std::string, std::string> set{{"BELAY_MODEL_URL", "http://one/v1"},
                                           {"BELAY_MODEL_URL_2", "http://two/v1"},
                                           {"BELAY_MODEL_RECEIPT", "gpt-x, @cf/meta/llama@2"}};
    const Environment environment = [&](const std::string& name) -> std::optional<std::string> {
        const auto found = set.find(name);
        return found == set.end() ? std::nullopt : std::optional(found->second);
    };

    const auto checks = check_models(environment);

    ASSERT_EQ(checks.size(), 1u);
    EXPECT_EQ(checks[0].found,
              "receipt: gpt-x at http://one/v1, then @cf/meta/llama at http://two/v1, then the "
              "rules");
    set["BELAY_MODEL_RECEIPT"] = "gpt-x, qwen@3";
    const auto bad = check_models(environment);
    ASSERT_EQ(bad.size(), 1u);
    EXPECT_EQ(bad[0].health, Health::Bad);
    EXPECT_EQ(bad[0].found, "BELAY_MODEL_RECEIPT names a model, but BELAY_MODEL_URL_3 no server");
    set.clear();
    EXPECT_TRUE(check_models(environment).empty());
}

}  // namespace
}  // namespace belay::cli
