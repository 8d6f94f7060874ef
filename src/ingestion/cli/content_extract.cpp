#include "ingestion/cli/content_extract.hpp"

#include <fstream>
#include <iostream>
#include <iterator>
#include <memory>
#include <ostream>

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <boost/json.hpp>

#include <belay/error.hpp>

#include "ingestion/cli/commands.hpp"
#include "ingestion/cli/gunzip.hpp"
#include "ingestion/isolate/call.hpp"
#include "ingestion/media/html_jobs.hpp"
#include "ingestion/web/source/page_reader.hpp"

namespace belay::cli {

namespace {

[[noreturn]] void refuse_size(const std::string& file) {
    throw Error(ErrorCode::PayloadTooLarge,
                fmt::format("{}: a page has at most {} MiB", file, kPageBytesMax >> 20));
}

std::string read_all(std::istream& in, const std::string& file) {
    std::string bytes;
    std::string piece(1u << 16, '\0');
    while (in.read(piece.data(), static_cast<std::streamsize>(piece.size())) || in.gcount() > 0) {
        bytes.append(piece, 0, static_cast<std::size_t>(in.gcount()));
        if (bytes.size() > kPageBytesMax) refuse_size(file);
    }
    return bytes;
}

void print_readable(const media::Article& article, const Screen& screen) {
    screen.out << styled(screen, Style::Bold,
                         plain(article.title.empty() ? "(no title)" : article.title))
               << '\n';
    const auto line = [&](std::string_view name, const std::string& value) {
        if (!value.empty()) screen.out << fmt::format("{:<12} {}\n", name, plain(value));
    };
    line("author", article.author);
    line("date", article.date);
    line("site", article.site);
    line("language", article.language);
    line("address", article.url);
    line("description", article.description);
    screen.out << '\n' << plain_lines(article.markdown) << '\n';
}

}  // namespace

std::string read_page(const std::string& file) {
    std::string bytes;
    if (file == "-") {
        bytes = read_all(std::cin, "standard input");
    } else {
        std::ifstream in{file, std::ios::binary};
        if (!in)
            throw Error(ErrorCode::NotFound,
                        fmt::format("{}: there is no such file, or it cannot be read", file));
        bytes = read_all(in, file);
    }
    return bytes.starts_with("\x1f\x8b") ? gunzip(file, bytes, kPageBytesMax) : bytes;
}

std::string article_json(const media::Article& article) {
    boost::json::object out;
    const auto put = [&](const char* name, const std::string& value) {
        if (value.empty())
            out[name] = nullptr;
        else
            out[name] = value;
    };
    put("url", article.url);
    put("title", article.title);
    put("author", article.author);
    put("date", article.date);
    put("site", article.site);
    put("description", article.description);
    put("language", article.language);
    out["text"] = article.text;
    out["markdown"] = article.markdown;
    boost::json::array links;
    for (const std::string& link : article.links) links.emplace_back(link);
    out["links"] = std::move(links);
    return boost::json::serialize(out);
}

ExitCode extract(const ExtractOptions& options, isolate::Pool& pool, bool json, World& world) {
    ExitCode code = ExitCode::Ok;
    for (const std::string& file : options.files) {
        try {
            std::vector<isolate::Blob> inputs;
            inputs.push_back(isolate::Blob::of(read_page(file)));
            const auto reply = isolate::call<media::ExtractHtml>(
                pool, {.url = options.url, .content_type = ""}, std::move(inputs));
            if (json) {
                world.screen.out << article_json(reply.value) << std::endl;
            } else {
                print_readable(reply.value, world.screen);
            }
        } catch (const std::exception& error) {
            const auto* failed = dynamic_cast<const isolate::JobFailed*>(&error);
            if (failed != nullptr && failed->code() == isolate::FailureCode::SandboxUnavailable)
                throw;
            world.errors << fmt::format("belay: {}: {}\n", plain(file), plain_lines(error.what()));
            code = ExitCode::Failed;
        }
    }
    return code;
}

void add_content(CLI::App& app, Session& session) {
    CLI::App* content =
        app.add_subcommand("content", "Web documents: fetch, index and search them");
    content->require_subcommand(1);
    content->footer(
        "Example:\n  belay content fetch https://example.org/\n  belay content search how to hold "
        "a rope");
    add_content_fetch(*content, session);
    add_content_map(*content, session);
    add_content_look(*content, session);
    const auto options = std::make_shared<ExtractOptions>();
    CLI::App* command =
        add_command(*content, "extract",
                    "The article of saved web pages: title, author, date, text, Markdown, links",
                    "belay content extract page.html --url https://example.org/page --json");
    command->add_option("FILE", options->files, "saved pages, gzipped or not; - is standard input")
        ->required();
    command->add_option("--url", options->url, "where the page came from, to resolve its links");
    add_json(*command, session);
    choose(*command, session, [options, &session] {
        isolate::Pool pool{web::source::for_texts()};
        return extract(*options, pool, session.json, session.world);
    });
}

}  // namespace belay::cli
