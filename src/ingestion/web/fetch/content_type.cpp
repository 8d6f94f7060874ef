#include "ingestion/web/fetch/content_type.hpp"

#include <algorithm>

#include "core/base/utf8.hpp"
#include "service/http/headers.hpp"
#include "service/http/url.hpp"

namespace belay::web::fetch {
namespace {

bool is_unsaid(const std::string& type) {
    return type.empty() || type == "application/octet-stream" || type == "binary/octet-stream";
}

bool is_html(const std::string& type) {
    return type == "text/html" || type == "application/xhtml+xml";
}
bool is_markdown(const std::string& type) {
    return type == "text/markdown" || type == "text/x-markdown";
}
bool is_pdf(const std::string& type) {
    return type == "application/pdf" || type == "application/x-pdf";
}

bool ends_with(std::string_view url, std::initializer_list<std::string_view> endings) {
    const auto parsed = http::parse_url(url);
    const auto path = parsed ? http::lower(parsed->path) : "";
    return std::ranges::any_of(endings,
                               [&](std::string_view ending) { return path.ends_with(ending); });
}

bool looks_like_html(std::string_view body) {
    if (body.starts_with("\xef\xbb\xbf")) body.remove_prefix(3);
    const auto start = http::lower(http::trim(body.substr(0, 1024)).substr(0, 256));
    for (const auto* tag : {"<!doctype html", "<html", "<head", "<body", "<!--"})
        if (start.starts_with(tag)) return true;
    return start.starts_with("<?xml") && start.find("<html") != std::string::npos;
}

// Text has no zero bytes; a cut at the end may split a character.
bool looks_like_text(std::string_view body) {
    const auto start = body.substr(0, 4096);
    if (start.find('\0') != std::string_view::npos) return false;
    for (std::size_t cut = 0; cut < 4 && cut <= start.size(); ++cut)
        if (base::is_utf8(start.substr(0, start.size() - cut))) return !start.empty();
    return false;
}

}  // namespace

ContentType parse_content_type(std::string_view header) {
    ContentType result;
    auto rest = header;
    for (bool first = true; !rest.empty(); first = false) {
        const auto end = std::min(rest.find(';'), rest.size());
        const auto part = http::trim(rest.substr(0, end));
        rest.remove_prefix(std::min(end + 1, rest.size()));
        if (first) {
            result.type = http::lower(part);
            continue;
        }
        const auto equals = part.find('=');
        if (equals == std::string_view::npos ||
            !http::equal_ignoring_case(http::trim(part.substr(0, equals)), "charset"))
            continue;
        auto value = http::trim(part.substr(equals + 1));
        if (value.size() >= 2 && (value.front() == '"' || value.front() == '\'') &&
            value.back() == value.front())
            value = value.substr(1, value.size() - 2);
        if (result.charset.empty()) result.charset = http::lower(value);
    }
    return result;
}

bool may_be_page(const ContentType& type) {
    return is_unsaid(type.type) || is_html(type.type) || is_markdown(type.type) ||
           is_pdf(type.type) || type.type == "text/plain";
}

std::optional<PageKind> kind_of_page(const ContentType& type, std::string_view url,
                                     std::string_view body) {
    if (!may_be_page(type)) return std::nullopt;
    if (body.starts_with("%PDF-")) return PageKind::Pdf;
    if (is_pdf(type.type)) return PageKind::Pdf;
    if (is_html(type.type)) return PageKind::Html;
    if (is_markdown(type.type)) return PageKind::Markdown;
    const bool is_markdown_file = ends_with(url, {".md", ".markdown"});
    if (type.type == "text/plain") return is_markdown_file ? PageKind::Markdown : PageKind::Text;
    if (looks_like_html(body)) return PageKind::Html;
    if (!looks_like_text(body)) return std::nullopt;
    if (is_markdown_file) return PageKind::Markdown;
    if (type.type.empty() || ends_with(url, {".txt", ".text"})) return PageKind::Text;
    return std::nullopt;
}

}  // namespace belay::web::fetch
