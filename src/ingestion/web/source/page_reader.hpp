// page_reader.hpp — the bytes of a page become an article: HTML, Markdown, plain text or PDF.
//
// Bytes of strangers are read in belay-media only; what comes back is text.
#pragma once

#include <stop_token>
#include <string>

#include "ingestion/isolate/pool.hpp"
#include "ingestion/media/article.hpp"
#include "ingestion/web/fetch/page.hpp"

namespace belay::web::source {

// Where pages are read. HTML and text come by the thousand and need little; a PDF may be a scan, and the helper that
// reads those has models in memory, which makes each of its jobs dearer. May be one and the same.
struct Helpers {
    isolate::Pool& texts;   // html_jobs.hpp
    isolate::Pool& papers;  // read_jobs.hpp
};

// What a helper for texts is started with.
isolate::PoolOptions for_texts();

class PageReader {
public:
    // The pools outlive this.
    explicit PageReader(Helpers helpers) : helpers_(helpers) {}

    // Throws NonRetryable for a page that says nothing, or that cannot be read; another std::exception if the helper
    // failed. Blocks, behind what other organizations asked for at most in turn; any thread.
    media::Article read(const fetch::Page& page, const std::string& organization,
                        std::stop_token stop);

private:
    media::Article read_html(const fetch::Page& page, const std::string& organization,
                             std::stop_token stop);
    media::Article read_text(const fetch::Page& page, const std::string& organization,
                             std::stop_token stop);
    media::Article read_pdf(const fetch::Page& page, const std::string& organization,
                            std::stop_token stop);

    Helpers helpers_;
};

// Markdown without its marks: what is searched and embedded.
std::string plain_text(std::string_view markdown);

}  // namespace belay::web::source
