#include "ingestion/web/robots.hpp"

#include <algorithm>
#include <cstdlib>

namespace belay::web {
namespace {

constexpr std::size_t kRulesMax = 10'000;
constexpr std::size_t kSitemapsMax = 1'000;
constexpr std::size_t kPatternBytesMax = 2'000;

std::string_view trim(std::string_view text) {
    while (!text.empty() && (text.front() == ' ' || text.front() == '\t' || text.front() == '\r'))
        text.remove_prefix(1);
    while (!text.empty() && (text.back() == ' ' || text.back() == '\t' || text.back() == '\r'))
        text.remove_suffix(1);
    return text;
}

std::string lower(std::string_view text) {
    std::string out{text};
    for (char& c : out)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + 32);
    return out;
}

// "%41" and "A" are the same octet, except for those that mean something else undecoded.
std::string unify(std::string_view text) {
    const auto hex = [](char c) {
        return c >= '0' && c <= '9'                 ? c - '0'
               : (c | 32) >= 'a' && (c | 32) <= 'f' ? (c | 32) - 'a' + 10
                                                    : -1;
    };
    constexpr std::string_view kHex = "0123456789ABCDEF";
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
        int byte = static_cast<unsigned char>(text[i]);
        bool encoded = false;
        if (text[i] == '%' && i + 2 < text.size() && hex(text[i + 1]) >= 0 &&
            hex(text[i + 2]) >= 0) {
            byte = hex(text[i + 1]) * 16 + hex(text[i + 2]);
            encoded = true;
            i += 2;
        }
        const bool plain = (byte >= '0' && byte <= '9') ||
                           ((byte | 32) >= 'a' && (byte | 32) <= 'z') || byte == '-' ||
                           byte == '.' || byte == '_' || byte == '~';
        if (plain || (!encoded && byte < 0x80)) {
            out += static_cast<char>(byte);
        } else {
            out += '%';
            out += kHex[static_cast<std::size_t>(byte) >> 4];
            out += kHex[static_cast<std::size_t>(byte) & 15];
        }
    }
    return out;
}

// `*` is any run of characters, `$` at the end is the end. Linear in both for patterns with one star;
// the greedy walk below never goes back further than the last star.
bool matches(std::string_view pattern, std::string_view path) {
    const bool anchored = pattern.ends_with('$');
    if (anchored) pattern.remove_suffix(1);
    std::size_t p = 0, t = 0, star = std::string_view::npos, mark = 0;
    while (true) {
        if (p == pattern.size() && (!anchored || t == path.size())) return true;
        if (p < pattern.size() && pattern[p] == '*') {
            star = p++;
            mark = t;
        } else if (p < pattern.size() && t < path.size() && pattern[p] == path[t]) {
            ++p;
            ++t;
        } else if (star != std::string_view::npos && mark < path.size()) {
            p = star + 1;
            t = ++mark;
        } else {
            return false;
        }
    }
}

// The agent of a User-agent line means us if it is our name: letters, "_" and "-" up to the first
// other character, in any case.
bool names_us(std::string_view value, const std::string& agent) {
    const auto end = std::find_if_not(value.begin(), value.end(), [](char c) {
        return ((c | 32) >= 'a' && (c | 32) <= 'z') || c == '-' || c == '_' ||
               (c >= '0' && c <= '9');
    });
    return lower(value.substr(0, static_cast<std::size_t>(end - value.begin()))) == agent;
}

}  // namespace

Robots::Robots(std::string_view text, std::string_view agent) {
    if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
    text = text.substr(0, kRobotsBytesMax);
    const std::string us = lower(agent);

    struct Group {
        std::vector<Rule> rules{};
        std::optional<double> delay{};
        bool found = false;
    };
    Group named, any;
    bool for_us = false, for_any = false, in_agents = false;
    while (!text.empty()) {
        const auto end = std::min(text.find_first_of("\r\n"), text.size());
        std::string_view line = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        line = trim(line.substr(0, line.find('#')));
        const auto colon = line.find(':');
        if (colon == std::string_view::npos) continue;
        const std::string key = lower(trim(line.substr(0, colon)));
        const std::string_view value = trim(line.substr(colon + 1));
        if (key == "sitemap") {
            if (sitemaps_.size() < kSitemapsMax && !value.empty()) sitemaps_.emplace_back(value);
            continue;
        }
        if (key == "user-agent") {
            if (!in_agents) for_us = for_any = false;
            in_agents = true;
            if (value == "*") for_any = any.found = true;
            if (names_us(value, us)) for_us = named.found = true;
            continue;
        }
        const bool allow = key == "allow";
        if (!allow && key != "disallow" && key != "crawl-delay") continue;
        in_agents = false;
        for (Group* group : {for_us ? &named : nullptr, for_any ? &any : nullptr}) {
            if (group == nullptr) continue;
            if (key == "crawl-delay") {
                const double seconds = std::strtod(std::string{value}.c_str(), nullptr);
                if (seconds > 0) group->delay = std::min(seconds, 86400.0);
            } else if (!value.empty() && value.size() <= kPatternBytesMax &&
                       group->rules.size() < kRulesMax) {
                group->rules.push_back({unify(value), allow});
            }
        }
    }
    Group& chosen = named.found ? named : any;
    rules_ = std::move(chosen.rules);
    crawl_delay_ = chosen.delay;
}

bool Robots::allows(std::string_view path_and_query) const {
    const std::string path = unify(path_and_query.empty() ? "/" : path_and_query);
    if (path == "/robots.txt") return true;
    const Rule* best = nullptr;
    for (const Rule& rule : rules_) {
        if (!matches(rule.pattern, path)) continue;
        if (best == nullptr || rule.pattern.size() > best->pattern.size() ||
            (rule.pattern.size() == best->pattern.size() && rule.allow))
            best = &rule;
    }
    return best == nullptr || best->allow;
}

}  // namespace belay::web
