#include "ingestion/objects/s3_store.hpp"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "core/base/assert.hpp"
#include "core/base/text.hpp"
#include "ingestion/objects/s3_headers.hpp"
#include "ingestion/objects/s3_xml.hpp"
#include "ingestion/objects/temp_file.hpp"
#include "service/http/date.hpp"
#include "service/http/url.hpp"

namespace belay::objects {
namespace {

namespace fs = std::filesystem;

// Bytes that wait in memory before a file is made for them.
constexpr std::size_t kInMemoryBytesMax = 1024 * 1024;

// A reader asks for this much at a time.
constexpr std::uint64_t kReadBytes = 8 * 1024 * 1024;

// What S3 allows.
constexpr std::uint64_t kPartsMax = 10'000;

constexpr std::chrono::seconds kDownloadUrlMax = std::chrono::hours{24 * 7};

[[noreturn]] void not_understood(std::string_view what) {
    throw S3Error(200, "", fmt::format("S3 answered {} in a way that is not understood", what));
}

XmlElement xml_of(const http::Response& response, std::string_view root) {
    auto xml = parse_xml(response.body);
    if (!xml || xml->name != root) not_understood(root);
    return *std::move(xml);
}

}  // namespace

class S3Store::SpoolWriter final : public Writer {
public:
    SpoolWriter(S3Store& store, std::uint64_t bytes_max) : Writer(bytes_max), store_(store) {}

protected:
    void take(std::span<const std::byte> bytes) override {
        if (!file_ && memory_.size() + bytes.size() <= kInMemoryBytesMax) {
            memory_.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
            return;
        }
        if (!file_) {
            file_ = std::make_unique<TempFile>(store_.files_, store_.temp_);
            file_->write(memory_);
            memory_ = {};
        }
        file_->write(bytes);
    }

    Object publish(const Key& key, const Description& description,
                   const Content& content) override {
        auto headers = s3_headers_of(description, content.sha256);
        std::string etag;
        if (!file_) {
            etag = store_.put_whole(key, std::move(headers), std::move(memory_));
        } else {
            const auto file = store_.files_.open(file_->path());
            BELAY_ASSERT(file != nullptr, "{} is gone", file_->path().string());
            etag = content.size <= store_.client_.options().part_bytes
                       ? store_.put_whole(key, std::move(headers), read(*file, 0, content.size))
                       : store_.put_in_parts(key, std::move(headers), *file, content.size,
                                             content.sha256);
        }
        return {key,
                etag,
                content.size,
                description.content_type,
                content.sha256,
                store_.clock_.now(),
                description.metadata};
    }

public:
    static std::string read(const env::ReadableFile& file, std::uint64_t offset,
                            std::uint64_t size) {
        std::string bytes(size, '\0');
        const auto got = file.read_at(offset, std::as_writable_bytes(std::span(bytes)));
        BELAY_ASSERT(got == size, "a file of our own ends too early");
        return bytes;
    }

private:
    S3Store& store_;
    std::string memory_;
    std::unique_ptr<TempFile> file_;
};

class S3Store::RangeReader final : public Reader {
public:
    RangeReader(S3Client& client, Object object, const Range& range)
        : client_(client), object_(std::move(object)) {
        at_ = std::min(range.offset, object_.size);
        length_ = std::min(range.length, object_.size - at_);
        end_ = at_ + length_;
    }

    const Object& object() const override { return object_; }
    std::uint64_t length() const override { return length_; }

    std::size_t read(std::span<std::byte> into) override {
        std::size_t done = 0;
        while (done < into.size()) {
            if (used_ == chunk_.size() && !fetch()) break;
            const auto count = std::min(into.size() - done, chunk_.size() - used_);
            const auto from = std::as_bytes(std::span(chunk_)).subspan(used_, count);
            std::ranges::copy(from, into.begin() + static_cast<std::ptrdiff_t>(done));
            used_ += count;
            done += count;
        }
        return done;
    }

private:
    bool fetch() {
        if (at_ == end_) return false;
        const auto count = std::min(kReadBytes, end_ - at_);
        auto response =
            client_.send({.key = object_.key.text(),
                          .headers = {{"if-match", fmt::format("\"{}\"", object_.etag)},
                                      {"range", fmt::format("bytes={}-{}", at_, at_ + count - 1)}},
                          .answer_bytes_max = count});
        if (response.status != 206 && response.body.size() != object_.size)
            not_understood("a range");
        if (response.body.size() != count) not_understood("a range");
        chunk_ = std::move(response.body);
        used_ = 0;
        at_ += count;
        return true;
    }

