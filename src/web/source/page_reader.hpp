// page_reader.hpp — the bytes of a page become an article: HTML, Markdown, plain text or PDF.
//
// Bytes of strangers are read in belay-media only; what comes back is text.
#pragma once

#include <stop_token>

#include "isolate/pool.hpp"
#include "media/article.hpp"
#include "web/fetch/page.hpp"

namespace belay::web::source {

class PageReader {
public:
    // `pool` outlives this.
    explicit PageReader(isolate::Pool& pool) : pool_(pool) {}

    // Throws NonRetryable for a page that says nothing, or that cannot be read; another std::exception if the helper
    // failed. Blocks; any thread.
    media::Article read(const fetch::Page& page, std::stop_token stop);

private:
    media::Article read_html(const fetch::Page& page, std::stop_token stop);
    media::Article read_text(const fetch::Page& page, std::stop_token stop);
    media::Article read_pdf(const fetch::Page& page, std::stop_token stop);

    isolate::Pool& pool_;
};

// Markdown without its marks: what is searched and embedded.
std::string plain_text(std::string_view markdown);

}  // namespace belay::web::source
