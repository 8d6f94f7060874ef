// ingest_files_test.cpp — which files are meant, in which order they are told of, and in which words.
#include "ingestion/cli/ingest_files.hpp"

#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include <gtest/gtest.h>
#include <unistd.h>

#include <boost/json.hpp>

#include <belay/error.hpp>

#include "service/cli/over_http.hpp"
#include "service/cli/progress_bar.hpp"

namespace belay::cli {
namespace {

namespace fs = std::filesystem;

// Takes what is called good; its run ends as its name says.
class FakeTarget final : public IngestTarget {
public:
    Taken put(const std::string& file, const std::string& type) override {
        if (file.find("refused") != std::string::npos)
            throw Error(ErrorCode::InvalidArgument, "this file is empty");
        types.push_back(type);
        return {"run-" + file, "IMAGE_CLASSIFICATION", "ingested", false};
    }
    Ended await(const std::string& run) override {
        Ended ended;
        ended.status = run.find("bad") == std::string::npos ? "succeeded" : "failed";
        if (ended.status == "failed") {
            ended.error = "not a picture";
        } else {
            ended.result =
                boost::json::parse(R"({"labels":[{"label":"coral reef","score":0.93}]})");
        }
        return ended;
    }
    std::vector<std::string> types;
};

struct Bench {
    env::ManualClock clock;
    std::ostringstream out;
    std::ostringstream errors;
    World world{Screen{out}, errors, [](const std::string&) { return std::nullopt; }, clock,
                [](Duration) {}};
    FakeTarget target;
};

TEST(IngestFiles, every_file_is_a_line_in_the_order_given) {
    Bench b;
    IngestFilesOptions options;
    options.files = {"a.jpg", "refused.jpg", "bad.jpg"};
    options.type = "image";
    options.wait = true;

    const ExitCode code = ingest_files(b.target, options, true, b.world);

    EXPECT_EQ(code, ExitCode::Failed);
    std::istringstream lines{b.out.str()};
    std::vector<std::string> told;
    for (std::string line; std::getline(lines, line);) {
        const auto read = boost::json::parse(line);
        told.push_back(std::string(read.at("file").as_string()) + " " +
                       std::string(read.at("status").as_string()));
    }
    EXPECT_EQ(told, (std::vector<std::string>{"a.jpg succeeded", "refused.jpg failed",
                                              "bad.jpg failed"}));
    EXPECT_EQ(b.target.types, (std::vector<std::string>{"image", "image"}));
}

TEST(IngestFiles, a_table_says_what_was_found) {
    Bench b;
    IngestFilesOptions options;
    options.files = {"a.jpg"};
    options.wait = true;

    EXPECT_EQ(ingest_files(b.target, options, false, b.world), ExitCode::Ok);
    EXPECT_NE(b.out.str().find("coral reef (93%)"), std::string::npos) << b.out.str();
}

TEST(IngestFiles, folders_and_patterns_stand_for_the_files_in_them) {
    const fs::path folder = fs::temp_directory_path() / fmt::format("belay-files-{}", ::getpid());
    fs::create_directories(folder / "deep");
    fs::create_directories(folder / ".hidden");
    for (const char* name : {"b.jpg", "a.png", "deep/c.jpg", ".secret", ".hidden/d.jpg"})
        std::ofstream{folder / name} << "x";

    const std::string root = folder.string();
    EXPECT_EQ(all_files({root}),
              (std::vector<std::string>{root + "/a.png", root + "/b.jpg", root + "/deep/c.jpg"}));
    EXPECT_EQ(all_files({root + "/*.jpg"}), std::vector<std::string>{root + "/b.jpg"});
    EXPECT_EQ(all_files({root + "/none.jpg"}), std::vector<std::string>{root + "/none.jpg"});
    fs::remove_all(folder);
}

TEST(ProgressBar, it_tells_the_rate_and_what_is_left) {
    EXPECT_EQ(progress_line(0, 40, Duration{0}), "[------------------------]  0 of 40");
    EXPECT_EQ(progress_line(10, 40, Duration{5000}),
              "[######------------------]  10 of 40  2.0/s  15 s left");
    EXPECT_EQ(progress_line(40, 40, Duration{8000}), "[########################]  40 of 40  5.0/s");
}

TEST(ServerClient, an_address_that_is_none_is_refused) {
    EXPECT_THROW(ServerClient("localhost:8080", ""), Error);
}

}  // namespace
}  // namespace belay::cli
