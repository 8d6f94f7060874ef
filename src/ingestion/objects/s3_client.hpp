// s3_client.hpp — one signed request to S3: retried when that can help, its errors read.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include <belay/error.hpp>

#include "core/env/clock.hpp"
#include "core/env/pause.hpp"
#include "core/env/random.hpp"
#include "ingestion/objects/sigv4.hpp"
#include "service/http/client.hpp"

namespace belay::objects {

struct S3Options {
    // https://s3.eu-north-1.amazonaws.com, https://….r2.cloudflarestorage.com
    std::string endpoint{};
    std::string bucket{};
    sigv4::Credentials credentials{};
    std::string region = "us-east-1";  // "auto" for R2
    // https://bucket.endpoint/key instead of https://endpoint/bucket/key
    bool bucket_in_host = false;

    std::size_t part_bytes = 8 * 1024 * 1024;  // larger objects go in parts of at least this
    int attempts_max = 5;
    Duration first_delay = std::chrono::milliseconds{200};  // doubled each time, with jitter
    Duration longest_delay = std::chrono::seconds{10};
    http::Limits limits{.total = std::chrono::minutes{5},
                        .slow_bytes_per_second = 1024,
                        .slow_for = std::chrono::seconds{30}};
};

// S3 said no, or could not be reached in all attempts. `status` 0: there was no answer.
class S3Error : public Error {
public:
    S3Error(int status, std::string s3_code, const std::string& message)
        : Error(ErrorCode::StoreUnavailable, message), status_(status),
          s3_code_(std::move(s3_code)) {}

    int status() const { return status_; }
    const std::string& s3_code() const { return s3_code_; }  // "NoSuchBucket", "AccessDenied", …

private:
    int status_;
    std::string s3_code_;
};

struct S3Request {
    std::string method = "GET";
    std::string key{};  // empty: the bucket
    sigv4::Query query{};
    std::map<std::string, std::string> headers{};  // names in lower case
    std::string body{};
    std::uint64_t answer_bytes_max = 16 * 1024 * 1024;
};

// May be used from any thread. What it is given outlives it.
class S3Client {
public:
    // Throws Error{InvalidArgument} naming the option that cannot be.
    S3Client(S3Options options, http::Client& client, const env::Clock& clock, env::Random& random,
             env::Pause& pause);

    // The answer if its status is below 400 or one of `also`; everything else throws S3Error. Tries again
    // after what may pass: no connection, time-outs, 429, 5xx.
    http::Response send(const S3Request& request, std::initializer_list<int> also = {});

    // An address for whoever has it.
    std::string presign(const std::string& key, std::chrono::seconds valid_for,
                        const sigv4::Query& query) const;

    const S3Options& options() const { return options_; }

private:
    http::Response send_once(const S3Request& request);
    std::string path_of(const std::string& key) const;
    S3Error error_of(const S3Request& request, const http::Response& response) const;
    Duration delay(int attempt);

    S3Options options_;
    http::Client& client_;
    const env::Clock& clock_;
    env::Random& random_;
    env::Pause& pause_;
    std::string host_;    // for the Host header
    std::string origin_;  // what addresses begin with
};

}  // namespace belay::objects
