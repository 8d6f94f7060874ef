// planted_bug.hpp — stores with a known mistake, to see that the simulation finds it.
#pragma once

#include <string_view>

#include <boost/describe.hpp>

#include "simulation/hooked_store.hpp"

namespace belay::test {

enum class PlantedBug {
    None,
    NoEpochCheck,         // any worker may write for any run
    AckWithoutCommit,     // now and then a record is acknowledged and not written
    ForgottenStage,       // a history is read without its last record
    BodyTwice,            // a transaction's body runs twice
    MessageTwice,         // a message that was read is there again
    NoRecheckBeforeWait,  // a run goes to sleep although something came meanwhile
    LostSignal,           // whoever waits is not told
    LostRun,              // now and then a submission is acknowledged and not written
    WiderQueue,           // a queue lets one more in than its limit
    PruneByOldList,       // retention deletes what it listed before, whatever has become of it
    SilentLook,           // a run that asks what came is told nothing
    BorrowedFlag,         // an attempt counts as settled while its answer is looked for
    PushedAgain,          // what a full disk refuses is asked again until there is room
    BlameByPresence,      // whoever was there when a process died is charged with it
    ForgottenDeath,       // what a black box says is acknowledged and not written
    LostWord,             // now and then what a run says is acknowledged and not written
    OldWord,              // of what a run says under one name, the first stands
    UndoByPath,  // undos are planned by where their steps stand in the code, not by when they began
    UndoWithoutPlan,  // the first undo begins before its plan is there
    LateReservation,  // a paid call is made first, and what it may cost is kept free after it
};
BOOST_DESCRIBE_ENUM(PlantedBug, None, NoEpochCheck, AckWithoutCommit, ForgottenStage, BodyTwice,
                    MessageTwice, NoRecheckBeforeWait, LostSignal, LostRun, WiderQueue,
                    PruneByOldList, SilentLook, BorrowedFlag, PushedAgain, BlameByPresence,
                    ForgottenDeath, LostWord, OldWord, UndoByPath, UndoWithoutPlan, LateReservation)

std::string_view to_string(PlantedBug bug);

// What the commit of a store with that mistake does.
HookedStore::Commit commit_with(PlantedBug bug);

}  // namespace belay::test
