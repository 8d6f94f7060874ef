// html_jobs.hpp — the job of belay-media on web pages: its name, arguments and answer, the same for both sides.
//
// A page that cannot be used is JobFailed{Rejected} with the code page_too_large (the message says which
// limit: bytes, nodes or memory). A page without an article is not an error: its text is empty.
#pragma once

#include <string>
#include <string_view>

#include <boost/describe.hpp>

#include "ingestion/media/article.hpp"

namespace belay::media {

// The article of a web page. Input: the page's bytes as the server sent them, decompressed.
struct ExtractHtml {
    static constexpr std::string_view kName = "extract_html";

    struct Arguments {
        std::string url{};           // where it came from; relative links are resolved against it
        std::string content_type{};  // the HTTP header's value, for its charset
    };
    using Result = Article;
};
BOOST_DESCRIBE_STRUCT(ExtractHtml::Arguments, (), (url, content_type))

// A text in whatever encoding as UTF-8, for pages that are Markdown or plain text. Input: its bytes.
struct DecodeText {
    static constexpr std::string_view kName = "decode_text";

    struct Arguments {
        std::string content_type{};  // the HTTP header's value, for its charset
    };
    struct Result {
        std::string text{};      // well-formed, without a byte-order mark or NULs
        std::string encoding{};  // that it was decoded from
    };
};
BOOST_DESCRIBE_STRUCT(DecodeText::Arguments, (), (content_type))
BOOST_DESCRIBE_STRUCT(DecodeText::Result, (), (text, encoding))

}  // namespace belay::media
