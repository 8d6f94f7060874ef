// upload_sink.hpp — the bytes of an uploaded file on their way into the object store.
#pragma once

#include <memory>
#include <string>

#include "ingestion/ingest/uploads.hpp"
#include "service/api/upload.hpp"

namespace belay::ingest {

// A file part under way: straight to the object store, its first bytes kept to see what it is.
class IncomingFile final : public api::Upload {
public:
    explicit IncomingFile(std::unique_ptr<objects::Writer> writer) : writer_(std::move(writer)) {}

    void write(std::span<const std::byte> bytes) override;

    objects::Writer& writer() { return *writer_; }
    const std::string& first_bytes() const { return first_bytes_; }

private:
    std::unique_ptr<objects::Writer> writer_;
    std::string first_bytes_;
};

class ObjectSink final : public api::UploadSink {
public:
    // `objects` outlives it.
    ObjectSink(objects::Store& objects, std::uint64_t bytes_max)
        : objects_(objects), bytes_max_(bytes_max) {}

    std::unique_ptr<api::Upload> begin(const api::PartHead& head) override;

private:
    objects::Store& objects_;
    const std::uint64_t bytes_max_;
};

}  // namespace belay::ingest
