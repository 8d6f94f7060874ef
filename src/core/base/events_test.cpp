#include "core/base/events.hpp"

#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>

#include <gtest/gtest.h>

namespace belay::base {
namespace {

using namespace std::chrono_literals;

TEST(Events, every_name_stands_once_and_is_lower_case) {
    std::set<std::string_view> names;
    for (const EventKind& kind : kEvents) {
        EXPECT_TRUE(names.insert(kind.name).second) << kind.name;
        EXPECT_EQ(kind.name.find_first_not_of("abcdefghijklmnopqrstuvwxyz_"),
                  std::string_view::npos);
        EXPECT_FALSE(kind.meaning.empty());
        EXPECT_EQ(event_kind(kind.name)->level, kind.level);
    }
    EXPECT_FALSE(event_kind("something_else"));
}

TEST(Events, everything_that_the_engine_logs_is_in_the_table) {
    // log(level, "name", …), with whatever stands between.
    const std::regex call{R"(\blog_?\([^;"]*LogLevel::[^;"]*"([a-z_]+)\")"};
    int found = 0;
    for (const auto& file :
         std::filesystem::directory_iterator{std::string(BELAY_SOURCE) + "/src/core/engine"}) {
        const auto name = file.path().filename().string();
        if (!name.ends_with(".cpp") || name.ends_with("_test.cpp")) continue;
        std::ostringstream text;
        text << std::ifstream(file.path()).rdbuf();
        const std::string code = text.str();
        for (std::sregex_iterator at{code.begin(), code.end(), call}, end; at != end; ++at) {
            ++found;
            EXPECT_TRUE(event_kind((*at)[1].str()))
                << name << " logs `" << (*at)[1] << "`: add it to src/core/base/events.hpp";
        }
    }
    EXPECT_GT(found, 10);
}

TEST(LogLine, is_one_line_whatever_the_sentence_holds) {
    LogEntry entry;
    entry.time = Time{1'000ms};
    entry.level = LogLevel::Warning;
    entry.event = "attempt_failed";
    entry.message = "one\n2026-01-01T00:00:00.000Z failure forged: two\x1b[31m\xff";

    EXPECT_EQ(log_line(entry),
              "belay: warning: one 2026-01-01T00:00:00.000Z failure "
              "forged: two [31m\uFFFD");
}

TEST(LogJson, has_the_fields_that_are_set) {
    LogEntry entry;
    entry.event = "attempt_failed";
    entry.message = "a \"quote\"\n";
    entry.run_id = "july";
    entry.attempt = 2;

    EXPECT_EQ(log_json(entry),
              R"({"time":"1970-01-01T00:00:00.000Z","level":"info","event":"attempt_failed",)"
              R"("message":"a \"quote\"\n","run_id":"july","attempt":2})");
}

}  // namespace
}  // namespace belay::base
