// html_job.cpp — the article of a web page.
#include "isolate/registry.hpp"
#include "media/html/extract.hpp"
#include "media/html_jobs.hpp"
#include "media/native/inputs.hpp"
#include "media/native/register.hpp"

namespace belay::media {
namespace {

Article extract_html(const ExtractHtml::Arguments& arguments, const isolate::Request& request) {
    try {
        return html::extract(only_input(request), {.url = arguments.url, .content_type = arguments.content_type});
    } catch (const html::PageRefused& refused) {
        throw isolate::Reject("page_too_large", refused.what());
    }
}

// Encodings are loaded from files on first use, and a job can open none.
void warm_up() {
    for (const char* encoding : {"windows-1252", "windows-1251", "iso-8859-2", "iso-8859-15", "shift_jis", "gb18030", "euc-kr", "big5", "euc-jp", "koi8-r"})
        html::extract("\xE9\xE9", {.content_type = std::string{"text/html; charset="} + encoding});
}

}  // namespace

void register_html_job(isolate::Registry& registry) {
    // The converters that the warm-up did not load.
    registry.add<ExtractHtml>(extract_html, {.warm_up = warm_up, .readable = {"/usr/lib/x86_64-linux-gnu/gconv", "/usr/lib/aarch64-linux-gnu/gconv"}});
}

}  // namespace belay::media
