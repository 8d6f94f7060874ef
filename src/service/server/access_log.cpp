#include "service/server/access_log.hpp"

#include <algorithm>

#include <boost/json.hpp>

#include "core/base/text.hpp"
#include "core/base/utf8.hpp"

namespace belay::server {

std::string access_line(const api::Request& request, const Served& served) {
    boost::json::object line{{"time", base::format_time(served.at)},
                             {"request_id", request.request_id},
                             {"remote", request.remote},
                             {"method", to_string(request.method)},
                             {"path", base::truncate(base::to_valid_utf8(request.path), 500)},
                             {"status", served.status},
                             {"ms", served.took.count()},
                             {"bytes_in", served.bytes_in},
                             {"bytes_out", served.bytes_out}};
    if (!request.caller.organization_id.empty())
        line["organization_id"] = request.caller.organization_id;
    if (!request.caller.token_id.empty()) line["token_id"] = request.caller.token_id;
    return boost::json::serialize(line);
}

bool is_request_id(std::string_view text) {
    constexpr std::string_view kOther = "._-";
    return !text.empty() && text.size() <= 64 && std::all_of(text.begin(), text.end(), [&](char c) {
        return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
               kOther.find(c) != std::string_view::npos;
    });
}

}  // namespace belay::server
