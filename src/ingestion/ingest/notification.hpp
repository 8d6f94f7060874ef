// notification.hpp — what object stores say happened, in their own shapes, as one value.
//
// Understood are S3's records (also Ceph's and MinIO's, whose envelope is the same), EventBridge events of S3, R2's
// messages, several of each in an array, and the envelopes in which queues and SNS deliver them. What cannot be
// understood is a value too, with the reason: a sender that is told "no" sends the same bytes for ever.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <belay/time.hpp>

namespace belay::ingest {

enum class NoticeKind { Created, Deleted, Other, Invalid };

// "created", "deleted", "other", "invalid": as rows and JSON have it.
std::string_view to_string(NoticeKind kind);

struct Notice {
    NoticeKind kind = NoticeKind::Invalid;
    std::string source{};  // "s3", "eventbridge", "r2"; empty if it is none of them
    std::string action{};  // as the sender calls it: "ObjectCreated:Put"
    std::string bucket{};
    std::string key{};  // the most likely reading of the sender's key
    std::string
        other_key{};  // the other one, if the two differ: S3 escapes its keys, R2 does not, Ceph it depends
    std::string etag{};       // without quotes
    std::string sequencer{};  // S3's order of the events of one key
    std::optional<Time> at{};
    std::string reason{};  // why it is Other or Invalid
    std::string body{};    // this one as JSON text, or the beginning of what is none
};

// A body holds at most so many: ten times what any of the senders puts together.
inline constexpr std::size_t kNoticesMax = 10'000;
// So much of a message that was not understood is kept for people to look at.
inline constexpr std::size_t kNoticeBodyCharsMax = 8 * 1024;

// As S3 escapes a key: %XX, and `+` is a blank. Nothing for a broken escape, or for what is no UTF-8 then.
std::optional<std::string> unescaped(std::string_view text);

// All that a body tells, in its order; never empty. Throws Error{PayloadTooLarge} for more than kNoticesMax.
std::vector<Notice> read_notifications(std::string_view body);

}  // namespace belay::ingest
