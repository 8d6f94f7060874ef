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

// So deep as a page may nest, nearly.
std::string deep(const std::string& tag) {
    std::string out;
    for (int i = 0; i < 60; ++i) out += "<" + tag + ">";
    return out;
}

// What the parser of pages compared with all before it, and what an article, a table, a list or a page of links is
// made of: who looks for the article measures each element with all that is inside it.
std::vector<Shape> shapes_of_html() {
    return {
        numbered("<p ", "a~=1 ", ">x</p>"),
        numbered("<p ", "a~ ", ">"),
        numbered("<body>", "<body a~=1>", "x"),
        repeated("a='", "<p "),
        repeated("<"),
        repeated("<!--"),
        repeated("&lt;"),
        repeated("&#x"),
        repeated("word "),
        repeated("word, word. "),
        repeated("word\n\n"),
        repeated("<br>"),
        repeated("<br>word "),
        repeated("<p>"),
        repeated("<p>Some words, which are read.</p>"),
        repeated("<p>One<p>two"),
        repeated("<div>word</div>"),
        repeated("<div>Some words, which are read, and more of them.</div>"),
        repeated("<div><div><div><p>Some words, which are read.</p></div></div></div>"),
        repeated("<span>word</span> "),
        repeated("<b><i>word</i></b> "),
        repeated("<b>"),
        repeated("<a href=/x>word</a> "),
        repeated("<a>word"),
        numbered("", "<a href=/x~>Words ~</a> ", ""),
        numbered("", "<a name=x~></a>", ""),
        numbered("", "<p id=p~ class=\"c~ comment\">Some words, which are read.</p>", ""),
        numbered("", "<h2 id=h~>Part ~</h2><p>Some words, which are read.</p>", ""),
        repeated("<h2>Part</h2>"),
        repeated("<ul><li>word</li></ul>"),
        repeated("<li>word", "<ul>"),
        repeated("<li><p>Some words, which are read.</p></li>", "<ol>", "</ol>"),
        repeated("<dt>a<dd>b", "<dl>"),
        repeated("<tr><td>a<td>b", "<table>"),
        repeated("<tr><td>1<td>2<td>3", "<table><thead><tr><th>a<th>b<th>c", "</table>"),
        repeated("<table><tr><td>a</td></tr></table>"),
        repeated("<td>a", "<table><tr>"),
        repeated("<table>a"),
        repeated("<tr>", "<table>"),
        repeated("<img src=/x alt=y>"),
        repeated("<figure><img src=/x><figcaption>word</figcaption></figure>"),
        repeated("<pre>a\n</pre>"),
        repeated("a\n", "<pre>", "</pre>"),
        repeated("<span class=k>a</span>\n", "<pre><code>", "</code></pre>"),
        repeated("<code>a</code> "),
        repeated("<blockquote>word</blockquote>"),
        repeated("<sup><a href=#fn1>1</a></sup>"),
        numbered("", "<sup><a href=#fn~>~</a></sup><li id=fn~>note</li>", ""),
        repeated("<form><input></form>"),
        repeated("<option>a", "<select>"),
        repeated("<script>a</script>"),
        repeated("<script type=application/ld+json>{}</script>"),
        repeated("{\"@type\":\"Article\"},", "<script type=application/ld+json>[", "{}]</script>"),
        repeated("<meta name=author content=a>"),
        repeated("<link rel=x href=/y>"),
        repeated("<time datetime=2024-01-02>x</time>"),
        repeated("<article><p>Some words, which are read.</p></article>"),
        repeated("<section><h2>a</h2><p>Some words, which are read.</p></section>"),
        repeated("<math><mi>x</mi></math>"),
        repeated("<mi>x</mi>", "<math>", "</math>"),
        repeated("<svg><path d=M0></svg>"),
        repeated("<template><p>a</template>"),
        repeated("</p>"),
        repeated("</div>"),
        repeated("</b><p>"),
        repeated("<div>word, word</div>", "<table><tr><td>"),
        repeated("<ul><li>word</li></ul>", "<table><tr><td>"),
        repeated("<div>word, word</div>", "<ul><li>"),
        repeated("<div>word, word</div>", "<pre>"),
        repeated("<div>word, word</div>", "<code>"),
        repeated("<div>word, word</div>", "<figure>"),
        repeated("<div>word, word</div>", "<blockquote>"),
        repeated("<div><a href=/x><h3>word</h3></a></div>"),
        repeated("<section><div>word, word</div></section>", "<form>"),
        repeated("<table><tr><td>a</td></tr></table>", "<table><tr><td>"),
        repeated(deep("div") + "word" + deep("/div")),
        repeated(deep("ul><li") + "word" + deep("/li></ul")),
        repeated(deep("table><tr><td") + "word" + deep("/td></tr></table")),
        repeated(deep("blockquote") + "word" + deep("/blockquote")),
        repeated(deep("span") + "word" + deep("/span")),
    };
}

