// names_test.cpp — the command line in the words of a program of another name.
#include "service/cli/names.hpp"

#include <map>
#include <sstream>

#include <gtest/gtest.h>

#include "core/env/clock.hpp"
#include "service/cli/run.hpp"

namespace belay::cli {
namespace {

TEST(Names, commands_variables_and_the_folder_are_the_programs_and_what_is_belays_stays) {
    EXPECT_EQ(with_name("belay runs list --store invoices.db", "shop"),
              "shop runs list --store invoices.db");
    EXPECT_EQ(with_name("see `belay help exit-codes`, or `belay`", "shop"),
              "see `shop help exit-codes`, or `shop`");
    EXPECT_EQ(with_name("(default ./belay-data, or BELAY_DATA)", "shop-two"),
              "(default ./shop-two-data, or SHOP_TWO_DATA)");
    EXPECT_EQ(with_name("the database is belay.db in Belay's folder; a Belay server", "shop"),
              "the database is belay.db in Belay's folder; a Belay server");
    EXPECT_EQ(with_name("belay runs list", "belay"), "belay runs list");
}

TEST(Names, a_program_has_variables_and_a_folder_of_its_own) {
    std::map<std::string, std::string> set{{"SHOP_TOKEN", "secret"}, {"BELAY_TOKEN", "other"}};
    const Environment process = [&](const std::string& name) -> std::optional<std::string> {
        const auto found = set.find(name);
        return found == set.end() ? std::nullopt : std::optional(found->second);
    };
    const Environment shop = environment_of(process, "shop");

    EXPECT_EQ(shop("BELAY_TOKEN"), "secret");
    EXPECT_EQ(shop("BELAY_SERVER"), std::nullopt);
    EXPECT_EQ(find_place({}, shop).file, "shop-data/belay.db");
    set["SHOP_DATA"] = "/srv/shop";
    EXPECT_EQ(find_place({}, shop).file, "/srv/shop/belay.db");
    set["SHOP_STORE"] = "own.db";
    EXPECT_EQ(find_place({}, shop).file, "own.db");
}

TEST(Names, no_help_of_another_program_speaks_of_the_command_belay) {
    const auto help_of = [](std::vector<std::string> words) {
        std::ostringstream out, errors;
        env::SystemClock clock;
        World world{Screen{out}, errors, [](const std::string&) { return std::nullopt; }, clock,
                    [](Duration) {}};
        run(words, world, {}, {"shop", "Sells things", "1.2"});
        return out.str() + errors.str();
    };
    EXPECT_EQ(help_of({"--version"}).substr(0, 16), "shop 1.2 (Belay ");
    for (const auto& words : std::vector<std::vector<std::string>>{{"--help"},
                                                                   {"runs", "--help"},
                                                                   {"runs", "list", "--help"},
                                                                   {"tokens", "--help"},
                                                                   {"tokens", "create", "--help"},
                                                                   {"backup", "--help"},
                                                                   {"queues", "--help"},
                                                                   {"doctor", "--help"},
                                                                   {"nothing"},
                                                                   {"runs", "lost"},
                                                                   {}}) {
        const std::string help = help_of(words);
        EXPECT_EQ(help.find("belay "), std::string::npos) << help;
        EXPECT_EQ(help.find("BELAY_"), std::string::npos) << help;
        EXPECT_NE(help.find("shop"), std::string::npos) << help;
    }
}

}  // namespace
}  // namespace belay::cli
