-- 0004 — queues: where runs wait for their turn; and schedules: runs by the clock.
--
-- A run is in line while it has a turn and is queued or waiting. Those without a queue have none, so that
-- the index of what is due finds them as before, and what stands in line costs a claim nothing unless there
-- is a slot. How many run is counted from an index, in the claim's transaction, not kept: it cannot drift.
-- src/model/queue.hpp says how turns are given.

ALTER TABLE workflow_runs ADD COLUMN queue TEXT;
ALTER TABLE workflow_runs ADD COLUMN priority INTEGER NOT NULL DEFAULT 0;
ALTER TABLE workflow_runs ADD COLUMN partition_key TEXT NOT NULL DEFAULT '';
ALTER TABLE workflow_runs ADD COLUMN dedupe_id TEXT;
ALTER TABLE workflow_runs ADD COLUMN turn INTEGER;
ALTER TABLE workflow_runs ADD COLUMN let_in INTEGER NOT NULL DEFAULT 0;
ALTER TABLE workflow_runs ADD COLUMN schedule TEXT;

DROP INDEX workflow_runs_due;
CREATE INDEX workflow_runs_due ON workflow_runs (workflow_key, turn, coalesce(wake_at, created_at))
    WHERE status IN ('queued', 'waiting');

-- The line: who has begun, then who has not, each in the order of its turn.
CREATE INDEX workflow_runs_line ON workflow_runs (queue, workflow_key, turn > 0, priority DESC, turn)
    WHERE turn IS NOT NULL AND status IN ('queued', 'waiting');
-- The last turn of a partition.
CREATE INDEX workflow_runs_partition ON workflow_runs (queue, priority, partition_key, turn)
    WHERE turn IS NOT NULL AND status IN ('queued', 'waiting');
-- How many run, and where; what else is unfinished.
CREATE INDEX workflow_runs_queue ON workflow_runs (queue, status, worker, completed_at)
    WHERE queue IS NOT NULL AND completed_at IS NULL;
CREATE INDEX workflow_runs_dedupe ON workflow_runs (dedupe_id, queue)
    WHERE dedupe_id IS NOT NULL AND completed_at IS NULL;
CREATE INDEX workflow_runs_schedule ON workflow_runs (schedule)
    WHERE schedule IS NOT NULL AND completed_at IS NULL;

CREATE TABLE workflow_queues (
    name TEXT PRIMARY KEY,
    concurrency INTEGER,
    concurrency_per_worker INTEGER,
    rate_starts INTEGER,
    rate_period INTEGER,
    is_paused INTEGER NOT NULL DEFAULT 0,
    pause_reason TEXT,
    declared TEXT,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- The last turn that was served in a lane: a queue and a priority.
CREATE TABLE workflow_queue_lanes (
    queue TEXT NOT NULL,
    priority INTEGER NOT NULL,
    turn INTEGER NOT NULL,
    PRIMARY KEY (queue, priority)
) STRICT, WITHOUT ROWID;

-- The tokens that were taken and have not come back: so many at that time.
CREATE TABLE workflow_queue_starts (
    queue TEXT NOT NULL,
    counted_at INTEGER NOT NULL,
    starts INTEGER NOT NULL,
    PRIMARY KEY (queue, counted_at)
) STRICT, WITHOUT ROWID;

CREATE TABLE workflow_schedules (
    name TEXT PRIMARY KEY,
    workflow_key TEXT NOT NULL,
    cron TEXT NOT NULL,
    zone TEXT NOT NULL,
    input TEXT NOT NULL,
    organization_id TEXT,
    catch_up TEXT NOT NULL,
    catch_up_max INTEGER NOT NULL,
    overlap TEXT NOT NULL,
    is_paused INTEGER NOT NULL DEFAULT 0,
    jitter INTEGER NOT NULL DEFAULT 0,
    start_at INTEGER,
    end_at INTEGER,
    queue TEXT,
    priority INTEGER NOT NULL DEFAULT 0,
    declared TEXT,
    version INTEGER NOT NULL,
    handled_until INTEGER NOT NULL,
    buffered_tick INTEGER,
    last_tick INTEGER,
    last_run_id TEXT,
    fired INTEGER NOT NULL DEFAULT 0,
    lost INTEGER NOT NULL DEFAULT 0,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
