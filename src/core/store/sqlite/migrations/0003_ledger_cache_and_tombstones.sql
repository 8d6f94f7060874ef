-- 0002 — what runs cost and saved, answers kept for other runs, and what is left of runs that went.
--
-- Nothing here is written by a step that neither costs nor caches: the hot path pays for no new index. The
-- indexes of stages are partial for that reason.

ALTER TABLE workflow_runs ADD COLUMN saved TEXT;

-- Answers of steps by key (organization and step included).
CREATE TABLE workflow_step_cache (
    key TEXT PRIMARY KEY,
    output TEXT NOT NULL,
    cost TEXT,
    created_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX workflow_step_cache_expiry ON workflow_step_cache (expires_at);

-- An id that was used stays used (P3) when its run is deleted.
CREATE TABLE workflow_tombstones (
    public_id TEXT PRIMARY KEY,
    workflow_key TEXT NOT NULL,
    organization_id TEXT,
    status TEXT NOT NULL,
    input_hash TEXT NOT NULL,
    completed_at INTEGER,
    deleted_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- The sums of deleted runs, by day of their end (milliseconds of its beginning).
CREATE TABLE workflow_ledger (
    day INTEGER NOT NULL,
    workflow_key TEXT NOT NULL,
    organization_id TEXT NOT NULL,
    sums TEXT NOT NULL,
    PRIMARY KEY (day, workflow_key, organization_id)
) STRICT, WITHOUT ROWID;

-- Runs that are gone and whose stages were too many for one commit.
CREATE TABLE workflow_runs_gone (
    workflow_run_id INTEGER PRIMARY KEY
) STRICT;

-- A number that was given to a run is never given to another: rows of other runs may refer to it.
INSERT INTO belay_meta (key, value) VALUES ('last_deleted_run', 0);

CREATE INDEX workflow_stage_runs_cost ON workflow_stage_runs (workflow_run_id) WHERE cost IS NOT NULL;

-- Who still awaits a run, for retention: the id of the child is the output of a stage that is open.
CREATE INDEX workflow_stage_runs_child ON workflow_stage_runs (output)
    WHERE kind = 'child' AND (status = 'running' OR status = 'queued');

-- Values that are in a file: the collector asks which files are named.
CREATE INDEX workflow_stage_runs_blob ON workflow_stage_runs (output)
    WHERE output >= 'blob:' AND output < 'blob;';
CREATE INDEX workflow_runs_input_blob ON workflow_runs (input) WHERE input >= 'blob:' AND input < 'blob;';
CREATE INDEX workflow_runs_result_blob ON workflow_runs (result)
    WHERE result >= 'blob:' AND result < 'blob;';
CREATE INDEX workflow_step_cache_blob ON workflow_step_cache (output)
    WHERE output >= 'blob:' AND output < 'blob;';
