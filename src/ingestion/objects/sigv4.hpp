// sigv4.hpp — AWS Signature Version 4: proof, in each request to S3, of who sends it and what.
//
// Pure functions from a request and a time to text; the tests hold AWS's published examples against them.
// A request is written in one canonical form, hashed, and signed with a key that is good for one day, one
// region and one service.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <belay/time.hpp>

namespace belay::objects::sigv4 {

struct Credentials {
    std::string access_key{};
    std::string secret_key{};
    std::string session_token{};  // of temporary credentials
};

struct Scope {
    std::string region = "us-east-1";
    std::string service = "s3";
};

// Names and values as they are, not yet escaped.
using Query = std::vector<std::pair<std::string, std::string>>;

struct ToSign {
    std::string method;
    std::string path;  // escaped, as it is sent
    Query query{};
    std::map<std::string, std::string> headers{};  // names in lower case; all of them are signed
    std::string payload_hash;                      // hex SHA-256 of the body, or UNSIGNED-PAYLOAD
};

inline constexpr std::string_view kUnsignedPayload = "UNSIGNED-PAYLOAD";
inline constexpr std::string_view kEmptyHash =
    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

// 20130524T000000Z
std::string amz_date(Time time);

// name=value&…, escaped and sorted.
std::string canonical_query(const Query& query);

std::string canonical_request(const ToSign& request);

// The hex signature of a request made at `time`.
std::string signature(const ToSign& request, const Credentials& credentials, const Scope& scope,
                      Time time);

// The Authorization header of a request whose headers have host, x-amz-date and x-amz-content-sha256.
std::string authorization(const ToSign& request, const Credentials& credentials, const Scope& scope,
                          Time time);

// The query (canonical, with its signature) of an address that works for whoever has it, `valid_for` at
// most 7 days. `request.headers` has only what the one who follows it will send: host.
std::string presigned_query(ToSign request, const Credentials& credentials, const Scope& scope,
                            Time time, std::chrono::seconds valid_for);

}  // namespace belay::objects::sigv4
