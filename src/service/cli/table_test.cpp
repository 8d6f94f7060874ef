#include "service/cli/table.hpp"

#include <sstream>

#include <gtest/gtest.h>

namespace belay::cli {
namespace {

std::string printed(const Table& table, int width, bool colour = false) {
    std::ostringstream out;
    table.print({out, width, colour});
    return out.str();
}

TEST(Table, columns_are_as_wide_as_their_texts_and_lines_have_no_blanks_at_the_end) {
    Table table{{{"ID"}, {"N", 0, true}, {"TEXT"}}};
    table.row({{"a"}, {"10"}, {""}});
    table.row({{"bbb"}, {"1"}, {"x"}});

    EXPECT_EQ(printed(table, 0), "ID    N  TEXT\na    10\nbbb   1  x\n");
}

TEST(Table, the_widest_column_that_may_is_cut_until_the_line_fits) {
    Table table{{{"ID", 4}, {"STATUS"}, {"TEXT", 4}}};
    table.row({{"abcdefgh"}, {"failed"}, {"a very long text indeed"}});

    EXPECT_EQ(printed(table, 26), "ID        STATUS  TEXT\nabcdefgh  failed  a very …\n");
    EXPECT_EQ(printed(table, 10), "ID    STATUS  TEXT\nabc…  failed  a v…\n");
}

TEST(Table, a_note_stands_beneath_its_row) {
    Table table{{{"#"}, {"STAGE"}}};
    table.row({{"1"}, {"ocr"}});
    table.note(1, {"attempt 1 failed"});

    EXPECT_EQ(printed(table, 12), "#  STAGE\n1  ocr\n   attempt …\n");
}

TEST(Table, colour_does_not_count_as_width) {
    Table table{{{"A"}, {"B"}}};
    table.row({{"x", Style::Good}, {"y"}});

    EXPECT_EQ(printed(table, 0, true), "\x1b[1mA\x1b[0m  \x1b[1mB\x1b[0m\n\x1b[32mx\x1b[0m  y\n");
}

TEST(Screen, what_a_terminal_would_obey_is_taken_out) {
    EXPECT_EQ(plain("a\nb\tc"), "a b c");
    EXPECT_EQ(plain("\x1b[31mred\x07 \x1b]0;title"), "red\xEF\xBF\xBD \xEF\xBF\xBD]0;title");
    EXPECT_EQ(plain("\x1b[31"), "\xEF\xBF\xBD[31");
    EXPECT_EQ(plain("\xC2\x9B"
                    "31m"),
              "\xEF\xBF\xBD"
              "31m");
    EXPECT_EQ(plain_lines("a\nb\r"), "a\nb ");
    EXPECT_EQ(width_of("åäö…"), 4);
}

}  // namespace
}  // namespace belay::cli
