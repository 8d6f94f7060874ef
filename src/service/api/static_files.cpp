#include "service/api/static_files.hpp"

#include "service/api/conditional.hpp"

namespace belay::api {

namespace {

bool is_page_address(const Request& request) {
    const std::string_view path = request.path;
    if (path.starts_with("/api/") || path == "/api") return false;
    const std::string_view last = path.substr(path.rfind('/') + 1);
    return last.find('.') == std::string_view::npos &&
           request.headers.get("Accept").find("text/html") != std::string_view::npos;
}

// The folder at the top that has an index of its own and holds this path: "/docs" of "/docs/steps.html".
std::string_view folder_of(const StaticFiles& files, std::string_view path) {
    const std::string_view folder = path.substr(0, path.find('/', 1));
    if (folder.size() < 2 || !files.find(std::string(folder) + "/index.html")) return {};
    return folder;
}

}  // namespace

std::optional<Response> static_response(const StaticFiles& files, const Request& request) {
    if (request.method != Method::Get && request.method != Method::Head) return std::nullopt;
    const std::string_view folder = folder_of(files, request.path);
    // Its links are relative, so its address ends with a slash.
    if (!folder.empty() && request.path == folder) {
        Response moved;
        moved.status = 308;
        moved.headers.set("Location", std::string(folder) + "/");
        return moved;
    }
    auto file =
        files.find(request.path.ends_with('/') ? request.path + "index.html" : request.path);
    if (!file && folder.empty() && is_page_address(request)) file = files.find("/index.html");
    if (!file) return std::nullopt;

    const bool gzip = !file->gzip.empty() && accepts_gzip(request.headers.get("Accept-Encoding"));
    // Another tag for the other form: a cache that mixes them up would hand out rubbish.
    const std::string etag = quoted_etag(std::string(file->hash) + (gzip ? "-gz" : ""));
    Response response;
    response.headers.set("ETag", etag);
    response.headers.set("Cache-Control",
                         file->immutable ? "public, max-age=31536000, immutable" : "no-cache");
    if (!file->gzip.empty()) response.headers.set("Vary", "Accept-Encoding");
    if (const auto known = request.headers.find("If-None-Match");
        known && etag_matches(*known, etag)) {
        response.status = 304;
        return response;
    }
    response.headers.set("Content-Type", std::string(file->content_type));
    if (gzip) response.headers.set("Content-Encoding", "gzip");
    response.body = StaticBytes{gzip ? file->gzip : file->bytes};
    return response;
}

}  // namespace belay::api
