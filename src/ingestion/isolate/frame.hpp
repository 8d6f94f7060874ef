// frame.hpp — the envelope in which parent, helper and job talk: pure functions over bytes.
//
// A frame is a 16-byte head (magic, type, payload length, little endian) and its payload. What arrives may
// come from a process that a hostile file has taken over, so a length is checked against a limit before
// anything is allocated for it, and whatever is not exactly a frame is an error, never a guess.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

namespace belay::isolate {

enum class FrameType : std::uint32_t {
    Hello = 1,    // helper → parent: warmed and confined, ready for jobs
    Refused = 2,  // helper → parent: this machine cannot confine jobs, with the reason
    Start = 3,    // parent → helper: fork a process for this job
    Started = 4,  // helper → parent: it runs
    Ended = 5,    // helper → parent: how its process ended
    Request = 6,  // parent → job: the arguments
    Answer = 7,   // job → parent
    Failure = 8,  // job → parent: why there is no answer
};

inline constexpr std::size_t kFrameHeadBytes = 16;

// What arrived is not a frame of this protocol.
class BadFrame : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

// A frame announces a payload above the reader's limit.
class FrameTooLarge : public BadFrame {
public:
    using BadFrame::BadFrame;
};

struct FrameHead {
    FrameType type{};
    std::uint64_t length = 0;
};

// The head of a payload of `length` bytes.
std::string encode_head(FrameType type, std::uint64_t length);

// A whole frame.
std::string encode_frame(FrameType type, std::string_view payload);

// The head in the first 16 bytes of `bytes`. Throws BadFrame if they are none, or fewer.
FrameHead decode_head(std::string_view bytes);

struct Frame {
    FrameType type{};
    std::string payload{};
};

// Puts frames together from a stream, whatever the sizes of the pieces it arrives in.
class FrameReader {
public:
    // A payload longer than `payload_max` is refused when its head arrives.
    explicit FrameReader(std::uint64_t payload_max) : payload_max_(payload_max) {}

    // Takes the next bytes of the stream. Throws BadFrame or FrameTooLarge; the reader is then spent.
    void feed(std::string_view bytes);

    // The frame, once it is whole. A stream here carries one frame: bytes after it are a BadFrame.
    bool complete() const { return head_ && frame_.payload.size() == head_->length; }
    const Frame& frame() const { return frame_; }
    Frame take() { return std::move(frame_); }

    // Whether anything arrived at all.
    bool touched() const { return head_ || !head_bytes_.empty(); }

private:
    std::uint64_t payload_max_;
    std::string head_bytes_;
    std::optional<FrameHead> head_;
    Frame frame_;
};

// The one frame that `bytes` are, no less and no more. Throws as FrameReader does.
Frame decode_frame(std::string_view bytes, std::uint64_t payload_max);

}  // namespace belay::isolate
