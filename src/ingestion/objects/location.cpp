#include "ingestion/objects/location.hpp"

#include <cstdlib>

#include <fmt/format.h>

#include <belay/error.hpp>

#include "service/http/url.hpp"

namespace belay::objects {
namespace {

constexpr std::string_view kScheme = "s3://";

[[noreturn]] void refuse(std::string_view text, const std::string& why) {
    throw Error(ErrorCode::InvalidArgument, fmt::format("objects in `{}`: {}", text, why));
}

void set_option(S3Options& options, std::string_view name, std::string value,
                std::string_view text) {
    if (name == "endpoint") {
        options.endpoint = std::move(value);
    } else if (name == "region") {
        options.region = std::move(value);
    } else if (name == "bucket_in_host") {
        if (value != "0" && value != "1") refuse(text, "bucket_in_host is 0 or 1");
        options.bucket_in_host = value == "1";
    } else {
        refuse(text, fmt::format("`{}` is not understood; endpoint, region and bucket_in_host are",
                                 name));
    }
}

std::string variable(const char* name) {
    const char* const value = std::getenv(name);
    return value == nullptr ? "" : value;
}

}  // namespace

Location parse_location(std::string_view text, const sigv4::Credentials& credentials) {
    if (text.empty()) refuse(text, "a folder or s3://bucket is needed");
    if (!text.starts_with(kScheme)) {
        if (text.find("://") != std::string_view::npos)
            refuse(text, "a folder or s3://bucket is needed");
        return std::filesystem::path{text};
    }
    S3Options options{.credentials = credentials};
    auto rest = text.substr(kScheme.size());
    const auto question = std::min(rest.find('?'), rest.size());
    options.bucket = rest.substr(0, question);
    rest.remove_prefix(std::min(question + 1, rest.size()));
    while (!rest.empty()) {
        const auto end = std::min(rest.find('&'), rest.size());
        const auto pair = rest.substr(0, end);
        rest.remove_prefix(std::min(end + 1, rest.size()));
        const auto equals = pair.find('=');
        if (equals == std::string_view::npos) refuse(text, fmt::format("`{}` has no value", pair));
        set_option(options, pair.substr(0, equals), http::percent_decode(pair.substr(equals + 1)),
                   text);
    }
    if (options.bucket.empty()) refuse(text, "the bucket's name is missing");
    if (options.endpoint.empty())
        options.endpoint = fmt::format("https://s3.{}.amazonaws.com", options.region);
    if (credentials.access_key.empty() || credentials.secret_key.empty())
        refuse(text, "S3 needs AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY");
    return options;
}

sigv4::Credentials credentials_from_environment() {
    return {variable("AWS_ACCESS_KEY_ID"), variable("AWS_SECRET_ACCESS_KEY"),
            variable("AWS_SESSION_TOKEN")};
}

}  // namespace belay::objects
