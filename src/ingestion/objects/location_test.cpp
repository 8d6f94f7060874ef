#include "ingestion/objects/location.hpp"

#include <gtest/gtest.h>

namespace belay::objects {
namespace {

const sigv4::Credentials kKeys{"access", "secret"};

TEST(Location, is_a_folder_or_a_bucket) {
    EXPECT_EQ(std::get<std::filesystem::path>(parse_location("./data/objects")), "./data/objects");

    const auto amazon = std::get<S3Options>(parse_location("s3://mine?region=eu-north-1", kKeys));
    EXPECT_EQ(amazon.bucket, "mine");
    EXPECT_EQ(amazon.endpoint, "https://s3.eu-north-1.amazonaws.com");
    EXPECT_EQ(amazon.region, "eu-north-1");
    EXPECT_EQ(amazon.credentials.access_key, "access");

    const auto other = std::get<S3Options>(parse_location(
        "s3://b?endpoint=http%3A%2F%2F127.0.0.1:9000&bucket_in_host=1&region=auto", kKeys));
    EXPECT_EQ(other.endpoint, "http://127.0.0.1:9000");
    EXPECT_TRUE(other.bucket_in_host);
}

TEST(Location, says_what_is_wrong_with_it) {
    const auto problem = [](const char* text, const sigv4::Credentials& keys = kKeys) {
        try {
            parse_location(text, keys);
        } catch (const Error& error) {
            return std::string(error.what());
        }
        return std::string();
    };
    EXPECT_EQ(problem("http://x/y"), "objects in `http://x/y`: a folder or s3://bucket is needed");
    EXPECT_EQ(problem("s3://"), "objects in `s3://`: the bucket's name is missing");
    EXPECT_EQ(problem("s3://b?secret=x"),
              "objects in `s3://b?secret=x`: `secret` is not understood; endpoint, region and "
              "bucket_in_host are");
    EXPECT_EQ(problem("s3://b?region"), "objects in `s3://b?region`: `region` has no value");
    EXPECT_EQ(problem("s3://b", {}),
              "objects in `s3://b`: S3 needs AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY");
    EXPECT_NE(problem(""), "");
}

}  // namespace
}  // namespace belay::objects
