#include "ingestion/media/html/code_blocks.hpp"

#include <gtest/gtest.h>

#include "ingestion/media/html/parse.hpp"
#include "ingestion/media/html/text.hpp"

namespace belay::media::html {
namespace {

struct Code {
    std::string text;
    std::string language;
};

Code code_of(std::string_view html) {
    Document page = parse(html);
    tidy_code_blocks(page, *page.body());
    const auto blocks = elements(page.html(), Tag::Pre);
    if (blocks.empty()) return {"no code", ""};
    return {std::string{trim(raw_text(*blocks[0]))},
            std::string{blocks[0]->attribute("data-language")}};
}

TEST(CodeBlocks, know_their_language_from_classes_attributes_or_what_is_around_them) {
    EXPECT_EQ(code_of("<pre><code class='hljs language-rust'>x</code></pre>").language, "rust");
    EXPECT_EQ(code_of("<div class=highlight-source-python><pre>x</pre></div>").language, "python");
    EXPECT_EQ(code_of("<figure data-lang=go><pre>x</pre></figure>").language, "go");
    EXPECT_EQ(code_of("<pre class='brush: java; gutter: true'>x</pre>").language, "java");
    EXPECT_EQ(code_of("<pre class=wide>x</pre>").language, "");
}

TEST(CodeBlocks, lose_their_line_numbers) {
    EXPECT_EQ(code_of("<table><tr><td class=gutter><pre>1\n2</pre></td><td "
                      "class=code><pre>a\nb</pre></td></tr></table>")
                  .text,
              "a\nb");
    EXPECT_EQ(
        code_of("<pre><span class=lineno>1 </span>a\n<span class=lineno>2 </span>b</pre>").text,
        "a\nb");
    EXPECT_EQ(code_of("<pre><span style='user-select: none'>1</span>a</pre>").text, "a");
    EXPECT_EQ(
        code_of(
            "<pre><div><span>1</span><div>a</div></div><div><span>2</span><div>b</div></div></pre>")
            .text,
        "a\nb");
}

TEST(CodeBlocks, have_a_line_for_every_line_element_and_break) {
    EXPECT_EQ(code_of("<pre><div>a</div><div>b</div></pre>").text, "a\nb");
    EXPECT_EQ(code_of("<pre><span class=line>a</span>\n<span class=line>b</span></pre>").text,
              "a\nb");
    EXPECT_EQ(code_of("<pre>a<br>b</pre>").text, "a\nb");
    EXPECT_EQ(code_of("<pre>a<button>Copy</button></pre>").text, "a");
}

}  // namespace
}  // namespace belay::media::html
