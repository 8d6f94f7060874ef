// fake_s3_bench.hpp — a small S3 on a real socket: checks every signature, keeps objects in memory.
//
// Written from S3's documentation, not from our client: its signature check reads the bytes that came over
// the wire. It pages listings, joins parts, answers ranges and conditions, and can be told to fail.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "service/http/testkit/test_server.hpp"

namespace belay::objects {

class FakeS3 {
public:
    FakeS3();

    std::string endpoint() const { return server_->url(); }
    static constexpr const char* kAccessKey = "TESTACCESSKEY";
    static constexpr const char* kSecretKey = "testsecret/with+signs";
    static constexpr const char* kBucket = "bucket";

    // Asked first, for every request whose signature is right; an answer replaces the real one.
    std::function<std::optional<http::testkit::Reply>(const http::testkit::Received&)> interfere;

    std::size_t uploads_open() const;
    int requests() const { return server_->requests(); }

private:
    using Received = http::testkit::Received;
    using Reply = http::testkit::Reply;
    struct Stored {
        std::string bytes, etag, content_type;
        http::testkit::Fields metadata;
    };
    struct Upload {
        std::string key;
        Stored about;
        std::map<int, std::string> parts;
    };

    Reply answer(const Received& request);
    Reply on_bucket(const Received& request, const std::map<std::string, std::string>& query);
    Reply on_object(const Received& request, const std::string& key,
                    const std::map<std::string, std::string>& query);
    Reply list(const std::map<std::string, std::string>& query) const;
    Reply list_uploads() const;
    Reply read(const Received& request, const Stored& object) const;
    Reply complete(const std::string& key, const std::string& upload, const std::string& body);

    mutable std::mutex mutex_;
    std::map<std::string, Stored> objects_;
    std::map<std::string, Upload> uploads_;
    int upload_count_ = 0;
    std::unique_ptr<http::testkit::TestServer> server_;  // last: its threads use the rest
};

}  // namespace belay::objects
