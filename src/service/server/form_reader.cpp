#include "service/server/form_reader.hpp"

#include <fmt/format.h>

#include "core/base/utf8.hpp"
#include "service/api/errors.hpp"
#include "service/api/file_too_large.hpp"
#include "service/server/server.hpp"

namespace belay::server {

namespace {

using api::ApiError;
using api::Problem;

std::string boundary_or_refuse(std::string_view content_type) {
    auto boundary = boundary_of(content_type);
    if (!boundary) {
        throw ApiError(Problem::UnsupportedMediaType,
                       fmt::format("send the files as multipart/form-data with a boundary (curl -F "
                                   "files=@photo.jpg does), not as `{}`",
                                   api::shown(content_type)));
    }
    return *std::move(boundary);
}

}  // namespace

FormReader::FormReader(std::string_view content_type, std::string organization_id,
                       api::UploadSink& sink, const ServerLimits& limits, bool hash)
    : organization_id_(std::move(organization_id)), sink_(sink), limits_(limits),
      parser_(boundary_or_refuse(content_type), *this, limits.multipart), hash_wanted_(hash) {}

api::Form FormReader::finish() {
    parser_.finish();
    return std::move(form_);
}

void FormReader::part_begins(const MultipartHead& head) {
    part_size_ = 0;
    if (!head.file_name) {
        form_.fields.emplace_back(head.name, "");
        return;
    }
    if (form_.files.size() >= limits_.files_max) {
        throw ApiError(
            Problem::PayloadTooLarge,
            fmt::format("there are more than {} files; send the others in another request",
                        limits_.files_max));
    }
    head_ = {organization_id_, head.name, *head.file_name, head.content_type};
    if (hash_wanted_) hash_.emplace();
    upload_ = sink_.begin(head_);
}

void FormReader::part_bytes(std::string_view bytes) {
    part_size_ += bytes.size();
    if (upload_) {
        if (part_size_ > limits_.file_bytes_max) {
            throw api::FileTooLarge(
                head_.file_name, fmt::format("{} is larger than {} bytes",
                                             api::shown(head_.file_name), limits_.file_bytes_max));
        }
        if (hash_) hash_->update(bytes);
        upload_->write(std::as_bytes(std::span(bytes)));
        return;
    }
    fields_size_ += bytes.size();
    auto& [name, value] = form_.fields.back();
    if (part_size_ > limits_.field_bytes_max || fields_size_ > limits_.fields_bytes_max) {
        throw ApiError(
            Problem::PayloadTooLarge,
            fmt::format("field `{}` is larger than {} bytes, or all fields together than {}; "
                        "a file needs a filename",
                        api::shown(name), limits_.field_bytes_max, limits_.fields_bytes_max));
    }
    value += bytes;
}

void FormReader::part_ends() {
    if (upload_) {
        form_.files.push_back({head_.field, head_.file_name, head_.content_type, part_size_,
                               hash_ ? hash_->finish_hex() : "", std::move(upload_)});
        return;
    }
    const auto& [name, value] = form_.fields.back();
    if (!base::is_utf8(value))
        throw ApiError(Problem::InvalidMultipart,
                       fmt::format("field `{}` is not UTF-8", api::shown(name)));
}

}  // namespace belay::server
