#include "service/server/http_text.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include "service/api/errors.hpp"

namespace belay::server {

namespace {

void add(std::string& text, std::string_view name, std::string_view value) {
    text += name;
    text += ": ";
    for (const char c : value) text += c == '\r' || c == '\n' || c == '\0' ? ' ' : c;
    text += "\r\n";
}

}  // namespace

std::string head_text(const api::Response& response, bool keep_alive, Time now) {
    std::string text =
        fmt::format("HTTP/1.1 {} {}\r\n", response.status, api::reason_phrase(response.status));
    text.reserve(1024);
    add(text, "Date", http_date(now));
    for (const auto& [name, value] : response.headers) add(text, name, value);
    const bool never_has_body = response.status == 204 || response.status == 304;
    if (!never_has_body) add(text, "Content-Length", std::to_string(response.body_length()));
    add(text, "Connection", keep_alive ? "keep-alive" : "close");
    text += "\r\n";
    return text;
}

std::string http_date(Time time) {
    return fmt::format(
        "{:%a, %d %b %Y %H:%M:%S GMT}",
        fmt::gmtime(std::chrono::system_clock::to_time_t(
            std::chrono::time_point_cast<std::chrono::system_clock::duration>(time))));
}

std::string origin_form(std::string_view target) {
    for (const std::string_view scheme : {"http://", "https://"}) {
        if (!target.starts_with(scheme)) continue;
        const auto slash = target.find('/', scheme.size());
        return slash == std::string_view::npos ? "/" : std::string(target.substr(slash));
    }
    return std::string(target);
}

}  // namespace belay::server
