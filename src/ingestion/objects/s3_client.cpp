#include "ingestion/objects/s3_client.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "core/base/hash.hpp"
#include "ingestion/objects/s3_xml.hpp"
#include "service/http/date.hpp"
#include "service/http/url.hpp"

namespace belay::objects {
namespace {

[[noreturn]] void refuse(const std::string& why) { throw Error(ErrorCode::InvalidArgument, why); }

bool is_worth_another_try(int status, std::string_view s3_code) {
    return status == 408 || status == 429 || status >= 500 || s3_code == "RequestTimeout" ||
           s3_code == "SlowDown";
}

// What to do about it, where the code alone does not say.
std::string_view advice(std::string_view s3_code) {
    if (s3_code == "RequestTimeTooSkewed") return "; the clock of this machine is wrong";
    if (s3_code == "SignatureDoesNotMatch") return "; check the secret key and the region";
    if (s3_code == "InvalidAccessKeyId") return "; check the access key";
    if (s3_code == "NoSuchBucket") return "; make the bucket or correct its name";
    return "";
}

}  // namespace

S3Client::S3Client(S3Options options, http::Client& client, const env::Clock& clock,
                   env::Random& random, env::Pause& pause)
    : options_(std::move(options)), client_(client), clock_(clock), random_(random), pause_(pause) {
    const auto url = http::parse_url(options_.endpoint);
    if (!url || url->path != "/" || !url->query.empty() || url->has_credentials)
        refuse(fmt::format(
            "S3 endpoint `{}`: an address such as https://s3.eu-north-1.amazonaws.com is needed",
            options_.endpoint));
    if (options_.bucket.empty() || options_.bucket.find('/') != std::string::npos)
        refuse(fmt::format("S3 bucket `{}`: a name without slashes is needed", options_.bucket));
    if (options_.credentials.access_key.empty() || options_.credentials.secret_key.empty())
        refuse("S3 needs an access key and a secret key");
    if (options_.part_bytes < 5 * 1024 * 1024) refuse("S3 parts have at least 5 MiB");
    host_ = options_.bucket_in_host ? options_.bucket + "." + url->host_and_port()
                                    : url->host_and_port();
    origin_ = fmt::format("{}://{}", url->scheme, host_);
}

std::string S3Client::path_of(const std::string& key) const {
    const auto bucket = options_.bucket_in_host ? "" : "/" + http::percent_encode(options_.bucket);
    if (key.empty()) return bucket.empty() ? "/" : bucket;
    return fmt::format("{}/{}", bucket, http::percent_encode(key, true));
}

http::Response S3Client::send_once(const S3Request& request) {
    const auto now = clock_.now();
    sigv4::ToSign signed_part{request.method, path_of(request.key), request.query, request.headers,
                              request.body.empty()
                                  ? std::string(sigv4::kEmptyHash)
                                  : base::sha256_hex(std::string_view{request.body})};
    signed_part.headers["host"] = host_;
    signed_part.headers["x-amz-date"] = sigv4::amz_date(now);
    signed_part.headers["x-amz-content-sha256"] = signed_part.payload_hash;
    if (!options_.credentials.session_token.empty())
        signed_part.headers["x-amz-security-token"] = options_.credentials.session_token;

    http::Request wire{.method = request.method,
                       .url = origin_ + signed_part.path,
                       .body = request.body,
                       .limits = options_.limits};
    wire.limits.body_bytes_max = request.answer_bytes_max;
    if (!request.query.empty()) wire.url += "?" + sigv4::canonical_query(request.query);
    for (const auto& [name, value] : signed_part.headers)
        if (name != "host") wire.headers.add(name, value);
    wire.headers.add("authorization", sigv4::authorization(signed_part, options_.credentials,
                                                           {options_.region, "s3"}, now));
    return client_.send(wire);
}

Duration S3Client::delay(int attempt) {
    const double plain =
        static_cast<double>(options_.first_delay.count()) * std::pow(2.0, attempt - 1);
    const double bound = std::min(plain, static_cast<double>(options_.longest_delay.count()));
    // Between half and all of it: many clients that failed together must not come back together.
    return Duration{std::llround(bound * (0.5 + 0.5 * random_.fraction()))};
}

http::Response S3Client::send(const S3Request& request, std::initializer_list<int> also) {
    for (int attempt = 1;; ++attempt) {
        const bool is_last = attempt >= options_.attempts_max;
        std::optional<Duration> told;
        try {
            auto response = send_once(request);
            const int status = response.status;
            if (status < 400 || std::find(also.begin(), also.end(), status) != also.end())
                return response;
            const auto error = error_of(request, response);
            if (is_last || !is_worth_another_try(status, error.s3_code())) throw error;
            told = http::parse_retry_after(response.headers.get("retry-after"), clock_.now());
        } catch (const http::Failure& failure) {
            if (is_last || !failure.is_transient())
                throw S3Error(0, "",
                              fmt::format("S3 {} {}/{}: {} (attempt {})", request.method,
                                          options_.bucket, request.key, failure.what(), attempt));
        }
        pause_.wait(
            std::min(std::max(delay(attempt), told.value_or(Duration{0})), options_.longest_delay));
    }
}

S3Error S3Client::error_of(const S3Request& request, const http::Response& response) const {
    std::string code, message, request_id;
    if (const auto xml = parse_xml(response.body); xml && xml->name == "Error") {
        code = xml->text_of("Code");
        message = xml->text_of("Message");
        request_id = xml->text_of("RequestId");
    }
    if (request_id.empty()) request_id = response.headers.get("x-amz-request-id");
    return {response.status, code,
            fmt::format("S3 {} {}/{}: {}{}{}{}{}", request.method, options_.bucket, request.key,
                        response.status, code.empty() ? "" : " " + code,
                        message.empty() ? "" : ": " + message, advice(code),
                        request_id.empty() ? "" : fmt::format(" (request {})", request_id))};
}

std::string S3Client::presign(const std::string& key, std::chrono::seconds valid_for,
                              const sigv4::Query& query) const {
    const sigv4::ToSign request{"GET", path_of(key), query, {{"host", host_}}, ""};
    return fmt::format("{}{}?{}", origin_, request.path,
                       sigv4::presigned_query(request, options_.credentials,
                                              {options_.region, "s3"}, clock_.now(), valid_for));
}

}  // namespace belay::objects
