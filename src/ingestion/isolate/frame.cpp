#include "ingestion/isolate/frame.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "ingestion/isolate/wire.hpp"

namespace belay::isolate {
namespace {

constexpr std::uint32_t kMagic = 0x31594c42;  // "BLY1"

// A large payload's memory is taken as it arrives: a head alone must not cost 256 MiB.
constexpr std::uint64_t kReserveAtOnce = 1u << 20;

}  // namespace

std::string encode_head(FrameType type, std::uint64_t length) {
    WireWriter out;
    out.u32(kMagic);
    out.u32(static_cast<std::uint32_t>(type));
    out.u64(length);
    return out.take();
}

std::string encode_frame(FrameType type, std::string_view payload) {
    auto out = encode_head(type, payload.size());
    out.append(payload);
    return out;
}

FrameHead decode_head(std::string_view bytes) {
    if (bytes.size() < kFrameHeadBytes) throw BadFrame("a frame's head is cut short");
    WireReader in{bytes.substr(0, kFrameHeadBytes)};
    if (in.u32() != kMagic) throw BadFrame("what arrived is not a frame");
    const auto type = in.u32();
    if (type < static_cast<std::uint32_t>(FrameType::Hello) ||
        type > static_cast<std::uint32_t>(FrameType::Failure)) {
        throw BadFrame(fmt::format("there is no frame of type {}", type));
    }
    return {static_cast<FrameType>(type), in.u64()};
}

void FrameReader::feed(std::string_view bytes) {
    if (!head_) {
        const auto part = bytes.substr(0, kFrameHeadBytes - head_bytes_.size());
        head_bytes_.append(part);
        bytes.remove_prefix(part.size());
        if (head_bytes_.size() < kFrameHeadBytes) return;
        const auto head = decode_head(head_bytes_);
        if (head.length > payload_max_) {
            throw FrameTooLarge(fmt::format("a frame of {} bytes is above the limit of {}",
                                            head.length, payload_max_));
        }
        head_ = head;
        frame_.type = head.type;
        frame_.payload.reserve(std::min(head.length, kReserveAtOnce));
    }
    if (bytes.size() > head_->length - frame_.payload.size()) {
        throw BadFrame("there are bytes after the end of a frame");
    }
    frame_.payload.append(bytes);
}

Frame decode_frame(std::string_view bytes, std::uint64_t payload_max) {
    FrameReader reader{payload_max};
    reader.feed(bytes);
    if (!reader.complete()) throw BadFrame("a frame is cut short");
    return reader.take();
}

}  // namespace belay::isolate
