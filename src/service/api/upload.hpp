// upload.hpp — where the bytes of an uploaded file go while they arrive.
//
// The server reads a multipart body piece by piece and hands each file part to an UploadSink; it
// never holds more than one piece. When the body has ended, the handler gets every part's Upload and
// decides what becomes of it: only then are the other fields of the form known (workflow_type may come
// after the file). All calls come from a thread that may block, one at a time for one request.
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

// One file part under way. Destroyed without the handler having made something of it (the client hung
// up, the form is broken, a later part was refused): nothing of it stays.
//
// The room that implements it knows its own type and has what else a handler needs: how to finish it.
class Upload {
public:
    virtual ~Upload() = default;

    // The next bytes. Throws ApiError or belay::Error to refuse the whole request.
    virtual void write(std::span<const std::byte> bytes) = 0;
};

class UploadSink {
public:
    virtual ~UploadSink() = default;

    // Throws ApiError to refuse the request. Called on any thread, for many requests at a time.
    virtual std::unique_ptr<Upload> begin(const PartHead& head) = 0;
};

// A file part whose bytes have all come. Not yet durable: the handler finishes it.
struct UploadedFile {
    std::string field{};
    std::string file_name{};
    std::string content_type{};
    std::uint64_t size = 0;
    std::string sha256{};  // lower-case hex; only if the request has an Idempotency-Key
    std::unique_ptr<Upload> upload{};
};

}  // namespace belay::api
