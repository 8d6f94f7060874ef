// status.cpp — the words of include/belay/status.hpp.
#include <belay/status.hpp>

#include "core/model/status_words.hpp"

namespace belay {

std::string_view to_string(RunStatus status) {
    return model::word_of(model::kRunStatusWords, status);
}

std::string_view to_string(StageStatus status) {
    return model::word_of(model::kStageStatusWords, status);
}

std::optional<RunStatus> run_status(std::string_view word) {
    return model::value_of(model::kRunStatusWords, word);
}

std::optional<StageStatus> stage_status(std::string_view word) {
    return model::value_of(model::kStageStatusWords, word);
}

bool is_finished(RunStatus status) {
    return status == RunStatus::Succeeded || status == RunStatus::Failed ||
           status == RunStatus::Canceled;
}

bool is_finished(StageStatus status) {
    return status == StageStatus::Succeeded || status == StageStatus::Failed ||
           status == StageStatus::Skipped || status == StageStatus::Canceled;
}

}  // namespace belay
