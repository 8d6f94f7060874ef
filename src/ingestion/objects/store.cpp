#include "ingestion/objects/store.hpp"

#include <cstdlib>

#include <fmt/format.h>

#include <belay/error.hpp>

#include "core/base/assert.hpp"

namespace belay::objects {

void Writer::write(std::span<const std::byte> bytes) {
    BELAY_ASSERT(!spent_, "an object's writer was used after its end");
    if (bytes.size() > bytes_max_ - size_) {
        spent_ = true;
        throw Error(ErrorCode::PayloadTooLarge,
                    fmt::format("the object has more than {} bytes, the limit", bytes_max_));
    }
    size_ += bytes.size();
    sha256_.update(bytes);
    if (size_ <= kMd5BytesMax) md5_.update(bytes);
    take(bytes);
}

Writer::Content Writer::spend(const Description& description) {
    BELAY_ASSERT(!spent_, "an object's writer was used after its end");
    spent_ = true;
    check(description);
    auto sha256 = sha256_.finish_hex();
    // The form of S3's for objects in parts: nobody takes it for an MD5.
    auto etag = size_ <= kMd5BytesMax ? md5_.finish_hex()
                                      : fmt::format("{}-{}", sha256.substr(0, 32),
                                                    (size_ + kMd5BytesMax - 1) / kMd5BytesMax);
    return {size_, std::move(sha256), std::move(etag)};
}

Object Writer::finish(const Key& key, const Description& description) {
    const Content content = spend(description);
    return publish(key, description, content);
}

std::optional<SmallObject> Writer::take_small(const Key& key, const Description& description) {
    if (!is_small()) return std::nullopt;
    const Content content = spend(description);
    return small(key, description, content);
}

SmallObject Writer::small(const Key&, const Description&, const Content&) {
    BELAY_ASSERT(false, "a writer that is small gives its object");
    std::abort();
}

Object Store::put(const Key& key, std::string_view bytes, const Description& description) {
    const auto writer = begin(bytes.size());
    writer->write(bytes);
    return writer->finish(key, description);
}

std::optional<std::string> Store::get(const Key& key, std::uint64_t bytes_max, const Range& range) {
    const auto reader = open(key, range);
    if (!reader) return std::nullopt;
    if (reader->length() > bytes_max) {
        throw Error(
            ErrorCode::PayloadTooLarge,
            fmt::format("object `{}`: {} bytes are more than the {} that can be read at once",
                        key.text(), reader->length(), bytes_max));
    }
    std::string bytes(reader->length(), '\0');
    std::size_t done = 0;
    while (done < bytes.size()) {
        const auto got = reader->read(std::as_writable_bytes(std::span(bytes)).subspan(done));
        if (got == 0) break;
        done += got;
    }
    BELAY_ASSERT(done == bytes.size(), "object `{}`: a reader ended at {} of {}", key.text(), done,
                 bytes.size());
    return bytes;
}

}  // namespace belay::objects
