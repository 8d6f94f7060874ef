// html_job.cpp — the article of a web page.
#include "ingestion/isolate/registry.hpp"
#include "ingestion/media/html/charset.hpp"
#include "ingestion/media/html/extract.hpp"
#include "ingestion/media/html_jobs.hpp"
#include "ingestion/media/native/inputs.hpp"
#include "ingestion/media/native/register.hpp"

namespace belay::media {
namespace {

Article extract_html(const ExtractHtml::Arguments& arguments, const isolate::Request& request) {
    try {
        return html::extract(only_input(request),
                             {.url = arguments.url, .content_type = arguments.content_type});
    } catch (const html::PageRefused& refused) {
        throw isolate::Reject("page_too_large", refused.what());
    }
}

DecodeText::Result decode_text(const DecodeText::Arguments& arguments,
                               const isolate::Request& request) {
    auto decoded = html::decode_page(only_input(request), arguments.content_type);
    return {std::move(decoded.utf8), std::move(decoded.encoding)};
}

}  // namespace

void register_html_job(isolate::Registry& registry) {
    // glibc loads encodings from files, and a job can open none.
    registry.add<ExtractHtml>(extract_html, {.warm_up = html::keep_encodings});
    registry.add<DecodeText>(decode_text);
}

}  // namespace belay::media
