#include "core/engine/new_run.hpp"

#include <algorithm>

#include <fmt/format.h>

#include <belay/error.hpp>

#include "core/base/hash.hpp"
#include "core/base/limits.hpp"
#include "core/base/saturate.hpp"
#include "core/base/text.hpp"
#include "core/base/utf8.hpp"
#include "core/engine/outside.hpp"
#include "core/model/queue.hpp"
#include "core/model/said.hpp"

namespace belay::engine {

namespace {

void check_queueing(const SubmitOptions& options) {
    const auto refuse = [](std::string why) {
        throw Error(ErrorCode::InvalidArgument, std::move(why));
    };
    if (!options.queue.empty() && !model::is_plain_name(options.queue)) {
        refuse(fmt::format(
            "`{}` is no name of a queue: it has 1 to {} letters, digits, `.`, `-` and `_`",
            base::truncate(base::to_valid_utf8(options.queue), base::kQueueNameCharsMax),
            base::kQueueNameCharsMax));
    }
    if (options.queue.empty() && (options.priority != 0 || !options.partition.empty())) {
        refuse(
            "a priority and a partition mean something only in a queue: name one, or leave them "
            "out");
    }
    if (options.priority < -base::kPriorityMax || options.priority > base::kPriorityMax) {
        refuse(fmt::format("a priority of {} is outside -{} to {}", options.priority,
                           base::kPriorityMax, base::kPriorityMax));
    }
    if (options.partition.size() > base::kPartitionCharsMax) {
        refuse(fmt::format("a partition has at most {} characters; this one has {}",
                           base::kPartitionCharsMax, options.partition.size()));
    }
    if (options.dedupe_id.size() > base::kDedupeIdCharsMax) {
        refuse(fmt::format("a dedupe id has at most {} characters; this one has {}",
                           base::kDedupeIdCharsMax, options.dedupe_id.size()));
    }
}

bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }

// As much of it as a sentence can show.
std::string shown_id(std::string_view id) {
    std::string shown = base::truncate(base::to_valid_utf8(id), 40);
    std::replace_if(shown.begin(), shown.end(), is_control, '?');
    return shown;
}

}  // namespace

void check_run_id(std::string_view id) {
    const auto refuse = [](std::string why) {
        throw Error(ErrorCode::InvalidArgument, std::move(why));
    };
    if (id.size() > base::kRunIdCharsMax) {
        refuse(fmt::format("a run id has at most {} characters; this one has {}: {}…",
                           base::kRunIdCharsMax, id.size(), shown_id(id)));
    }
    if (!base::is_utf8(id))
        refuse(fmt::format("a run id is UTF-8; this one is not: `{}`", shown_id(id)));
    if (std::any_of(id.begin(), id.end(), is_control)) {
        refuse(fmt::format(
            "a run id has no control characters, such as a line break; this one does: `{}`",
            shown_id(id)));
    }
}

void check_new_run(const Workflows& workflows, std::string_view workflow, const std::string& input,
                   const SubmitOptions& options) {
    if (!workflows.contains(workflow) && !options.source_channel.starts_with(kUnadmitted)) {
        std::string known;
        for (const auto& [key, defined] : workflows) known += (known.empty() ? "" : ", ") + key;
        throw Error(ErrorCode::UnknownWorkflow,
                    fmt::format("no workflow `{}` is defined here; defined are: {}", workflow,
                                known.empty() ? "none" : known));
    }
    check_run_id(options.id);
    check_queueing(options);
    model::check_labels(options.labels);
    if (input.size() > base::kPayloadBytesMax) {
        throw Error(
            ErrorCode::PayloadTooLarge,
            fmt::format(
                "the input of workflow `{}` is {} bytes of JSON; a run takes at most {}. Keep "
                "large data in a file and pass its name.",
                workflow, input.size(), base::kPayloadBytesMax));
    }
}

model::NewRun new_run(std::string_view workflow, std::string input, const SubmitOptions& options,
                      std::string id, const std::string& organization_id,
                      const std::string& code_version, Time now) {
    model::NewRun run;
    run.id = options.id.empty() ? std::move(id) : options.id;
    run.workflow_key = workflow;
    run.input = std::move(input);
    run.organization_id =
        options.organization_id.empty() ? organization_id : options.organization_id;
    run.source_channel = options.source_channel;
    run.file_id = options.file_id;
    run.content_hash = options.content_hash;
    run.code_version = code_version;
    run.queue = options.queue;
    run.priority = options.priority;
    if (!run.queue.empty())
        run.partition = options.partition.empty() ? run.organization_id : options.partition;
    run.dedupe_id = options.dedupe_id;
    run.labels = options.labels;
    if (options.delay > Duration{0}) run.available_at = base::later(now, options.delay);
    if (options.deadline > Duration{0}) run.deadline_at = base::later(now, options.deadline);
    return run;
}

std::string derived_id(const std::string& run_id, const std::string& place) {
    std::string id = fmt::format("{}/{}", run_id, place);
    if (id.size() <= base::kRunIdCharsMax) return id;
    // Runs that start runs make it longer and longer; what is too long ends in a hash of the whole.
    std::string head = id.substr(0, 100);
    // Not in the middle of a UTF-8 sequence.
    while (!head.empty() && (static_cast<unsigned char>(head.back()) & 0x80U) != 0) head.pop_back();
    return fmt::format("{}~{}", head, base::sha256_hex(id));
}

model::NewMessage new_message(std::string_view run_id, std::string_view topic, std::string payload,
                              const SendOptions& options, const std::string& organization_id,
                              Time now) {
    const auto check = [](std::string_view what, std::string_view text, std::size_t most) {
        if (!text.empty() && text.size() <= most) return;
        throw Error(ErrorCode::InvalidArgument,
                    fmt::format("a message's {} has 1 to {} characters; this one has {}", what,
                                most, text.size()));
    };
    check("run id", run_id, base::kRunIdCharsMax);
    check("topic", topic, base::kStepNameCharsMax);
    if (payload.size() > base::kPayloadBytesMax) {
        throw Error(ErrorCode::PayloadTooLarge,
                    fmt::format("the message on topic `{}` for run `{}` is {} bytes of JSON; a "
                                "message has at most {}",
                                topic, run_id, payload.size(), base::kPayloadBytesMax));
    }
    model::NewMessage message;
    message.run_id = run_id;
    message.topic = topic;
    message.payload = std::move(payload);
    message.organization_id =
        options.organization_id.empty() ? organization_id : options.organization_id;
    message.dedupe_key = options.dedupe_key;
    if (options.expires_after) message.expires_at = now + *options.expires_after;
    return message;
}

Error deleted_error(const model::Run& run) {
    return Error(ErrorCode::RunDeleted,
                 fmt::format("run `{}` ended as {} on {} and its record was deleted since; its id "
                             "stays taken. Choose "
                             "another id to run it again.",
                             run.id, to_string(run.status),
                             run.completed_at ? base::format_time(*run.completed_at)
                                              : "a day that is not known"));
}

}  // namespace belay::engine
