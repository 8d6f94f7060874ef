// message.hpp — something sent to a run: read once, in the order sent, by a receive of its topic.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <belay/time.hpp>

namespace belay::model {

struct NewMessage {
    std::string run_id{};  // whom it is for; that run may not exist yet
    std::string topic{};
    std::string payload{};  // JSON
    std::string organization_id{};
    // The same key again is the same message: it is not delivered twice. Empty: every one is new.
    std::string dedupe_key{};
    std::optional<Time> expires_at{};  // unread by then, it is as if it was never sent
};

// One that was sent, as it is listed. One that was read has no payload any more; one that was kept
// aside has.
struct Message {
    std::int64_t id = 0;
    std::string topic{};
    std::optional<std::string> payload{};  // JSON
    Time created_at{};
    std::optional<Time> expires_at{};
    std::optional<Time> read_at{};
    std::string misfit{};  // why it was kept aside instead: it does not fit what the code wanted
};

}  // namespace belay::model
