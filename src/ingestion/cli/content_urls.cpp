#include "ingestion/cli/content_urls.hpp"

#include <algorithm>
#include <fstream>
#include <iostream>
#include <set>

#include <fmt/format.h>

#include <belay/error.hpp>

#include "ingestion/documents/address.hpp"

namespace belay::cli {

namespace {

constexpr std::size_t kUrlsMax = 1'000'000;

void read_list(std::istream& in, std::vector<std::string>& urls) {
    std::string line;
    while (std::getline(in, line)) {
        const auto first = line.find_first_not_of(" \t\r");
        if (first == std::string::npos || line[first] == '#') continue;
        urls.push_back(line.substr(first, line.find_last_not_of(" \t\r") - first + 1));
        if (urls.size() > kUrlsMax)
            throw Error(ErrorCode::InvalidArgument,
                        fmt::format("a list has at most {} addresses", kUrlsMax));
    }
}

}  // namespace

std::vector<std::string> known_urls(const FetchCommand& command, const documents::Read& read,
                                    const std::string& organization) {
    std::vector<std::string> urls;
    documents::DocumentFilter filter;
    filter.include = command.include;
    filter.limit = 500;
    while (true) {
        const auto page = documents::list_documents(read, organization, filter);
        for (const auto& document : page.documents) {
            if (command.refetch || document.ingestion_status != "FETCHED")
                urls.push_back(document.source_url);
        }
        if (!page.next) break;
        filter.before = *page.next;
    }
    std::ranges::reverse(urls);  // as they were found
    return urls;
}

std::vector<std::string> given_urls(const FetchCommand& command) {
    std::vector<std::string> urls = command.urls;
    if (command.file == "-") {
        read_list(std::cin, urls);
    } else if (!command.file.empty()) {
        std::ifstream in{command.file};
        if (!in)
            throw Error(
                ErrorCode::NotFound,
                fmt::format("{}: there is no such file, or it cannot be read", command.file));
        read_list(in, urls);
    }
    return urls;
}

std::vector<std::string> chosen_urls(const FetchCommand& command,
                                     const std::function<std::vector<std::string>()>& known) {
    std::vector<std::string> urls = given_urls(command);
    if (urls.empty() && command.file.empty()) {
        if (command.include.empty())
            throw Error(
                ErrorCode::InvalidArgument,
                "say what to fetch: addresses, --file LIST, or --include GLOB for documents "
                "that `belay content map` found");
        urls = known();
    }
    std::vector<std::string> chosen;
    std::set<std::string> seen;
    for (const std::string& url : urls) {
        const auto address = documents::read_address(url);
        if (!address) throw Error(ErrorCode::InvalidArgument, documents::no_address(url));
        if (!is_like(command.include, address->url) || !seen.insert(address->url).second) continue;
        chosen.push_back(address->url);
        if (command.limit > 0 && chosen.size() == command.limit) break;
    }
    return chosen;
}

bool is_like(const std::string& glob, const std::string& text) {
    if (glob.empty()) return true;
    // The usual two pointers: back to the last star when the text does not fit.
    std::size_t g = 0, t = 0, star = std::string::npos, mark = 0;
    while (t < text.size()) {
        if (g < glob.size() && (glob[g] == '?' || glob[g] == text[t])) {
            ++g;
            ++t;
        } else if (g < glob.size() && glob[g] == '*') {
            star = g++;
            mark = t;
        } else if (star != std::string::npos) {
            g = star + 1;
            t = ++mark;
        } else {
            return false;
        }
    }
    while (g < glob.size() && glob[g] == '*') ++g;
    return g == glob.size();
}

}  // namespace belay::cli
