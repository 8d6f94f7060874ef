// content_urls.hpp — which addresses a command is about: those that were given, or those that are known.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "ingestion/cli/content_fetch.hpp"
#include "ingestion/documents/document.hpp"

namespace belay::cli {

// What the command line and --file name, as written. Throws Error{NotFound} for a file that cannot be read,
// Error{InvalidArgument} above a million.
std::vector<std::string> given_urls(const FetchCommand& command);

// Known documents that are like --include: those without a text, and with --refetch all.
std::vector<std::string> known_urls(const FetchCommand& command, const documents::Read& read,
                                    const std::string& organization);

// What is to be fetched: each address once, in one spelling, like --include, at most --limit. Without addresses: those
// that `known` gives. Throws Error{InvalidArgument} for an address that is none, and when nothing says what to fetch.
std::vector<std::string> chosen_urls(const FetchCommand& command,
                                     const std::function<std::vector<std::string>()>& known);

// Whether `text` is like `glob` (* is any text, ? any character); everything is like an empty one.
bool is_like(const std::string& glob, const std::string& text);

}  // namespace belay::cli
