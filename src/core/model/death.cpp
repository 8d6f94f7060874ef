#include "core/model/death.hpp"

#include <array>

#include "core/model/words.hpp"

namespace belay::model {

namespace {

constexpr std::array kReasonWords{
    Word<DeathReason>{DeathReason::Unknown, "unknown"},
    Word<DeathReason>{DeathReason::Killed, "killed"},
    Word<DeathReason>{DeathReason::Signal, "signal"},
};

}  // namespace

std::string_view to_string(DeathReason reason) { return word_of(kReasonWords, reason); }

std::optional<DeathReason> death_reason(std::string_view word) {
    return value_of(kReasonWords, word);
}

std::string_view worker_mark(std::string_view worker) {
    return worker.substr(worker.rfind('/') + 1);  // npos + 1 is 0: all of it
}

}  // namespace belay::model