// Around and inside an invoice: what the parser compares with all before it (attributes, namespaces), looks for an end of,
// or is asked to multiply.
std::vector<Shape> shapes_of_xml() {
    const std::string open =
        "<Invoice xmlns=\"urn:oasis:names:specification:ubl:schema:xsd:Invoice-2\" "
        "xmlns:c=\"urn:oasis:names:specification:ubl:schema:xsd:CommonBasicComponents-2\"";
    const std::string close = "</Invoice>";
    const std::string line =
        "<InvoiceLine><c:ID>1</c:ID><c:InvoicedQuantity>1</"
        "c:InvoicedQuantity><c:LineExtensionAmount>1.00"
        "</c:LineExtensionAmount><Item><c:Name>a "
        "b</c:Name></Item><Price><c:PriceAmount>1.00</c:PriceAmount></Price>"
        "</InvoiceLine>";
    return {
        repeated(line, open + ">", close),
        repeated("<TaxTotal><c:TaxAmount>1</c:TaxAmount></TaxTotal>", open + ">", close),
        numbered(open, " a~='1'", "/>"),
        numbered(open, " xmlns:n~='u'", "/>"),
        numbered(open + "><c:ID", " a~=''", "/>" + close),
        numbered(open + ">", "<c:ID a~='1' b~='2' c~='3' d~='4'/>", close),
        numbered(open + ">", "<n~:a xmlns:n~='u'/>", close),
        repeated("<c:ID>&amp;&#65;</c:ID>", open + ">", close),
        repeated("&amp;", open + "><c:ID>", "</c:ID>" + close),
        repeated("&a;", open + "><c:ID>", "</c:ID>" + close),
        repeated("x", open + "><c:ID>", "</c:ID>" + close),
        repeated("x ", open + "><c:ID>", "</c:ID>" + close),
        repeated("]]", open + "><c:ID><![CDATA[", "]]></c:ID>" + close),
        repeated("<![CDATA[x]]>", open + "><c:ID>", "</c:ID>" + close),
        repeated("<!--x-->", open + ">", close),
        repeated("-", open + "><!--", "-->" + close),
        repeated("<!--", open + ">"),
        repeated("<?a b?>", open + ">", close),
        repeated("<![CDATA[", open + ">"),
        repeated("<c:a>", open + ">"),
        repeated("<a", open + ">"),
        repeated("</a>", open + ">"),
        repeated("<", open + ">"),
        repeated("\"", open + " a="),
        repeated(" ", open, ">" + close),
        repeated("<!ENTITY a 'b'>", "<!DOCTYPE Invoice [", "]>" + open + "/>"),
        repeated(deep("c:a") + "1" + deep("/c:a"), open + ">", close),
        nested("<c:a>", "</c:a>"),
    };
}

// Elements in elements in elements: what is measured of each costs as much as is inside it, so the depth is limited.
std::vector<Shape> shapes_of_deep_html() {
    return {
        nested("<div>word, word ", "</div>"),
        nested("<div><p>Some words, which are read.</p>", "</div>"),
        nested("<div><a href=/x>word</a>", "</div>"),
        nested("<ul><li>word", "</li></ul>"),
        nested("<ul><li><a href=/x>word</a>", "</li></ul>"),
        nested("<table><tr><td>word", "</td></tr></table>"),
        nested("<section><h2>a</h2>", "</section>"),
        nested("<blockquote>word", "</blockquote>"),
        nested("<figure><img src=/x>", "</figure>"),
        nested("<form>word<div>", "</div></form>"),
        nested("<span>word ", "</span>"),
        nested("<b>word ", "</b>"),
        nested("<pre>word ", "</pre>"),
        nested("<article>word ", "</article>"),
        nested("<sup>a", "</sup>"),
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

class Linear : public testing::TestWithParam<Target> {};

TEST_P(Linear, twice_the_bytes_take_twice_the_time) {
    const Target target = GetParam();
    auto shapes = target.name == "html" ? shapes_of_html() : shapes_of_text();
    if (target.name == "einvoice") shapes = shapes_of_xml();
    for (const Shape& shape : shapes) {
        const std::string wrong = complaint(target, shape);
        EXPECT_EQ(wrong, "") << target.name << " of " << shape.name.substr(0, 60);
    }
}

TEST(Deep, a_page_that_nests_deeply_is_read_in_seconds) {
    const auto targets = all_targets();
    const auto html = std::find_if(targets.begin(), targets.end(),
                                   [](const Target& target) { return target.name == "html"; });
    for (const Shape& shape : shapes_of_deep_html())
        EXPECT_LT(cpu_seconds(*html, shape.make(kLargest)), 2) << shape.name;
}

INSTANTIATE_TEST_SUITE_P(Each, Linear, testing::ValuesIn(all_targets()),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace belay::fuzz
