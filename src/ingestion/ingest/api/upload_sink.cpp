#include "ingestion/ingest/api/upload_sink.hpp"

#include <algorithm>

#include "ingestion/ingest/content_type.hpp"

namespace belay::ingest {

void IncomingFile::write(std::span<const std::byte> bytes) {
    if (first_bytes_.size() < kSniffBytes) {
        const std::size_t wanted = std::min(bytes.size(), kSniffBytes - first_bytes_.size());
        first_bytes_.append(reinterpret_cast<const char*>(bytes.data()), wanted);
    }
    writer_->write(bytes);
}

std::unique_ptr<api::Upload> ObjectSink::begin(const api::PartHead&) {
    return std::make_unique<IncomingFile>(objects_.begin(bytes_max_));
}

}  // namespace belay::ingest
