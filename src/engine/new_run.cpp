#include "engine/new_run.hpp"

#include <fmt/format.h>

#include <belay/error.hpp>

#include "base/limits.hpp"
#include "base/saturate.hpp"

namespace belay::engine {

void check_new_run(const Workflows& workflows, std::string_view workflow, const std::string& input,
                   const SubmitOptions& options) {
    if (!workflows.contains(workflow)) {
        std::string known;
        for (const auto& [key, defined] : workflows) known += (known.empty() ? "" : ", ") + key;
        throw Error(ErrorCode::UnknownWorkflow,
                    fmt::format("no workflow `{}` is defined here; defined are: {}", workflow,
                                known.empty() ? "none" : known));
    }
    if (options.id.size() > base::kRunIdCharsMax) {
        throw Error(ErrorCode::InvalidArgument,
                    fmt::format("a run id has at most {} characters; this one has {}: {}…",
                                base::kRunIdCharsMax, options.id.size(), options.id.substr(0, 40)));
    }
    if (input.size() > base::kPayloadBytesMax) {
        throw Error(ErrorCode::PayloadTooLarge,
                    fmt::format("the input of workflow `{}` is {} bytes of JSON; a run takes at most {}. Keep "
                                "large data in a file and pass its name.",
                                workflow, input.size(), base::kPayloadBytesMax));
    }
}

model::NewRun new_run(std::string_view workflow, std::string input, const SubmitOptions& options,
                      std::string id, const std::string& organization_id, const std::string& code_version,
                      Time now) {
    model::NewRun run;
    run.id = options.id.empty() ? std::move(id) : options.id;
    run.workflow_key = workflow;
    run.input = std::move(input);
    run.organization_id = options.organization_id.empty() ? organization_id : options.organization_id;
    run.source_channel = options.source_channel;
    run.file_id = options.file_id;
    run.content_hash = options.content_hash;
    run.code_version = code_version;
    if (options.delay > Duration{0}) run.available_at = base::later(now, options.delay);
    return run;
}

}  // namespace belay::engine
