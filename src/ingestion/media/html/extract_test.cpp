#include "ingestion/media/html/extract.hpp"

#include <string>

#include <gtest/gtest.h>

namespace belay::media::html {
namespace {

const std::string kProse =
    "The river rose again on Tuesday, and by evening, when the lamps were lit along the quay, the "
    "water had reached the "
    "third step, which nobody in the town remembered seeing wet before.";

std::string page_with(const std::string& article,
                      const std::string& head = "<title>The flood</title>") {
    return "<html lang=sv><head>" + head +
           "</head><body><nav><ul><li><a href=/>Home</a><li><a href=/news>News</a></ul></nav>"
           "<div class=sidebar><a href=/x>Most read: something else entirely</a></div>"
           "<article>" +
           article +
           "</article>"
           "<div class=related-posts><h3>Related</h3><ul><li><a href=/1>Another story about "
           "boats</a></ul></div>"
           "<div id=comments><p>" +
           kProse +
           " I agree, says a reader, and so do all my friends.</p></div>"
           "<footer>Copyright 2020, all rights reserved, by everybody.</footer></body></html>";
}

Article article_of(const std::string& article) {
    return extract(page_with(article), {.url = "https://example.com/news/flood.html"});
}

TEST(Extract, takes_the_article_and_leaves_the_rest) {
    const Article found =
        article_of("<h1>The flood</h1><p>" + kProse + "<p>" + kProse + "<p>" + kProse);

    EXPECT_EQ(found.text, kProse + "\n\n" + kProse + "\n\n" + kProse);
    EXPECT_EQ(found.title, "The flood");
    EXPECT_EQ(found.language, "sv");
    EXPECT_TRUE(found.links.empty());
}

TEST(Extract, writes_markdown_with_absolute_links_and_escapes) {
    const Article found =
        article_of("<p>" + kProse +
                   "</p><h2>What <em>now</em>?</h2><p>See <a href='../map?a=1#top'>the "
                   "<b>map</b></a>, 2 * 3, a_b.</p>"
                   "<ul><li>one<ul><li>nested</ul><li>two</ul><ol start=3><li>three</ol>"
                   "<blockquote><p>Said.</p></blockquote><p>" +
                   kProse +
                   "</p><pre><code class=language-cpp>int a;\n  int b;</code></pre>"
                   "<p><img src=/p.png alt='The quay'></p><p>" +
                   kProse + "</p>");

    EXPECT_NE(found.markdown.find("## What *now*?"), std::string::npos) << found.markdown;
    EXPECT_NE(
        found.markdown.find("See [the **map**](https://example.com/map?a=1#top), 2 \\* 3, a\\_b."),
        std::string::npos)
        << found.markdown;
    EXPECT_NE(found.markdown.find("- one\n    - nested\n- two"), std::string::npos)
        << found.markdown;
    EXPECT_NE(found.markdown.find("3. three"), std::string::npos);
    EXPECT_NE(found.markdown.find("> Said."), std::string::npos);
    EXPECT_NE(found.markdown.find("```cpp\nint a;\n  int b;\n```"), std::string::npos)
        << found.markdown;
    EXPECT_NE(found.markdown.find("![The quay](https://example.com/p.png)"), std::string::npos);
    EXPECT_EQ(found.links, std::vector<std::string>{"https://example.com/map?a=1#top"});
}

TEST(Extract, shows_data_tables_as_tables_and_takes_layout_tables_apart) {
    const Article data =
        article_of("<p>" + kProse + "<p>" + kProse +
                   "<table><tr><th>Day<th>Level<tr><td>Mon<td>1 | 2</table><p>" + kProse);
    EXPECT_NE(data.markdown.find("| Day | Level |\n| --- | --- |\n| Mon | 1 \\| 2 |"),
              std::string::npos)
        << data.markdown;

    const Article layout =
        extract("<table><tr><td><p>" + kProse + "<p>" + kProse + "<p>" + kProse + "</table>");
    EXPECT_EQ(layout.markdown, kProse + "\n\n" + kProse + "\n\n" + kProse);
}

TEST(Extract, keeps_footnotes_with_the_text_that_refers_to_them) {
    const Article found =
        article_of("<p>" + kProse + "<sup id=fnref1><a href=#fn1>1</a></sup></p><p>" + kProse +
                   "</p><p>" + kProse +
                   "</p><footer class=footnotes><ol><li id=fn1><p>So the archive says. <a "
                   "href=#fnref1>↩</a></p></ol></footer>");

    EXPECT_NE(found.markdown.find("before.[^1]"), std::string::npos) << found.markdown;
    EXPECT_TRUE(found.markdown.ends_with("[^1]: So the archive says.")) << found.markdown;
}

TEST(Extract, writes_formulas_as_tex) {
    const Article found = article_of(
        "<p>" + kProse +
        "<p>Let <math><mfrac><mi>a</mi><mi>b</mi></mfrac></math> be small, and "
        "<span class=katex><span class=katex-mathml><math><semantics><mi>x</mi><annotation "
        "encoding=application/x-tex>x^2</annotation>"
        "</semantics></math></span><span class=katex-html aria-hidden=true>x2</span></span> large; "
        "it cost $5 or $6, said the mayor of the town.<p>" +
        kProse);

    EXPECT_NE(found.markdown.find("Let $\\frac{a}{b}$ be small, and $x^2$ large; it cost $5 or $6"),
              std::string::npos)
        << found.markdown;
}

TEST(Extract, finds_an_article_that_the_server_streamed_out_of_place) {
    const Article found = extract(
        "<body><main><template id=B:0></template><p>Loading</p></main><div hidden id=S:0><p>" +
        kProse + "<p>" + kProse + "<p>" + kProse + "</div><script>$RC(\"B:0\",\"S:0\")</script>");
    EXPECT_EQ(found.text, kProse + "\n\n" + kProse + "\n\n" + kProse);
}

TEST(Extract, takes_what_json_ld_says_when_a_script_would_have_shown_it) {
    std::string body;
    for (int i = 0; i < 5; ++i) body += kProse + " Part " + std::to_string(i) + ".\\n";
    const Article found = extract(
        "<body><div id=root></div><p>This site needs a newer browser, please install one, and come "
        "back later.</p>"
        "<script type=application/ld+json>{\"@type\": \"Article\", \"articleBody\": \"" +
        body + "\"}</script>");
    EXPECT_TRUE(found.text.starts_with(kProse + " Part 0.\n\n" + kProse)) << found.text;
    EXPECT_EQ(found.text.find("browser"), std::string::npos);
}

TEST(Extract, a_page_without_text_is_an_empty_article_and_not_an_error) {
    EXPECT_EQ(extract("").text, "");
    EXPECT_EQ(extract("<html><body></body></html>").text, "");
    EXPECT_EQ(extract("<frameset><frame src=a></frameset>").text, "");
}

TEST(Extract, needs_no_more_than_a_moment_for_hostile_nesting) {
    std::string html = "<body>";
    for (int i = 0; i < 3'000; ++i) html += "<div class=article><b><i><a href=#>";
    html += kProse;
    EXPECT_NO_THROW(extract(html));
}

TEST(Extract, a_link_that_runs_a_script_is_only_its_text) {
    const Article found = article_of("<p>" + kProse +
                                     "<p>Press <a href=' javascript:alert(1)'>here</a> to see what "
                                     "happens to the town next.<p>" +
                                     kProse);
    EXPECT_NE(found.markdown.find("Press here to"), std::string::npos) << found.markdown;
    EXPECT_TRUE(found.links.empty());
}

}  // namespace
}  // namespace belay::media::html
