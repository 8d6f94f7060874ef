#include <set>

#include <fmt/format.h>

#include "ingestion/objects/fake_s3_bench.hpp"
#include "ingestion/objects/fake_s3_signature_bench.hpp"
#include "service/http/digest.hpp"

namespace belay::objects {
namespace {

using http::testkit::Received;
using http::testkit::Reply;

const std::string kPath = std::string("/") + FakeS3::kBucket;
const std::string kDate = "Wed, 01 Jan 2025 00:00:00 GMT";

Reply error(int status, const std::string& code, const std::string& message = "no") {
    return {status,
            {{"Content-Type", "application/xml"}},
            fmt::format("<?xml version=\"1.0\"?><Error><Code>{}</Code><Message>{}</Message>"
                        "<RequestId>req-1</RequestId></Error>",
                        code, message)};
}

std::string escape_key(
    const std::string& key) {  // as AWS does with encoding-type=url: a space is a plus
    std::string result;
    for (const char c : key) {
        if (std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '/' || c == '.' || c == '-' ||
            c == '_') {
            result += c;
        } else {
            result += c == ' ' ? "+" : fmt::format("%{:02X}", static_cast<unsigned char>(c));
        }
    }
    return result;
}

std::string md5_of(const std::string& bytes) { return http::md5_hex(bytes); }

}  // namespace

FakeS3::FakeS3()
    : server_(std::make_unique<http::testkit::TestServer>(
          [this](const Received& request) { return answer(request); })) {}

std::size_t FakeS3::uploads_open() const {
    const std::lock_guard lock{mutex_};
    return uploads_.size();
}

FakeS3::Reply FakeS3::answer(const Received& request) {
    const std::lock_guard lock{mutex_};
    if (const auto why = signature_problem(request, kAccessKey, kSecretKey); !why.empty())
        return error(
            403, why == "unknown access key" ? "InvalidAccessKeyId" : "SignatureDoesNotMatch", why);
    if (interfere)
        if (auto reply = interfere(request)) return *reply;
    std::map<std::string, std::string> query;
    for (const auto& pair : split(request.query, '&'))
        query[unescape(pair.substr(0, pair.find('=')))] =
            pair.find('=') == std::string::npos ? "" : unescape(pair.substr(pair.find('=') + 1));
    if (request.path == kPath) return on_bucket(request, query);
    if (!request.path.starts_with(kPath + "/")) return error(404, "NoSuchBucket");
    return on_object(request, unescape(request.path.substr(kPath.size() + 1)), query);
}

FakeS3::Reply FakeS3::on_bucket(const Received& request,
                                const std::map<std::string, std::string>& query) {
    if (request.method == "HEAD") return {};
    if (request.method == "PUT") return error(409, "BucketAlreadyOwnedByYou");
    if (query.contains("uploads")) return list_uploads();
    if (query.contains("list-type")) return list(query);
    return error(400, "InvalidRequest");
}

FakeS3::Reply FakeS3::list(const std::map<std::string, std::string>& query) const {
    const auto prefix = query.at("prefix");
    const auto limit = std::stoull(query.at("max-keys"));
    const auto token = query.contains("continuation-token") ? query.at("continuation-token") : "";
    std::string body = "<ListBucketResult><EncodingType>url</EncodingType>";
    std::size_t count = 0;
    std::string last;
    bool truncated = false;
    for (const auto& [key, object] : objects_) {
        if (!key.starts_with(prefix) || (!token.empty() && "t:" + key <= token)) continue;
        if (count == limit) {
            truncated = true;
            break;
        }
        ++count;
        last = key;
        body += fmt::format(
            "<Contents><Key>{}</Key><LastModified>2025-01-01T00:00:00.000Z</LastModified>"
            "<ETag>&quot;{}&quot;</ETag><Size>{}</Size></Contents>",
            escape_key(key), object.etag, object.bytes.size());
    }
    body += fmt::format("<IsTruncated>{}</IsTruncated>", truncated);
    if (truncated) {
        std::string escaped = last;
        for (std::size_t at = 0; (at = escaped.find('&', at)) != std::string::npos; at += 5)
            escaped.replace(at, 1, "&amp;");
        body += fmt::format("<NextContinuationToken>t:{}</NextContinuationToken>", escaped);
    }
    return {200, {}, body + "</ListBucketResult>"};
}

FakeS3::Reply FakeS3::list_uploads() const {
    std::string body = "<ListMultipartUploadsResult><IsTruncated>false</IsTruncated>";
    for (const auto& [id, upload] : uploads_)
        body += fmt::format(
            "<Upload><Key>{}</Key><UploadId>{}</UploadId>"
            "<Initiated>2024-12-30T00:00:00.000Z</Initiated></Upload>",
            upload.key, id);
    return {200, {}, body + "</ListMultipartUploadsResult>"};
}

FakeS3::Reply FakeS3::read(const Received& request, const Stored& object) const {
    http::testkit::Fields headers = object.metadata;
    headers.emplace_back("ETag", "\"" + object.etag + "\"");
    headers.emplace_back("Last-Modified", kDate);
    headers.emplace_back("Content-Type", object.content_type);
    const auto match = request.header("if-match");
    if (!match.empty() && match != "\"" + object.etag + "\"")
        return error(412, "PreconditionFailed");
    if (request.method == "HEAD") {
        headers.emplace_back("Content-Length", std::to_string(object.bytes.size()));
        return {200, headers, ""};
    }
    const auto range = request.header("range");
    if (range.empty()) return {200, headers, object.bytes};
    const auto dash = range.find('-');
    const auto from = std::stoull(range.substr(6, dash - 6)),
               to = std::stoull(range.substr(dash + 1));
    if (from >= object.bytes.size()) return error(416, "InvalidRange");
    return {206, headers, object.bytes.substr(from, to - from + 1)};
}

FakeS3::Reply FakeS3::complete(const std::string& key, const std::string& id,
                               const std::string& body) {
    const auto upload = uploads_.find(id);
    if (upload == uploads_.end() || upload->second.key != key) return error(404, "NoSuchUpload");
    Stored object = upload->second.about;
    std::string digests;
    int number = 1;
    for (const auto& [part, bytes] : upload->second.parts) {
        const auto line =
            fmt::format("<Part><PartNumber>{}</PartNumber><ETag>&quot;{}&quot;</ETag></Part>", part,
                        md5_of(bytes));
        if (part != number++ || body.find(line) == std::string::npos)
            return error(400, "InvalidPart");
        const bool is_last = part == static_cast<int>(upload->second.parts.size());
        if (!is_last && bytes.size() < 5 * 1024 * 1024) return error(400, "EntityTooSmall");
        object.bytes += bytes;
        digests += md5_of(bytes);
    }
    object.etag = md5_of(digests) + "-" + std::to_string(upload->second.parts.size());
    uploads_.erase(upload);
    objects_[key] = object;
    return {
        200,
        {},
        fmt::format("<?xml version=\"1.0\"?><CompleteMultipartUploadResult xmlns=\"http://s3/\">"
                    "<ETag>\"{}\"</ETag></CompleteMultipartUploadResult>",
                    object.etag)};
}

FakeS3::Reply FakeS3::on_object(const Received& request, const std::string& key,
                                const std::map<std::string, std::string>& query) {
    Stored about;
    about.content_type = request.header("content-type").empty() ? "binary/octet-stream"
                                                                : request.header("content-type");
    for (const auto& [name, value] : request.headers)
        if (name.starts_with("x-amz-meta-")) about.metadata.emplace_back(name, value);

    if (request.method == "POST" && query.contains("uploads")) {
        const auto id = fmt::format("upload+{}/=", ++upload_count_);
        uploads_[id] = {key, about, {}};
        return {200,
                {},
                fmt::format("<InitiateMultipartUploadResult><UploadId>{}</UploadId>"
                            "</InitiateMultipartUploadResult>",
                            id)};
    }
    if (request.method == "POST") return complete(key, query.at("uploadId"), request.body);
    if (request.method == "PUT" && query.contains("uploadId")) {
        const auto upload = uploads_.find(query.at("uploadId"));
        if (upload == uploads_.end()) return error(404, "NoSuchUpload");
        upload->second.parts[std::stoi(query.at("partNumber"))] = request.body;
        return {200, {{"ETag", "\"" + md5_of(request.body) + "\""}}, ""};
    }
    if (request.method == "PUT") {
        about.bytes = request.body;
        about.etag = md5_of(request.body);
        objects_[key] = about;
        return {200, {{"ETag", "\"" + about.etag + "\""}}, ""};
    }
    if (request.method == "DELETE") {
        if (query.contains("uploadId"))
            return uploads_.erase(query.at("uploadId")) > 0 ? Reply{204, {}, ""}
                                                            : error(404, "NoSuchUpload");
        objects_.erase(key);
        return {204, {}, ""};
    }
    const auto found = objects_.find(key);
    if (found == objects_.end()) return error(404, "NoSuchKey");
    return read(request, found->second);
}

}  // namespace belay::objects
