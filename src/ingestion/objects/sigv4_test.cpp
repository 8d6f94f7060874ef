// The examples of AWS's documentation: "Signature Calculations for the Authorization Header" and
// "Authenticating Requests: Using Query Parameters" of the S3 API reference.
#include "ingestion/objects/sigv4.hpp"

#include <gtest/gtest.h>

#include "core/base/hash.hpp"
#include "core/base/text.hpp"

namespace belay::objects::sigv4 {
namespace {

const Credentials kExample{"AKIAIOSFODNN7EXAMPLE", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"};
const Time kTime = *base::parse_time("2013-05-24T00:00:00Z");

ToSign example(std::string method, std::string path) {
    return {.method = std::move(method),
            .path = std::move(path),
            .headers = {{"host", "examplebucket.s3.amazonaws.com"},
                        {"x-amz-content-sha256", std::string(kEmptyHash)},
                        {"x-amz-date", "20130524T000000Z"}},
            .payload_hash = std::string(kEmptyHash)};
}

std::string sign(const ToSign& request) { return signature(request, kExample, {}, kTime); }

TEST(SigV4, signs_the_get_object_example) {
    auto request = example("GET", "/test.txt");
    request.headers["range"] = "bytes=0-9";

    EXPECT_EQ(base::sha256_hex(std::string_view{canonical_request(request)}),
              "7344ae5b7ee6c3e7e6b0fe0640412a37625d1fbfff95c48bbb2dc43964946972");
    EXPECT_EQ(
        authorization(request, kExample, {}, kTime),
        "AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request, "
        "SignedHeaders=host;range;x-amz-content-sha256;x-amz-date, "
        "Signature=f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41");
}

TEST(SigV4, signs_the_put_object_example) {
    auto request = example("PUT", "/test%24file.text");
    request.payload_hash = base::sha256_hex(std::string_view{"Welcome to Amazon S3."});
    request.headers["x-amz-content-sha256"] = request.payload_hash;
    request.headers["date"] = "Fri, 24 May 2013 00:00:00 GMT";
    request.headers["x-amz-storage-class"] = "REDUCED_REDUNDANCY";

    EXPECT_EQ(sign(request), "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd");
}

TEST(SigV4, signs_the_lifecycle_example_whose_parameter_has_no_value) {
    auto request = example("GET", "/");
    request.query = {{"lifecycle", ""}};
    EXPECT_EQ(sign(request), "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543");
}

TEST(SigV4, signs_the_list_objects_example) {
    auto request = example("GET", "/");
    request.query = {{"prefix", "J"}, {"max-keys", "2"}};
    EXPECT_EQ(sign(request), "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7");
}

TEST(SigV4, signs_the_presigned_example) {
    const ToSign request{.method = "GET",
                         .path = "/test.txt",
                         .headers = {{"host", "examplebucket.s3.amazonaws.com"}},
                         .payload_hash = ""};
    EXPECT_EQ(
        presigned_query(request, kExample, {}, kTime, std::chrono::hours{24}),
        "X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=AKIAIOSFODNN7EXAMPLE%2F20130524%2Fus-"
        "east-1%2Fs3"
        "%2Faws4_request&X-Amz-Date=20130524T000000Z&X-Amz-Expires=86400&X-Amz-SignedHeaders=host&"
        "X-Amz-Signature=aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404");
}

TEST(SigV4, escapes_and_sorts_a_query_by_its_escaped_names) {
    EXPECT_EQ(canonical_query({{"b", "x y"}, {"a", "/+"}, {"a", "!"}, {"å", ""}}),
              "%C3%A5=&a=%21&a=%2F%2B&b=x%20y");
}

TEST(SigV4, a_value_has_single_spaces_inside_and_none_outside) {
    auto request = example("GET", "/");
    request.headers["x-amz-meta-a"] = "  a   b  ";
    EXPECT_NE(canonical_request(request).find("x-amz-meta-a:a b\n"), std::string::npos);
}

}  // namespace
}  // namespace belay::objects::sigv4
