// lost_verb.hpp — what becomes of a verb whose commit is lost, or may be: a property of its type (rule 2).
//
// LostVerb has no default: a new verb does not compile until it says here who is told. None can fall silently into
// being pushed again, where a caller would wait for as long as a disk is full.
#pragma once

#include <exception>
#include <utility>
#include <variant>

#include "core/engine/failure.hpp"
#include "core/store/batch.hpp"

namespace belay::engine {

enum class Loss {
    OfRun,     // a run's own write: it is told Lost, its run is dropped and taken again
    OfCaller,  // somebody waits for it: told Lost at once, or asked again if it may have been written
    OfEngine,  // the scheduler's own bookkeeping: it has a way for each (Scheduler::bookkeeping_lost)
    Nobodys,  // nobody waits, and to do it twice is to do it once: pushed again until it is done
};

// Each says its kLoss; those that can be told also how (`tell`), and whether they were (`told`, null if not).
template <class Verb>
struct LostVerb;

// ---- how they are told

// By an outcome that has a Lost among its alternatives.
template <class Verb>
struct LostByOutcome {
    static void tell(Verb& verb, store::Lost lost) { verb.outcome = std::move(lost); }
    static store::Lost* told(Verb& verb) { return std::get_if<store::Lost>(&verb.outcome); }
};

template <class Verb>
struct LostByMember {
    static void tell(Verb& verb, store::Lost lost) { verb.lost = std::move(lost); }
    static store::Lost* told(Verb& verb) { return verb.lost ? &*verb.lost : nullptr; }
};

template <class Verb>
struct LostWrite : LostByOutcome<Verb> {
    static constexpr Loss kLoss = Loss::OfRun;
};

// `kAskAgain`: to do it twice is to do it once, so its answer can still be found out.
template <class How>
struct LostCall : How {
    static constexpr Loss kLoss = Loss::OfCaller;
    static constexpr bool kAskAgain = true;
};

struct LostBookkeeping {
    static constexpr Loss kLoss = Loss::OfEngine;
};

struct LostChore {
    static constexpr Loss kLoss = Loss::Nobodys;
};

// ---- the table

template <>
struct LostVerb<store::Record> : LostWrite<store::Record> {};
template <>
struct LostVerb<store::End> : LostWrite<store::End> {};
template <>
struct LostVerb<store::Wait> : LostWrite<store::Wait> {};
template <>
struct LostVerb<store::Say> : LostWrite<store::Say> {};
template <>
struct LostVerb<store::Undo> : LostWrite<store::Undo> {};
template <>
struct LostVerb<store::Reserve> : LostWrite<store::Reserve> {};
template <>
struct LostVerb<store::Release> : LostWrite<store::Release> {};
template <>
struct LostVerb<store::Await> : LostWrite<store::Await> {};
template <>
struct LostVerb<store::Look> : LostWrite<store::Look> {};

// A submission joins the run it made; a message has a key; a run that is gone is refused or gone.
template <>
struct LostVerb<store::Submit> : LostCall<LostByOutcome<store::Submit>> {};
template <>
struct LostVerb<store::Send> : LostCall<LostByMember<store::Send>> {};
template <>
struct LostVerb<store::Prune> : LostCall<LostByMember<store::Prune>> {};
template <>
struct LostVerb<store::ChangeQueue> : LostCall<LostByMember<store::ChangeQueue>> {};
template <>
struct LostVerb<store::ChangeSchedule> : LostCall<LostByMember<store::ChangeSchedule>> {};
template <>
struct LostVerb<store::ChangeBudget> : LostCall<LostByMember<store::ChangeBudget>> {};
template <>
struct LostVerb<store::MarkStalled> : LostCall<LostByMember<store::MarkStalled>> {};

// A control that is asked again finds itself done (settle_asked_again).
template <>
struct LostVerb<store::Control> : LostCall<LostByMember<store::Control>> {
    static void tell(store::Control& verb, store::Lost lost) {
        verb.outcome = store::ControlResult::Refused;
        verb.why = lost.why;
        verb.run.reset();
        LostByMember::tell(verb, std::move(lost));
    }
};

// Nobody can know here whether doing it twice would be right. A body that met a failure of the store tells that
// itself, with the same error.
template <>
struct LostVerb<store::Transact> {
    static constexpr Loss kLoss = Loss::OfCaller;
    static constexpr bool kAskAgain = false;
    static void tell(store::Transact& verb, const store::Lost& lost) {
        verb.outcome = store::BodyFailed{std::make_exception_ptr(error_of(lost))};
    }
    static store::Lost* told(store::Transact&) { return nullptr; }
};

template <>
struct LostVerb<store::Claim> : LostBookkeeping {
    static store::Lost* told(store::Claim& verb) {
        return verb.outcome.lost ? &*verb.outcome.lost : nullptr;
    }
};
template <>
struct LostVerb<store::Load> : LostBookkeeping {};
template <>
struct LostVerb<store::Reclaim> : LostBookkeeping {};
template <>
struct LostVerb<store::NoteSaved> : LostBookkeeping {};

template <>
struct LostVerb<store::Wake> : LostChore {};
template <>
struct LostVerb<store::NoteDeath> : LostChore {};
template <>
struct LostVerb<store::TakeRequests> : LostChore {};
template <>
struct LostVerb<store::AnswerRequest> : LostChore {};
template <>
struct LostVerb<store::ReadSchedules> : LostChore {};
template <>
struct LostVerb<store::Tick> : LostChore {};

// ---- of a verb whose type is not known

inline Loss loss_of(const store::Verb& verb) {
    return std::visit([]<class V>(const V&) { return LostVerb<V>::kLoss; }, verb);
}

// Why the verb was lost, by its store or by the engine; null if it was not.
inline store::Lost* told_lost(store::Verb& verb) {
    return std::visit(
        []<class V>(V& one) -> store::Lost* {
            if constexpr (requires { LostVerb<V>::told(one); }) {
                return LostVerb<V>::told(one);
            } else {
                return nullptr;
            }
        },
        verb);
}

}  // namespace belay::engine
