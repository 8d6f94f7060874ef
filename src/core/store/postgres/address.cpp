#include "core/store/postgres/address.hpp"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>

#include <belay/error.hpp>

#include "core/store/postgres/open.hpp"

namespace belay::store::postgres {

namespace {

bool is_plain_name(std::string_view name) {
    return !name.empty() && name.size() <= 63 &&
           !std::isdigit(static_cast<unsigned char>(name.front())) &&
           std::all_of(name.begin(), name.end(), [](unsigned char c) {
               return std::islower(c) != 0 || std::isdigit(c) != 0 || c == '_';
           });
}

// Everything between "user:" and "@" of the authority, and a password among the parameters.
std::string without_password(std::string url) {
    const auto begin = url.find("://") + 3;
    const auto end = std::min(url.find_first_of("/?", begin), url.size());
    const auto at = url.rfind('@', end);
    const auto colon = url.find(':', begin);
    if (at != std::string::npos && at > begin && colon != std::string::npos && colon < at) {
        url.erase(colon, at - colon);
    }
    const auto password = url.find("password=");
    if (password != std::string::npos) {
        const auto stop = std::min(url.find('&', password), url.size());
        url.replace(password, stop - password, "password=…");
    }
    return url;
}

}  // namespace

bool is_address(std::string_view store) {
    return store.starts_with("postgres://") || store.starts_with("postgresql://");
}

Address parse_address(std::string_view address) {
    if (!is_address(address)) {
        throw Error(
            ErrorCode::InvalidArgument,
            fmt::format("'{}' is not the address of a PostgreSQL store: it begins with postgres://",
                        address));
    }
    Address out{std::string(address), "", ""};
    const auto question = out.url.find('?');
    if (question != std::string::npos) {
        std::string kept;
        std::string_view rest = std::string_view(address).substr(question + 1);
        while (!rest.empty()) {
            const auto end = std::min(rest.find('&'), rest.size());
            const std::string_view part = rest.substr(0, end);
            rest.remove_prefix(std::min(end + 1, rest.size()));
            if (part.starts_with("schema=")) {
                out.schema = part.substr(7);
            } else if (!part.empty()) {
                kept += (kept.empty() ? "?" : "&") + std::string(part);
            }
        }
        out.url = out.url.substr(0, question) + kept;
    }
    if (!out.schema.empty() && !is_plain_name(out.schema)) {
        throw Error(ErrorCode::InvalidArgument,
                    fmt::format("the schema '{}' is not a plain name: small letters, digits and _, "
                                "at most 63 of them",
                                out.schema));
    }
    out.shown = without_password(out.url);
    return out;
}

}  // namespace belay::store::postgres
