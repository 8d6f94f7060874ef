// upload.hpp — where the bytes of an uploaded file go while they arrive.
//
// The server reads a multipart body piece by piece and hands each file part to an UploadSink; it
// never holds more than one piece. When the body has ended, the handler is called with what was
// stored. All calls come from a thread that may block, one at a time for one request.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace belay::api {

// What is known of a file part when its first byte arrives.
struct PartHead {
    std::string organization_id{};
    std::string field{};         // the form field's name: "files"
    std::string file_name{};     // as the client calls it; only its last path segment, never empty
    std::string content_type{};  // as the client says; empty if it does not
};

// A file part whose bytes are stored, durably.
struct StoredPart {
    std::string field{};
    std::string file_name{};
    std::string content_type{};
    std::uint64_t size = 0;
    std::string sha256{};  // of the content, lower-case hex
    std::string object{};  // how the sink finds it again; opaque to the server
};

// One file part under way. Destroyed without finish(): it is given up, and nothing of it stays.
class Upload {
public:
    virtual ~Upload() = default;

    // The next bytes. Throws ApiError or belay::Error to refuse the rest of the request.
    virtual void write(std::span<const std::byte> bytes) = 0;

    // The part is complete: its bytes are on disk when this returns. Fills size, sha256 and object.
    // What no handler then refers to (the client hung up in the next part) is the sink's to collect.
    virtual StoredPart finish() = 0;
};

class UploadSink {
public:
    virtual ~UploadSink() = default;

    // Throws ApiError to refuse the part. Called on any thread, for many requests at a time.
    virtual std::unique_ptr<Upload> begin(const PartHead& head) = 0;
};

}  // namespace belay::api
