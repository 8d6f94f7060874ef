// static_files.hpp — the page that is embedded in the binary, and how it is cached.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "service/api/request.hpp"
#include "service/api/response.hpp"

namespace belay::api {

// One file. All texts live as long as the program.
struct StaticFile {
    std::string_view bytes{};
    std::string_view gzip{};  // the same, compressed at build; empty if that is no smaller
    std::string_view content_type{};
    std::string_view hash{};  // of `bytes`; the ETag
    bool immutable = false;   // its name holds its hash: it never changes under that name
};

class StaticFiles {
public:
    virtual ~StaticFiles() = default;

    // The file at a path such as "/assets/app.3f2a.js"; nothing if there is none.
    virtual std::optional<StaticFile> find(std::string_view path) const = 0;
};

// The answer to a GET or HEAD of a path that no route has; nothing if there is no page there either.
// "/" is "/index.html", and so is every other address that a person may have typed or bookmarked (it
// accepts HTML and its last segment has no dot): the page itself knows what to show there. A folder with an index.html of its
// own ("/docs") is apart from that: "/docs" leads to "/docs/", which is its index, and what is not in it is not there.
std::optional<Response> static_response(const StaticFiles& files, const Request& request);

}  // namespace belay::api
