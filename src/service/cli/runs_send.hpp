// runs_send.hpp — `belay runs send ID TOPIC JSON` and `belay runs messages ID`.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "core/store/store.hpp"
#include "service/cli/exit_code.hpp"
#include "service/cli/screen.hpp"

namespace belay::cli {

struct Sending {
    std::string run_id{};  // need not exist yet
    std::string topic{};
    std::string payload{};  // JSON
    std::string dedupe_key{};
    std::string organization_id{};
};

// What came of it: "sent" or "duplicate"; nothing if nobody answered. Throws Error{RunFailed} with the reason
// if it was refused, {InvalidArgument} for what is no JSON.
std::optional<std::string> send_here(store::Store& store, const Sending& sending, Time now);
std::optional<std::string> ask_to_send(store::Store& store, const Sending& sending, Time now,
                                       Duration at_most, const std::function<void(Duration)>& nap);

ExitCode list_messages(store::Store& store, const std::string& run_id, Time now,
                       const Screen& screen);
ExitCode list_messages_json(store::Store& store, const std::string& run_id, const Screen& screen);

}  // namespace belay::cli
