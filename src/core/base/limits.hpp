// limits.hpp — every bound of the engine, in one place.
//
// Nothing in Belay grows without limit: what has a bound fails with a message that names it, what
// has none fails as an out-of-memory kill at night. A number here says why it is that number. Bounds
// that a program may change are defaults (`…Default`); the others are promises to the stores.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

namespace belay::base {

// --- Values -------------------------------------------------------------------------------------

// One checkpoint is one row that rides in a group commit: a larger one would hold up a thousand
// neighbours. Bigger things are objects, and the checkpoint holds their key.
inline constexpr std::size_t kPayloadBytesMax = 4 * 1024 * 1024;

// What a long step keeps of how far it is (Attempt::checkpoint) is written again and again: a place to begin from, and no
// result.
inline constexpr std::size_t kCheckpointBytesMax = 64 * 1024;

// Above this a value goes to a file beside the database: about where writing a file of its own becomes
// cheaper than copying a row through the log and back.
inline constexpr std::size_t kBlobThresholdBytes = 128 * 1024;

// Deep enough for any hand-written type; shallow enough that encoding and decoding by recursion
// stays far from the end of a 512 KiB stack. Refused when written, so a record can always be read.
inline constexpr std::size_t kJsonDepthMax = 256;

// --- Names --------------------------------------------------------------------------------------

// Steps are shown in tables and are part of every history key; a name longer than this is a payload
// that took the wrong door.
inline constexpr std::size_t kStepNameCharsMax = 200;
inline constexpr std::size_t kWorkflowNameCharsMax = 200;
inline constexpr std::size_t kQueueNameCharsMax = 100;

// Fits an index key in both stores, a path segment in a URL, and any `prefix_<sha256>`.
inline constexpr std::size_t kRunIdCharsMax = 255;

// A path such as 4.2.1 gains a number per nested scope; children start again from their own root.
inline constexpr std::size_t kPathDepthMax = 32;

// Enough for the reason and a stack of causes; a model's whole answer belongs in the payload.
inline constexpr std::size_t kMessageCharsMax = 4000;

// Labels are index keys that people read and type; a longer value is a payload that took the wrong door.
inline constexpr std::size_t kLabelNameCharsMax = 64;
inline constexpr std::size_t kLabelValueCharsMax = 200;

// So many are given with a submission, and so many names more by the run's own code.
inline constexpr std::size_t kLabelsMax = 32;

// Values that a run exposes are read by people and by pages that show them at once.
inline constexpr std::size_t kExposedMax = 64;
inline constexpr std::size_t kExposedBytesMax = 64 * 1024;

// --- The writer ---------------------------------------------------------------------------------

// About half a second of work at the measured 100,000 writes a second: more waiting than that means
// that the store is down, and callers should be told (Overloaded) instead of queueing.
inline constexpr std::size_t kWriterQueueOpsMax = 65536;

// Past a few thousand rows a larger batch is not faster, only later for those who wait in it.
inline constexpr std::size_t kBatchOpsMax = 4096;

// With 4 MiB payloads, 4096 operations would be one commit of 16 GiB: a batch closes at either bound.
inline constexpr std::size_t kBatchBytesMax = 64 * 1024 * 1024;

// A transaction body runs in SQLite's one writer: for this long nobody else commits.
inline constexpr std::chrono::milliseconds kTransactionTimeMax = std::chrono::seconds{2};

// --- Runs ---------------------------------------------------------------------------------------

// A few KiB each: runs that wait above this are parked on disk and replayed when their event comes.
inline constexpr std::size_t kRunsInMemoryMax = 20000;

// A replay reads the whole history back; an endless loop should `continue_as_new` long before.
inline constexpr std::size_t kHistoryRecordsMax = 1'000'000;

// One fan's branches; each is a record, so this is the history's bound less room to go on.
inline constexpr std::size_t kFanBranchesMax = 900'000;

// From this many deaths of its process, in each of which its own code was executing, a run may be what kills them:
// such suspects run one at a time.
inline constexpr int kSuspectCharges = 2;

// Unread messages of one run: above this the sender is broken, or the receiver is.
inline constexpr std::size_t kUnreadMessagesMax = 10000;

// A message for a run that does not exist yet is kept this long, unless its sender says otherwise.
inline constexpr std::chrono::milliseconds kMessageForNobodyMax = std::chrono::hours{24 * 7};

// One call of `submit` with a batch, or one bulk command, works in transactions of this many runs.
inline constexpr std::size_t kBulkRunsMax = 1000;

// --- Steps --------------------------------------------------------------------------------------

// Blocking steps mostly wait for a network: more threads than cores, few enough that their stacks
// and a database's connections do not matter.
inline constexpr std::size_t kPoolThreadsDefault = 32;

// Work that waits for a pool thread; its runs are in memory anyway, so the bound is theirs.
inline constexpr std::size_t kPoolQueueMax = kRunsInMemoryMax;

// Threads left behind by steps that overran their timeout: a thread cannot be killed, and each one
// keeps what it holds. At this many, new blocking steps wait until some return.
inline constexpr std::size_t kAbandonedThreadsMax = 256;

// Nothing is stuck in silence: a step that gave no timeout has this one. Longer than a slow model
// call, shorter than a person's patience.
inline constexpr std::chrono::milliseconds kStepTimeoutDefault = std::chrono::minutes{5};

// A hook that met a failure of the store when its run was to start is tried again after this: soon
// enough for people, seldom enough not to hold up the others.
inline constexpr std::chrono::milliseconds kHookRetryAfter = std::chrono::seconds{1};

// Attempts are rows; a policy that needs more should sleep in the workflow instead.
inline constexpr int kAttemptsMax = 1000;

// The longest wait between two attempts that a policy or a RetryAfter may ask for.
inline constexpr std::chrono::milliseconds kRetryDelayMax = std::chrono::hours{24};

// --- Time ---------------------------------------------------------------------------------------

// A dead worker's runs are picked up within 5 seconds; a beat at a third leaves room for two lost.
inline constexpr std::chrono::milliseconds kLeaseDefault = std::chrono::milliseconds{4500};

// Timers, notifications and leases have wake-ups of their own; polling is only the net beneath.
inline constexpr std::chrono::milliseconds kPollInterval = std::chrono::seconds{1};

// How long `stop` waits for steps under way before it leaves them to be replayed.
inline constexpr std::chrono::milliseconds kStopGraceDefault = std::chrono::seconds{10};

// --- Time zones and schedules -------------------------------------------------------------------

// The longest name in the IANA database has 32 characters, the largest file 4 KiB; these leave room.
inline constexpr std::size_t kTimeZoneNameCharsMax = 64;
inline constexpr std::size_t kTimeZoneBytesMax = 64 * 1024;

// The longest list of every second has 169 characters; more is a mistake.
inline constexpr std::size_t kCronCharsMax = 256;

// One commit of so many runs, which others wait for; whoever wants more asks again from where it ended.
inline constexpr int kBackfillTicksMax = 1'000;

// A schedule's name and a tick make a run id, which has 255.
inline constexpr std::size_t kScheduleNameCharsMax = 100;

// Catching up is one commit of this many runs, and a week of one a minute.
inline constexpr int kCatchUpTicksMax = 10'000;

// A tick that fires this late was delayed by a busy machine or a restart; later than that it was missed.
inline constexpr std::chrono::milliseconds kScheduleLateMax = std::chrono::minutes{1};

inline constexpr std::chrono::milliseconds kScheduleJitterMax = std::chrono::hours{24};

// --- Queues -------------------------------------------------------------------------------------

// A priority orders runs; more of them than people can keep apart are a sort key that took the wrong door.
inline constexpr int kPriorityMax = 1000;

// Index keys, as run ids are.
inline constexpr std::size_t kPartitionCharsMax = 255;
inline constexpr std::size_t kDedupeIdCharsMax = 255;

// Above these a limit limits nothing.
inline constexpr int kQueueConcurrencyMax = 1'000'000;
inline constexpr int kQueueRateStartsMax = 1'000'000;
inline constexpr std::chrono::milliseconds kQueueRatePeriodMax = std::chrono::hours{24 * 31};

// Up to this many starts a period are remembered to the millisecond. Above it they are counted in a
// thousandth of the period: a token then comes back that much later, never earlier.
inline constexpr int kQueueRateExactStarts = 1000;

// Queues and schedules are read whole, by people and at every look: these are far above anyone's need.
inline constexpr std::size_t kQueuesMax = 10'000;
// Every paid step looks at all that count it.
inline constexpr std::size_t kBudgetsMax = 1000;
inline constexpr std::size_t kSchedulesMax = 10'000;

// Runs whose delay is over or that wake up come into line so many in one claim, so that a hundred thousand
// which are due together do not hold up the writer.
inline constexpr std::int64_t kIntoLineMax = 1000;

// --- Cost ---------------------------------------------------------------------------------------

// A cost is a small record beside every step's result; these keep it below 4 KiB.
inline constexpr std::size_t kCostCurrenciesMax = 8;
inline constexpr std::size_t kCostCountersMax = 32;
inline constexpr std::size_t kCounterNameCharsMax = 64;

// --- Metrics ------------------------------------------------------------------------------------

// Series of one metric: workflows and queues have tens; an id as a label would have millions.
inline constexpr std::size_t kMetricSeriesMax = 1000;
inline constexpr std::size_t kMetricLabelCharsMax = 200;

// --- Live feed ----------------------------------------------------------------------------------

// Events kept for a reader that fell behind; one that is further behind reads the tables again.
inline constexpr std::size_t kFeedEventsMax = 100'000;

// What an event of the engine's carries along of a result or an output; larger ones are read from the run.
inline constexpr std::size_t kFeedPayloadBytesMax = 4096;

// What a program may publish in one event, and the length of its name.
inline constexpr std::size_t kPublishBytesMax = 64 * 1024;
inline constexpr std::size_t kEventTypeCharsMax = 64;

}  // namespace belay::base
