#include "core/model/stage.hpp"

#include <array>

#include "core/model/words.hpp"

namespace belay::model {

namespace {

constexpr std::array kWords{
    Word<StageKind>{StageKind::Step, "step"},
    Word<StageKind>{StageKind::Transaction, "transaction"},
    Word<StageKind>{StageKind::Scope, "scope"},
    Word<StageKind>{StageKind::Sleep, "sleep"},
    Word<StageKind>{StageKind::Patch, "patch"},
    Word<StageKind>{StageKind::Fan, "fan"},
    Word<StageKind>{StageKind::Child, "child"},
    Word<StageKind>{StageKind::Receive, "receive"},
    Word<StageKind>{StageKind::Guard, "guard"},
};

}  // namespace

std::string_view to_string(StageKind kind) { return word_of(kWords, kind); }

std::optional<StageKind> stage_kind(std::string_view word) { return value_of(kWords, word); }

}  // namespace belay::model