    S3Client& client_;
    Object object_;
    std::uint64_t at_ = 0, end_ = 0, length_ = 0;
    std::string chunk_;
    std::size_t used_ = 0;
};

S3Store::S3Store(S3Options options, http::Client& client, env::Files& files, fs::path temp,
                 const env::Clock& clock, env::Random& random, env::Pause& pause)
    : client_(std::move(options), client, clock, random, pause), files_(files),
      temp_(std::move(temp)), clock_(clock) {
    for (const auto& entry : files_.list(temp_))
        if (!entry.is_folder && entry.name.starts_with("tmp-")) files_.remove(temp_ / entry.name);
}

std::string S3Store::name() const {
    return fmt::format("{}/{}", client_.options().endpoint, client_.options().bucket);
}

std::unique_ptr<Writer> S3Store::begin(std::uint64_t bytes_max) {
    return std::make_unique<SpoolWriter>(*this, bytes_max);
}

std::string S3Store::put_whole(const Key& key, std::map<std::string, std::string> headers,
                               std::string bytes) {
    const auto response = client_.send({.method = "PUT",
                                        .key = key.text(),
                                        .headers = std::move(headers),
                                        .body = std::move(bytes)});
    return unquoted_etag(response.headers.get("etag"));
}

std::string S3Store::put_in_parts(const Key& key, std::map<std::string, std::string> headers,
                                  const env::ReadableFile& file, std::uint64_t size,
                                  const std::string& sha256) {
    const auto started = client_.send({.method = "POST",
                                       .key = key.text(),
                                       .query = {{"uploads", ""}},
                                       .headers = std::move(headers)});
    const auto upload = xml_of(started, "InitiateMultipartUploadResult").text_of("UploadId");
    if (upload.empty()) not_understood("an upload in parts");
    try {
        const std::uint64_t least = (size + kPartsMax - 1) / kPartsMax;
        const std::uint64_t part_bytes =
            std::max<std::uint64_t>(client_.options().part_bytes, least);
        std::vector<std::string> etags;
        for (std::uint64_t offset = 0; offset < size; offset += part_bytes) {
            const auto response = client_.send(
                {.method = "PUT",
                 .key = key.text(),
                 .query = {{"partNumber", std::to_string(etags.size() + 1)}, {"uploadId", upload}},
                 .body = SpoolWriter::read(file, offset, std::min(part_bytes, size - offset))});
            etags.push_back(response.headers.get("etag"));
        }
        return finish_parts(key, upload, etags, sha256);
    } catch (...) {
        try {
            client_.send({.method = "DELETE", .key = key.text(), .query = {{"uploadId", upload}}},
                         {404});
        } catch (
            const S3Error&) {  // the first error is the one to tell; abort_leftovers() ends it later
        }
        throw;
    }
}

std::string S3Store::finish_parts(const Key& key, const std::string& upload,
                                  const std::vector<std::string>& etags,
                                  const std::string& sha256) {
    std::string body = "<CompleteMultipartUpload>";
    for (std::size_t i = 0; i < etags.size(); ++i)
        body += fmt::format("<Part><PartNumber>{}</PartNumber><ETag>{}</ETag></Part>", i + 1,
                            xml_escape(etags[i]));
    body += "</CompleteMultipartUpload>";
    const auto response = client_.send({.method = "POST",
                                        .key = key.text(),
                                        .query = {{"uploadId", upload}},
                                        .headers = {{"content-type", "application/xml"}},
                                        .body = std::move(body)},
                                       {404});
    if (response.status == 404) {
        // An earlier attempt may have gone through and only its answer been lost: then the object is ours.
        const auto found = head(key);
        if (found && found->sha256 == sha256) return found->etag;
        throw S3Error(
            404, "NoSuchUpload",
            fmt::format("S3 POST {}/{}: the upload in parts is gone; another process ended it",
                        client_.options().bucket, key.text()));
    }
    const auto xml = parse_xml(response.body);
    if (!xml || xml->name != "CompleteMultipartUploadResult") {
        // S3 may say 200 first and find out later: then the body is an error.
        const auto code = xml ? xml->text_of("Code") : "";
        throw S3Error(200, code,
                      fmt::format("S3 POST {}/{}: the parts could not be joined: {} {}",
                                  client_.options().bucket, key.text(), code,
                                  xml ? xml->text_of("Message") : ""));
    }
    const auto etag = unquoted_etag(xml->text_of("ETag"));
    if (!etag.empty()) return etag;
    const auto found = head(key);  // Ceph 16 leaves it out
    if (!found) not_understood("an upload in parts");
    return found->etag;
}

std::optional<Object> S3Store::head(const Key& key) {
    const auto response = client_.send({.method = "HEAD", .key = key.text()}, {404});
    if (response.status == 404) return std::nullopt;
    return s3_object_of(key, response.headers);
}

std::unique_ptr<Reader> S3Store::open(const Key& key, const Range& range) {
    auto object = head(key);
    if (!object) return nullptr;
    return std::make_unique<RangeReader>(client_, *std::move(object), range);
}

void S3Store::remove(const Key& key) {
    client_.send({.method = "DELETE", .key = key.text()}, {404});
}

Page S3Store::list(std::string_view prefix, const std::optional<std::string>& cursor,
                   std::size_t limit) {
    sigv4::Query query{{"list-type", "2"},
                       {"encoding-type", "url"},
                       {"prefix", std::string(prefix)},
                       {"max-keys", std::to_string(std::clamp<std::size_t>(limit, 1, 1000))}};
    if (cursor) query.emplace_back("continuation-token", *cursor);
    const auto xml = xml_of(client_.send({.query = std::move(query)}), "ListBucketResult");
    const bool is_escaped = xml.text_of("EncodingType") == "url";
    Page page;
    for (const auto& entry : xml.children) {
        if (entry.name != "Contents") continue;
        auto key = entry.text_of("Key");
        if (is_escaped) {
            std::ranges::replace(key, '+', ' ');
            key = http::percent_decode(key);
        }
        if (Key::problem(key)) continue;
        std::uint64_t size = 0;
        const auto digits = entry.text_of("Size");
        std::from_chars(digits.data(), digits.data() + digits.size(), size);
        page.objects.push_back({Key{key}, unquoted_etag(entry.text_of("ETag")), size,
                                base::parse_time(entry.text_of("LastModified")).value_or(Time{})});
    }
    if (xml.text_of("IsTruncated") == "true")
        page.next_cursor = xml.text_of("NextContinuationToken");
    return page;
}

std::optional<std::string> S3Store::download_url(const Key& key, Duration valid_for,
                                                 std::string_view file_name) {
    const auto seconds = std::clamp(std::chrono::ceil<std::chrono::seconds>(valid_for),
                                    std::chrono::seconds{1}, kDownloadUrlMax);
    sigv4::Query query;
    if (!file_name.empty())
        query.emplace_back(
            "response-content-disposition",
            fmt::format("attachment; filename*=UTF-8''{}", http::percent_encode(file_name)));
    return client_.presign(key.text(), seconds, query);
}

void S3Store::make_bucket() {
    const auto response = client_.send({.method = "HEAD"}, {404});
    if (response.status != 404) return;
    const auto& region = client_.options().region;
    std::string body;
    if (region != "us-east-1" && region != "auto")
        body = fmt::format(
            "<CreateBucketConfiguration><LocationConstraint>{}</LocationConstraint>"
            "</CreateBucketConfiguration>",
            xml_escape(region));
    client_.send({.method = "PUT", .body = std::move(body)}, {409});
}

std::size_t S3Store::abort_leftovers(Duration age) {
    std::size_t aborted = 0;
    sigv4::Query query{{"uploads", ""}};
    while (true) {
        const auto xml = xml_of(client_.send({.query = query}), "ListMultipartUploadsResult");
        for (const auto& upload : xml.children) {
            if (upload.name != "Upload") continue;
            const auto began = base::parse_time(upload.text_of("Initiated"));
            if (!began || clock_.now() - *began < age) continue;
            client_.send({.method = "DELETE",
                          .key = upload.text_of("Key"),
                          .query = {{"uploadId", upload.text_of("UploadId")}}},
                         {404});
            ++aborted;
        }
        if (xml.text_of("IsTruncated") != "true") return aborted;
        query = {{"uploads", ""},
                 {"key-marker", xml.text_of("NextKeyMarker")},
                 {"upload-id-marker", xml.text_of("NextUploadIdMarker")}};
    }
}

}  // namespace belay::objects
