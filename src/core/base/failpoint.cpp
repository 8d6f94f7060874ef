#include "core/base/failpoint.hpp"

#include <algorithm>
#include <atomic>
#include <charconv>
#include <csignal>
#include <cstdlib>
#include <string>

#include "core/base/assert.hpp"
#include "core/base/server_failpoint.hpp"

namespace belay::base {

const std::vector<std::string_view>& failpoint_names() {
    static const std::vector<std::string_view> names{
        "submit.before",  // a submission is about to be queued for the writer
        "commit.before",  // a batch is complete, nothing of it written
        "commit.after",   // a batch is durable, nobody has been told
        "tick.before",    // a schedule's tick is due, its run is not made
        "tick.after",     // its run is durable, nobody has been told
        "claim.after",    // runs were claimed, none has begun
        "step.before",    // a step's function is about to run
        "step.after",     // it has run, nothing is recorded
        "loop.resume",    // a step is recorded, its workflow has not gone on
        "end.before",     // a workflow's code has ended, its end is not recorded
    };
    return names;
}

const std::vector<std::string_view>& server_failpoint_names() {
    static const std::vector<std::string_view> names{
        "upload.stored",   // the object is durable, no row tells of it
        "upload.after",    // its file and run are durable, the client is not answered
        "inbox.received",  // messages are durable, their sender is not answered
        "inbox.claimed",   // one was handed out, nothing is done about it
        "inbox.handled",   // its run is durable and it is marked, nobody knows
        "watch.taken",     // a file's run is durable, the file lies where it was
    };
    return names;
}

namespace detail {
namespace {

struct Armed {
    std::string name;
    std::int64_t hits_left = 0;
};

Armed read_environment() {
    const char* text = std::getenv("BELAY_FAILPOINT");
    if (text == nullptr) return {};
    const std::string_view all{text};
    const auto colon = all.find(':');
    Armed armed{std::string(all.substr(0, colon)), 1};
    if (colon != std::string_view::npos) {
        const auto count = all.substr(colon + 1);
        std::from_chars(count.data(), count.data() + count.size(), armed.hits_left);
    }
    const auto known = [&](const std::vector<std::string_view>& names) {
        return std::find(names.begin(), names.end(), armed.name) != names.end();
    };
    BELAY_ASSERT(known(failpoint_names()) || known(server_failpoint_names()),
                 "BELAY_FAILPOINT names no failpoint: {}", armed.name);
    return armed;
}

Armed& armed() {
    static Armed value = read_environment();
    return value;
}

}  // namespace

const bool kFailpointArmed = std::getenv("BELAY_FAILPOINT") != nullptr;

void pass_failpoint(std::string_view name) {
    static std::atomic<std::int64_t> hits_left{armed().hits_left};
    if (name != armed().name) return;
    if (hits_left.fetch_sub(1) == 1) std::raise(SIGKILL);
}

}  // namespace detail
}  // namespace belay::base
