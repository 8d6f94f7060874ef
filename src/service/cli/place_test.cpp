#include "service/cli/place.hpp"

#include <map>

#include <gtest/gtest.h>

#include <belay/error.hpp>

namespace belay::cli {
namespace {

Environment with(std::map<std::string, std::string> values) {
    return [values](const std::string& name) -> std::optional<std::string> {
        const auto found = values.find(name);
        return found == values.end() ? std::nullopt : std::optional(found->second);
    };
}

TEST(Place, what_is_said_on_the_command_line_wins_over_the_environment) {
    const auto environment = with({{"BELAY_DATA", "/env"}, {"BELAY_STORE", "/env.db"}});

    EXPECT_EQ(find_place({}, with({})).file, "belay-data/belay.db");
    EXPECT_EQ(find_place({}, with({{"BELAY_DATA", "/env"}})).file, "/env/belay.db");
    EXPECT_EQ(find_place({}, environment).file, "/env.db");
    EXPECT_EQ(find_place({.data = "/d", .store = ""}, environment).file, "/d/belay.db");
    EXPECT_EQ(find_place({.data = "/d", .store = "sqlite:own.db"}, environment).file, "own.db");
}

TEST(Place, only_what_was_typed_is_repeated_in_suggestions) {
    EXPECT_EQ(find_place({.data = "", .store = "own.db"}, with({})).option, " --store own.db");
    EXPECT_EQ(find_place({}, with({{"BELAY_DATA", "/env"}})).option, "");
}

TEST(Place, an_address_of_postgres_is_a_store_without_a_file) {
    const auto place =
        find_place({.data = "/objects", .store = "postgres://ann:secret@localhost/x"}, with({}));

    EXPECT_EQ(place.address, "postgres://ann:secret@localhost/x");
    EXPECT_TRUE(place.file.empty());
    EXPECT_EQ(place.data_folder, "/objects");
    EXPECT_EQ(config_of(place).kind, StoreConfig::Kind::Postgres);
    EXPECT_EQ(shown(place), "postgres://ann@localhost/x");
    EXPECT_TRUE(find_place({.store = "postgres:///x"}, with({})).data_folder.empty());
    EXPECT_EQ(find_place({.store = "postgres:///x", .objects = "s3://b"}, with({})).data_folder,
              "belay-data");
}

TEST(Place, a_folder_and_a_database_of_another_kind_are_no_store) {
    const auto refusal = [](const std::string& store) -> std::string {
        PlaceOptions options;
        options.store = store;
        try {
            find_place(options, [](const std::string&) { return std::nullopt; });
        } catch (const Error& error) {
            EXPECT_EQ(error.code(), ErrorCode::InvalidArgument);
            return error.what();
        }
        return "";
    };
    EXPECT_NE(refusal("/tmp").find("--data /tmp"), std::string::npos);
    EXPECT_NE(refusal("mysql://x").find("postgres://"), std::string::npos);
    EXPECT_EQ(refusal("sqlite:own.db"), "");
    EXPECT_EQ(refusal("postgres://me@there/db"), "");
}

TEST(Place, the_executor_is_read_from_the_words_of_its_lock) {
    const auto named = executor_named("shop (process 4711, since 2026-03-01T12:00:00Z)");
    EXPECT_EQ(named.process, 4711);
    EXPECT_EQ(named.who, "shop (process 4711, since 2026-03-01T12:00:00Z)");
    EXPECT_EQ(executor_named("another process").process, std::nullopt);
}

}  // namespace
}  // namespace belay::cli
