#include "ingestion/web/source/page_reader.hpp"

#include <chrono>

#include <fmt/format.h>

#include <belay/error.hpp>

#include "core/base/utf8.hpp"
#include "ingestion/isolate/call.hpp"
#include "ingestion/media/html_jobs.hpp"
#include "ingestion/media/lines.hpp"
#include "ingestion/media/read_jobs.hpp"
#include "ingestion/web/links.hpp"
#include "ingestion/web/url.hpp"

namespace belay::web::source {

namespace {

constexpr int kPdfPagesMax = 300;
constexpr std::size_t kTitleCharsMax = 300;

// The largest page that is taken needs two seconds.
constexpr isolate::Limits kTextLimits{.cpu_time = std::chrono::seconds{15}};

template <class Spec>
isolate::Reply<Spec> ask(isolate::Pool& pool, const typename Spec::Arguments& arguments,
                         std::string_view bytes, const isolate::Limits& limits,
                         std::stop_token stop, isolate::Asker asker) {
    std::vector<isolate::Blob> inputs;
    inputs.push_back(isolate::Blob::of(bytes));
    try {
        return isolate::call<Spec>(pool, arguments, std::move(inputs), limits, std::move(stop),
                                   std::move(asker));
    } catch (const isolate::JobFailed& failure) {
        using Code = isolate::FailureCode;
        // The same bytes would fail the same way again.
        if (failure.code() == Code::Rejected || failure.code() == Code::OutOfMemory ||
            failure.code() == Code::OutputTooLarge)
            throw NonRetryable(failure.what());
        throw;
    }
}

std::string content_type_of(const fetch::Page& page) {
    if (page.charset.empty()) return page.content_type;
    return page.content_type + "; charset=" + page.charset;
}

std::string_view trimmed(std::string_view line) {
    const auto first = line.find_first_not_of(" \t\r");
    if (first == std::string_view::npos) return {};
    return line.substr(first, line.find_last_not_of(" \t\r") - first + 1);
}

template <class F>
void each_line(std::string_view text, F each) {
    while (!text.empty()) {
        const auto end = std::min(text.find('\n'), text.size());
        each(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
}

// A first heading, else the first line that says something.
std::string title_of(std::string_view text, bool is_markdown) {
    std::string first, heading;
    each_line(text, [&](std::string_view line) {
        line = trimmed(line);
        if (line.empty() || line == "---") return;
        if (first.empty()) first = line;
        if (is_markdown && heading.empty() && line.starts_with("# "))
            heading = trimmed(line.substr(2));
    });
    return base::truncate(heading.empty() ? first : heading, kTitleCharsMax);
}

std::string text_of(const media::Page& page) {
    std::string text;
    int line = -1;
    for (const media::Word& word : page.words) {
        if (!text.empty()) text += word.line == line ? ' ' : '\n';
        text += word.text;
        line = word.line;
    }
    return text;
}

}  // namespace

isolate::PoolOptions for_texts() {
    isolate::PoolOptions options;
    options.arguments = {std::string{media::ExtractHtml::kName},
                         std::string{media::DecodeText::kName}};
    return options;
}

std::string plain_text(std::string_view markdown) {
    std::string text;
    bool in_code = false;
    each_line(markdown, [&](std::string_view line) {
        if (trimmed(line).starts_with("```")) {
            in_code = !in_code;
            return;
        }
        if (!in_code) {
            line = trimmed(line);
            while (!line.empty() && (line.front() == '#' || line.front() == '>'))
                line.remove_prefix(1);
            line = trimmed(line);
        }
        // `[words](target)` is its words, `![alt](picture)` nothing.
        for (std::size_t i = 0; i < line.size(); ++i) {
            const auto close = line[i] == '[' ? line.find("](", i) : std::string_view::npos;
            const auto end = close == std::string_view::npos ? close : line.find(')', close);
            if (!in_code && end != std::string_view::npos) {
                if (!text.empty() && text.back() == '!') {
                    text.pop_back();
                } else {
                    text.append(line.substr(i + 1, close - i - 1));
                }
                i = end;
            } else if (in_code || (line[i] != '*' && line[i] != '`' && line[i] != '|')) {
                text += line[i];
            }
        }
        text += '\n';
    });
    while (text.ends_with('\n')) text.pop_back();
    return text;
}

media::Article PageReader::read(const fetch::Page& page, const std::string& organization,
                                std::stop_token stop) {
    media::Article article;
    switch (page.kind) {
        case fetch::PageKind::Html:
            article = read_html(page, organization, std::move(stop));
            break;
        case fetch::PageKind::Markdown:
        case fetch::PageKind::Text:
            article = read_text(page, organization, std::move(stop));
            break;
        case fetch::PageKind::Pdf:
            article = read_pdf(page, organization, std::move(stop));
            break;
    }
    if (article.url.empty()) article.url = page.final_url;
    if (article.text.find_first_not_of(" \t\r\n") == std::string::npos) {
        throw NonRetryable(fmt::format("{}: no text was found in it ({} bytes of {})",
                                       page.final_url, page.body.size(), to_string(page.kind)));
    }
    return article;
}

media::Article PageReader::read_html(const fetch::Page& page, const std::string& organization,
                                     std::stop_token stop) {
    return ask<media::ExtractHtml>(helpers_.texts, {page.final_url, content_type_of(page)},
                                   page.body, kTextLimits, std::move(stop),
                                   {organization, isolate::JobKind::Short})
        .value;
}

media::Article PageReader::read_text(const fetch::Page& page, const std::string& organization,
                                     std::stop_token stop) {
    auto decoded =
        ask<media::DecodeText>(helpers_.texts, {content_type_of(page)}, page.body, kTextLimits,
                               std::move(stop), {organization, isolate::JobKind::Short});
    media::Article article;
    const bool is_markdown = page.kind == fetch::PageKind::Markdown;
    article.encoding = decoded.value.encoding;
    article.markdown = std::move(decoded.value.text);
    article.title = title_of(article.markdown, is_markdown);
    article.text = is_markdown ? plain_text(article.markdown) : article.markdown;
    if (is_markdown) {
        for (const MarkdownLink& link : markdown_links(article.markdown)) {
            if (auto target = resolve(page.final_url, link.target))
                article.links.push_back(*std::move(target));
        }
    }
    return article;
}

// Pages without a text that can be trusted are read by OCR, one job each: a hostile page costs itself.
media::Article PageReader::read_pdf(const fetch::Page& page, const std::string& organization,
                                    std::stop_token stop) {
    const isolate::Asker asker{organization, isolate::JobKind::Long};
    const auto layer =
        ask<media::ReadPdf>(helpers_.papers, {kPdfPagesMax, true}, page.body, {}, stop, asker);
    isolate::Limits limits;
    limits.cpu_time = std::chrono::seconds{media::kReadPageSeconds};
    media::Article article;
    std::size_t next = 0;
    for (const auto& info : layer.value.pages) {
        media::Page words;
        if (info.readable && next < layer.value.text.size()) {
            words = layer.value.text[next++];
        } else if (info.error.empty()) {
            try {
                words = ask<media::ReadPage>(helpers_.papers, {.page = info.number}, page.body,
                                             limits, stop, asker)
                            .value.page;
            } catch (const NonRetryable&) {
                continue;  // an unreadable page among others
            }
        }
        std::string text = text_of(words);
        if (text.empty()) continue;
        if (!article.text.empty()) article.text += "\n\n";
        article.text += text;
        if (article.language.empty()) article.language = words.language;
    }
    article.markdown = article.text;
    article.title = title_of(article.text, false);
    return article;
}

}  // namespace belay::web::source
