// content_extract.hpp — `belay content extract FILE…`: the article of a saved web page, without a network.
#pragma once

#include <string>
#include <vector>

#include "ingestion/isolate/pool.hpp"
#include "ingestion/media/article.hpp"
#include "service/cli/command.hpp"

namespace belay::cli {

struct ExtractOptions {
    std::vector<std::string> files{};  // "-": standard input; gzipped ones are opened
    std::string url{};  // where the page came from; relative links are resolved against it
};

// What a saved page may weigh, decompressed.
inline constexpr std::size_t kPageBytesMax = 64u << 20;

// The bytes of a file as a page: gunzipped if they are gzipped. Throws Error{NotFound}, and
// {PayloadTooLarge} above kPageBytesMax.
std::string read_page(const std::string& file);

// `{url, title, author, date, site, description, language, text, markdown, links}`; null where the page
// does not say it.
std::string article_json(const media::Article& article);

// One after the other, in the order given. A page that fails is told on `errors` and the rest goes on; the
// exit code then says so.
ExitCode extract(const ExtractOptions& options, isolate::Pool& pool, bool json, World& world);

}  // namespace belay::cli
