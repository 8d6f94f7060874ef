// status_words.hpp — the words of the states, in the order people read them.
#pragma once

#include <array>

#include <belay/status.hpp>

#include "core/model/words.hpp"

namespace belay::model {

inline constexpr std::array kRunStatusWords{
    Word<RunStatus>{RunStatus::Queued, "queued"},
    Word<RunStatus>{RunStatus::Running, "running"},
    Word<RunStatus>{RunStatus::Waiting, "waiting"},
    Word<RunStatus>{RunStatus::Paused, "paused"},
    Word<RunStatus>{RunStatus::Succeeded, "succeeded"},
    Word<RunStatus>{RunStatus::Failed, "failed"},
    Word<RunStatus>{RunStatus::Canceled, "canceled"},
};

inline constexpr std::array kStageStatusWords{
    Word<StageStatus>{StageStatus::Queued, "queued"},
    Word<StageStatus>{StageStatus::Running, "running"},
    Word<StageStatus>{StageStatus::Retrying, "retrying"},
    Word<StageStatus>{StageStatus::Succeeded, "succeeded"},
    Word<StageStatus>{StageStatus::Failed, "failed"},
    Word<StageStatus>{StageStatus::Skipped, "skipped"},
    Word<StageStatus>{StageStatus::Canceled, "canceled"},
};

}  // namespace belay::model
