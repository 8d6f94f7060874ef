// linear_test.cpp — twice the bytes take twice the time, for every parser of a stranger's bytes.
//
// What a stranger opens and never closes, repeats, nests or lines up must cost no more than what it weighs: a page with
// 500,000 attributes on one tag once took minutes. Each target of targets.hpp is given every shape below, larger and
// larger until its time can be measured, and then twice as large: processor time may grow by 3.2 (a quadratic one grows
// by 4). What takes no time at the largest size is fast enough.
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "fuzz/targets.hpp"

namespace belay::fuzz {
namespace {

struct Shape {
    std::string name;
    std::function<std::string(std::size_t)> make;  // about so many bytes
};

std::string times(std::string_view what, std::size_t bytes) {
    std::string out;
    out.reserve(bytes + what.size());
    while (out.size() < bytes) out += what;
    return out;
}

Shape repeated(std::string what, std::string before = {}, std::string after = {}) {
    const std::string name = before + what + "… " + after;
    return {name, [=](std::size_t bytes) { return before + times(what, bytes) + after; }};
}

// `~` in the pattern is a number of its own each time.
Shape numbered(std::string before, std::string pattern, std::string after) {
    return {before + pattern + "… " + after, [=](std::size_t bytes) {
                std::string out = before;
                for (std::size_t i = 0; out.size() < bytes; ++i) {
                    for (const char c : pattern)
                        c == '~' ? void(out += std::to_string(i)) : void(out += c);
                }
                return out + after;
            }};
}

Shape nested(std::string open, std::string close) {
    return {open + "…" + close, [=](std::size_t bytes) {
                const std::size_t depth = bytes / (open.size() + close.size());
                return times(open, depth * open.size()) + times(close, depth * close.size());
            }};
}

// What the parser of pages compared with all before it.
std::vector<Shape> shapes_of_html() {
    return {
        numbered("<p ", "a~=1 ", ">x</p>"),
        numbered("<p ", "a~ ", ">"),
        numbered("<body>", "<body a~=1>", "x"),
        repeated("a='", "<p "),
        repeated("<"),
    };
}

std::vector<Shape> shapes_of_text() {
    return {
        repeated("a"),
        repeated(" "),
        repeated("\n"),
        repeated("\t"),
        repeated("a "),
        repeated("a\n"),
        repeated(" \n"),
        repeated("1"),
        repeated("1 "),
        repeated("1."),
        repeated("1,"),
        repeated("1 000 "),
        repeated("1\n"),
        repeated("-"),
        repeated("- "),
        repeated("- a\n"),
        repeated("["),
        repeated("[a]("),
        repeated("[a]"),
        repeated("![a]("),
        repeated("]("),
        repeated("("),
        repeated(")"),
        repeated("**"),
        repeated("*a "),
        repeated("_a "),
        repeated("`"),
        repeated("`a ``b "),
        repeated("```\n"),
        repeated("# a\n"),
        repeated("> "),
        repeated(">\n"),
        repeated("|"),
        repeated("|-"),
        repeated("a|b\n"),
        repeated("\""),
        repeated("'"),
        repeated("\\"),
        repeated("\\\""),
        repeated("%"),
        repeated("%2"),
        repeated("%41"),
        repeated("/"),
        repeated("../"),
        repeated("./"),
        repeated("?"),
        repeated("#"),
        repeated("@"),
        repeated(":"),
        repeated(";"),
        repeated("&a=b"),
        repeated("&"),
        repeated("="),
        repeated("."),
        repeated("a."),
        repeated("xn--a."),
        repeated(","),
        repeated("\r\n"),
        repeated("a: b\r\n"),
        repeated("<a>"),
        repeated("</a>"),
        repeated("<"),
        repeated("<!--"),
        repeated("&lt;"),
        repeated("{"),
        repeated("["),
        repeated("{\"a\":"),
        repeated("[1,"),
        repeated("\"a\","),
        repeated("\"a\":1,", "{"),
        repeated("http://a/ "),
        repeated("https://example.org/a?b=c&"),
        repeated("[a](https://example.org/a) "),
        repeated("Stockholm "),
        repeated("Mr. A. B. "),
        repeated("The Great War. "),
        repeated("2024-01-02 "),
        repeated("01/02/"),
        repeated("TOTAL 1.00\n"),
        repeated("VAT 25% 1,00 "),
        repeated("4111 "),
        repeated("4111111111111111"),
        repeated("Disallow: /*a\n", "User-agent: *\n"),
        repeated("*a", "User-agent: *\nDisallow: /"),
        repeated("<url><loc>https://a/</loc></url>"),
        repeated("--x\r\n"),
        repeated("\r\n--", "--x"),
        repeated("bytes=0-1,"),
        repeated("W/\"a\", "),
        repeated("é"),
        repeated("\xf0\x9f\x98\x80"),
        repeated("\xff"),
        repeated("\xc3"),
        repeated(std::string(1, '\0')),
        numbered("", "w~ ", ""),
        numbered("{", "\"k~\":1,", "\"z\":1}"),
        numbered("", "[a~](https://example.org/~) ", ""),
        numbered("", "## Part ~\ntext\n", ""),
        numbered("", "Name~ Surname~ ", ""),
        numbered("", "Article ~ 1.00\n", "TOTAL 9"),
        numbered("", "a~=b&", ""),
        numbered("User-agent: *\n", "Disallow: /~\n", ""),
        nested("[", "]"),
        nested("{\"a\":", "}"),
        nested("(", ")"),
        nested("<a>", "</a>"),
    };
}

double cpu_seconds(const Target& target, const std::string& input) {
    timespec before{}, after{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &before);
    target.run(input);
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &after);
    return static_cast<double>(after.tv_sec - before.tv_sec) +
           static_cast<double>(after.tv_nsec - before.tv_nsec) / 1e9;
}

constexpr std::size_t kSmallest = 16u << 10, kLargest = 128u << 10;
constexpr double kMeasurable = 0.01;
constexpr double kTooSlow = 20;  // for the smallest: no need to double that
constexpr double kGrowthMax = 3.2;

// What is wrong with it, if anything.
std::string complaint(const Target& target, const Shape& shape) {
    for (std::size_t size = kSmallest; size <= kLargest; size *= 2) {
        const std::string once = shape.make(size);
        double first = cpu_seconds(target, once);
        if (first < kMeasurable) continue;
        if (first > kTooSlow) return fmt::format("{} bytes take {:.1f} s", size, first);
        const std::string twice = shape.make(2 * size);
        double second = cpu_seconds(target, twice);
        // A machine that does other things as well makes single runs slow, never fast.
        for (int again = 0; again < 3 && second > kGrowthMax * first; ++again) {
            second = std::min(second, cpu_seconds(target, twice));
            first = std::min(first, cpu_seconds(target, once));
        }
        if (second > kGrowthMax * first)
            return fmt::format("{} bytes take {:.3f} s, {} take {:.3f} s", size, first, 2 * size,
                               second);
        if (second > 0.06) return {};
    }
    return {};
}

// Known to be worse, and not mended yet: an amount's line of 128 KiB takes 12 ms and one of 256 KiB 50; an article is
// looked for in several passes whose cost grows with the depth of the tree, so pages get their parser's shapes alone; a
// paper is read in three ways and takes minutes here, as the query's target does.
bool is_excused(std::string_view target) {
    return target == "amounts_and_dates" || target == "papers" || target == "pages" ||
           target == "query";
}

std::vector<Target> targets() {
    std::vector<Target> some = all_targets();
    std::erase_if(some, [](const Target& target) { return is_excused(target.name); });
    return some;
}

class Linear : public testing::TestWithParam<Target> {};

TEST_P(Linear, twice_the_bytes_take_twice_the_time) {
    const Target target = GetParam();
    const auto shapes = target.name == "html" ? shapes_of_html() : shapes_of_text();
    for (const Shape& shape : shapes) {
        const std::string wrong = complaint(target, shape);
        EXPECT_EQ(wrong, "") << target.name << " of " << shape.name.substr(0, 60);
    }
}

INSTANTIATE_TEST_SUITE_P(Each, Linear, testing::ValuesIn(targets()),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace belay::fuzz
