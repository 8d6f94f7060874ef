#include "ingestion/web/sitemap.hpp"

#include <algorithm>
#include <optional>

#include "ingestion/web/url.hpp"

namespace belay::web {
namespace {

std::string_view trim(std::string_view text) {
    const auto space = [](char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; };
    while (!text.empty() && space(text.front())) text.remove_prefix(1);
    while (!text.empty() && space(text.back())) text.remove_suffix(1);
    return text;
}

constexpr std::size_t kEntityBytesMax = 11;  // with & and ;

// The five entities of XML and numeric references; nothing else can stand in an address.
std::string unescape(std::string_view text) {
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] != '&') {
            out += text[i];
            continue;
        }
        // Looked for nearby only: a million ampersands without one must not each look to the end.
        const auto length = text.substr(i, kEntityBytesMax).find(';');
        if (length == std::string_view::npos) {
            out += '&';
            continue;
        }
        const auto end = i + length;
        const std::string_view name = text.substr(i + 1, end - i - 1);
        if (name == "amp")
            out += '&';
        else if (name == "lt")
            out += '<';
        else if (name == "gt")
            out += '>';
        else if (name == "quot")
            out += '"';
        else if (name == "apos" || name == "#39")
            out += '\'';
        else if (name == "#38")
            out += '&';
        else
            out.append(text.substr(i, end - i + 1));
        i = end;
    }
    return out;
}

// A forward-only reader of tags and text: no entities to expand, no depth to exhaust.
class Reader {
public:
    explicit Reader(std::string_view text) : rest_(text) {}

    // The next element's name without its prefix ("url", "/url"), with `text()` being what stood
    // before it; nothing at the end.
    std::optional<std::string_view> next() {
        text_.clear();
        while (true) {
            const auto open = rest_.find('<');
            if (open == std::string_view::npos) return std::nullopt;
            text_ += unescape(rest_.substr(0, open));
            rest_.remove_prefix(open);
            if (take("<!--", "-->") || take("<?", "?>")) continue;
            if (rest_.starts_with("<![CDATA[")) {
                const auto end = rest_.find("]]>");
                if (end == std::string_view::npos) return std::nullopt;
                text_.append(rest_.substr(9, end - 9));
                rest_.remove_prefix(end + 3);
                continue;
            }
            const auto close = rest_.find('>');
            if (close == std::string_view::npos) return std::nullopt;
            tag_ = rest_.substr(1, close - 1);
            rest_.remove_prefix(close + 1);
            std::string_view name =
                tag_.substr(0, tag_.find_first_of(" \t\r\n/", tag_.starts_with('/') ? 1 : 0));
            if (const auto colon = name.find(':'); colon != std::string_view::npos) {
                // image:loc and video:loc are addresses of other things than pages.
                prefixed_ = true;
            } else {
                prefixed_ = false;
            }
            return name;
        }
    }

    std::string_view text() const { return trim(text_); }
    bool prefixed() const { return prefixed_; }
    std::string attribute(std::string_view name) const {
        const std::string wanted = " " + std::string{name} + "=";
        const auto at = tag_.find(wanted);
        if (at == std::string_view::npos || at + wanted.size() >= tag_.size()) return {};
        const char quote = tag_[at + wanted.size()];
        const auto begin = at + wanted.size() + 1;
        const auto end = tag_.find(quote, begin);
        return end == std::string_view::npos ? std::string{}
                                             : unescape(tag_.substr(begin, end - begin));
    }

private:
    bool take(std::string_view open, std::string_view close) {
        if (!rest_.starts_with(open)) return false;
        const auto end = rest_.find(close, open.size());
        rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end + close.size());
        return true;
    }

    std::string_view rest_;
    std::string_view tag_{};
    std::string text_{};
    bool prefixed_ = false;
};

class Collector {
public:
    Sitemap run(std::string_view text) {
        if (text.size() > kSitemapBytesMax) {
            found_.truncated = true;
            text = text.substr(0, kSitemapBytesMax);
        }
        if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
        if (trim(text).starts_with('<'))
            read_xml(text);
        else
            read_lines(text);
        return std::move(found_);
    }

private:
    void add(std::vector<SitemapEntry>& list, SitemapEntry entry) {
        const auto url = parse_url(entry.url);
        if (!url || !url->is_web()) return;
        if (list.size() >= kSitemapUrlsMax) {
            found_.truncated = true;
            return;
        }
        entry.url = url->without_fragment();
        if (entry.last_modified.size() > 40) entry.last_modified.clear();
        list.push_back(std::move(entry));
    }

    void read_xml(std::string_view text) {
        Reader reader{text};
        SitemapEntry entry;
        while (const auto name = reader.next()) {
            if (reader.prefixed()) continue;
            if (*name == "url" || *name == "sitemap" || *name == "item" || *name == "entry")
                entry = {};
            else if (*name == "/loc" || *name == "/link")
                entry.url = reader.text();
            else if (*name == "link" && entry.url.empty())
                entry.url = reader.attribute("href");
            else if (*name == "/lastmod" || *name == "/pubDate" || *name == "/updated")
                entry.last_modified = reader.text();
            else if (*name == "/url" || *name == "/item" || *name == "/entry")
                add(found_.pages, entry);
            else if (*name == "/sitemap")
                add(found_.sitemaps, entry);
        }
    }

    void read_lines(std::string_view text) {
        while (!text.empty()) {
            const auto end = std::min(text.find('\n'), text.size());
            add(found_.pages, {std::string{trim(text.substr(0, end))}, {}});
            text.remove_prefix(std::min(end + 1, text.size()));
        }
    }

    Sitemap found_{};
};

}  // namespace

Sitemap parse_sitemap(std::string_view text) { return Collector{}.run(text); }

}  // namespace belay::web
