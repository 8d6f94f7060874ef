#include "core/base/events.hpp"

#include <fmt/format.h>
#include <boost/json.hpp>

#include "core/base/limits.hpp"
#include "core/base/text.hpp"
#include "core/base/utf8.hpp"

namespace belay {

std::string_view to_string(LogLevel level) {
    switch (level) {
        case LogLevel::Info:
            return "info";
        case LogLevel::Warning:
            return "warning";
        case LogLevel::Failure:
            break;
    }
    return "failure";
}

}  // namespace belay

namespace belay::base {

namespace {

std::string one_line(std::string_view text) {
    std::string out = truncate(to_valid_utf8(text), kMessageCharsMax);
    for (char& c : out) {
        const auto byte = static_cast<unsigned char>(c);
        if (byte < 0x20 || byte == 0x7f) c = ' ';
    }
    return out;
}

std::string field(std::string_view text) { return truncate(to_valid_utf8(text), kRunIdCharsMax); }

}  // namespace

std::optional<EventKind> event_kind(std::string_view name) {
    for (const EventKind& kind : kEvents) {
        if (kind.name == name) return kind;
    }
    return std::nullopt;
}

std::string log_line(const LogEntry& entry) {
    return fmt::format("belay: {}: {}", to_string(entry.level), one_line(entry.message));
}

std::string log_json(const LogEntry& entry) {
    boost::json::object out{{"time", format_time(entry.time)},
                            {"level", to_string(entry.level)},
                            {"event", entry.event},
                            {"message", truncate(to_valid_utf8(entry.message), kMessageCharsMax)}};
    const auto add = [&](std::string_view name, std::string_view value) {
        if (!value.empty()) out[name] = field(value);
    };
    add("run_id", entry.run_id);
    add("workflow_key", entry.workflow_key);
    add("organization_id", entry.organization_id);
    add("stage_key", entry.stage_key);
    if (entry.attempt != 0) out["attempt"] = entry.attempt;
    add("worker", entry.worker);
    return boost::json::serialize(out);
}

}  // namespace belay::base
