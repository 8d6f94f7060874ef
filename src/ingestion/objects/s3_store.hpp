// s3_store.hpp — objects in S3, or what speaks like it: R2, Ceph, MinIO.
//
// A writer keeps its bytes in a local file until they are finished, because S3 wants to know key and
// metadata first and our callers know them last; so every part can be sent again, in constant memory. A
// reader asks for ranges of one version. Our SHA-256 travels as metadata.
#pragma once

#include <filesystem>

#include "core/env/files.hpp"
#include "ingestion/objects/s3_client.hpp"
#include "ingestion/objects/store.hpp"

namespace belay::objects {

class S3Store final : public Store {
public:
    // `temp` is an existing folder for bytes on their way; what is left in it by a dead process is no
    // longer needed. Everything given by reference outlives this.
    S3Store(S3Options options, http::Client& client, env::Files& files, std::filesystem::path temp,
            const env::Clock& clock, env::Random& random, env::Pause& pause);

    std::unique_ptr<Writer> begin(std::uint64_t bytes_max) override;
    std::optional<Object> head(const Key& key) override;
    std::unique_ptr<Reader> open(const Key& key, const Range& range = {}) override;
    void remove(const Key& key) override;

    // Keys that are not `organization/name` were put there by others and are left out.
    Page list(std::string_view prefix, const std::optional<std::string>& cursor = {},
              std::size_t limit = 1000) override;

    // Valid for at most 7 days.
    std::optional<std::string> download_url(const Key& key, Duration valid_for,
                                            std::string_view file_name = {}) override;
    std::string name() const override;

    // Makes the bucket unless it is there.
    void make_bucket();

    // Ends uploads in parts that began more than `age` ago and never ended: their parts cost money until
    // then. How many there were.
    std::size_t abort_leftovers(Duration age);

private:
    class SpoolWriter;
    class RangeReader;

    std::string put_whole(const Key& key, std::map<std::string, std::string> headers,
                          std::string bytes);
    std::string put_in_parts(const Key& key, std::map<std::string, std::string> headers,
                             const env::ReadableFile& file, std::uint64_t size,
                             const std::string& sha256);
    std::string finish_parts(const Key& key, const std::string& upload,
                             const std::vector<std::string>& etags, const std::string& sha256);

    S3Client client_;
    env::Files& files_;
    std::filesystem::path temp_;
    const env::Clock& clock_;
};

}  // namespace belay::objects
