// rider.hpp — which verbs can have a rider, when it rides, and what becomes of the verb if it fails.
//
// An overload for each verb: one that can have a rider and does not say both here does not compile.
#pragma once

#include <optional>
#include <string>
#include <variant>

#include "core/store/batch.hpp"
#include "core/store/body_failure.hpp"

namespace belay::store {

// ---- what a rider is told; nothing if the verb has not done what it was asked, so that nothing rides

inline std::optional<Ridden> ridden(const Submit& verb) {
    const auto* outcome = std::get_if<SubmitOutcome>(&verb.outcome);
    const bool there = outcome != nullptr && (outcome->kind == SubmitKind::Created ||
                                              outcome->kind == SubmitKind::Joined ||
                                              outcome->kind == SubmitKind::Retried);
    if (!there) return std::nullopt;
    return Ridden{.run = &outcome->run};
}

inline std::optional<Ridden> ridden(const Control& verb) {
    const bool done =
        verb.outcome == ControlResult::Done || verb.outcome == ControlResult::Requested;
    if (!done) return std::nullopt;
    return Ridden{.run = verb.run ? &*verb.run : nullptr};
}

inline std::optional<Ridden> ridden(const Send& verb) {
    if (verb.outcome == SendResult::Refused) return std::nullopt;
    return Ridden{.duplicate = verb.outcome == SendResult::Duplicate};
}

inline std::optional<Ridden> ridden(const ChangeQueue& verb) {
    return verb.outcome == ChangeResult::Done ? std::optional(Ridden{}) : std::nullopt;
}

inline std::optional<Ridden> ridden(const ChangeBudget& verb) {
    return verb.outcome == ChangeResult::Done ? std::optional(Ridden{}) : std::nullopt;
}

inline std::optional<Ridden> ridden(const ChangeSchedule& verb) {
    if (verb.outcome != ChangeResult::Done) return std::nullopt;
    return Ridden{.schedule = verb.stands ? &*verb.stands : nullptr};
}

inline std::optional<Ridden> ridden(const Transact& verb) {
    const auto* output = std::get_if<std::string>(&verb.outcome);
    if (output == nullptr) return std::nullopt;
    return Ridden{.output = output};
}

// ---- the verb was taken back with its rider

inline void take_back(Submit& verb, const BodyFailure& failure) {
    verb.outcome = outcome_of<decltype(verb.outcome)>(failure);
}

inline void take_back(Control& verb, const BodyFailure& failure) {
    hook_failed(verb, failure);
    verb.run.reset();
}

inline void take_back(Send& verb, const BodyFailure& failure) {
    verb.outcome = SendResult::Refused;
    verb.why = failure_of(failure.error).message;
    if (failure.of_store) verb.lost = lost_by(failure);
}

template <class Change>
void take_back_change(Change& verb, const BodyFailure& failure) {
    verb.outcome = ChangeResult::Refused;
    verb.why = failure_of(failure.error).message;
    if (failure.of_store) verb.lost = lost_by(failure);
}
inline void take_back(ChangeQueue& verb, const BodyFailure& failure) {
    take_back_change(verb, failure);
}
inline void take_back(ChangeBudget& verb, const BodyFailure& failure) {
    take_back_change(verb, failure);
}
inline void take_back(ChangeSchedule& verb, const BodyFailure& failure) {
    verb.stands.reset();
    take_back_change(verb, failure);
}

inline void take_back(Transact& verb, const BodyFailure& failure) {
    verb.outcome = BodyFailed{failure.error};
}

// ---- of a verb of any type

template <class V>
concept Ridable = requires(V& verb) {
    verb.rider;
};

// Rides if there is something to ride with. `run_body` runs a TxBody in a savepoint of its own.
template <Ridable V, class RunBody, class Answer>
BodyResult ride(V& verb, RunBody&& run_body, Answer&& answer) {
    const auto told = ridden(verb);
    if (!told) return std::nullopt;
    std::string text;
    BodyResult failed = run_body([&](SqlTx& tx) {
        text = verb.rider.body(tx, *told);
        return std::string{};
    });
    if (failed) {
        verb.rider.failed = failed->error;
        take_back(verb, *failed);
    } else if (verb.rider.request != 0) {
        answer(AnswerRequest{verb.rider.request, true, std::move(text)});
    }
    return failed;
}

}  // namespace belay::store
