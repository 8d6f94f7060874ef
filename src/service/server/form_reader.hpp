// form_reader.hpp — a multipart body on its way into an UploadSink and a Form.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "core/base/hash.hpp"
#include "service/api/request.hpp"
#include "service/api/upload.hpp"
#include "service/server/multipart.hpp"

namespace belay::server {

struct ServerLimits;

// Call from a thread that may block. Destroyed before finish(): what is under way is given up.
class FormReader final : private MultipartListener {
public:
    // `sink` and `limits` must outlive it. Throws ApiError{unsupported_media_type} if the content type is
    // not multipart/form-data with a boundary.
    // With `hash`, every file gets its sha256.
    FormReader(std::string_view content_type, std::string organization_id, api::UploadSink& sink,
               const ServerLimits& limits, bool hash);

    // The next bytes. Throws ApiError, and what the sink throws.
    void feed(std::string_view piece) { parser_.feed(piece); }
    api::Form finish();

private:
    void part_begins(const MultipartHead& head) override;
    void part_bytes(std::string_view bytes) override;
    void part_ends() override;

    const std::string organization_id_;
    api::UploadSink& sink_;
    const ServerLimits& limits_;
    Multipart parser_;
    api::Form form_;
    api::PartHead head_;
    std::unique_ptr<api::Upload> upload_;  // null: the part under way is a field
    std::optional<base::Sha256> hash_;
    const bool hash_wanted_;
    std::uint64_t part_size_ = 0;
    std::size_t fields_size_ = 0;
};

}  // namespace belay::server
