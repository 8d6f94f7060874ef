-- 0002 — forks, runs that continue as new, what nothing will wake, and who executes.

ALTER TABLE workflow_runs ADD COLUMN generation INTEGER NOT NULL DEFAULT 0;
ALTER TABLE workflow_runs ADD COLUMN continued_input TEXT;
ALTER TABLE workflow_runs ADD COLUMN forked_from TEXT;
ALTER TABLE workflow_runs ADD COLUMN seed_id TEXT;
ALTER TABLE workflow_runs ADD COLUMN stall_reason TEXT;
ALTER TABLE workflow_runs ADD COLUMN stall_text TEXT;
ALTER TABLE workflow_runs ADD COLUMN stalled_at INTEGER;

-- Few at any time, so that counting and clearing them costs nothing.
CREATE INDEX workflow_runs_stalled ON workflow_runs (id) WHERE stall_reason IS NOT NULL;

-- Was anything of a topic ever sent? Read messages keep their rows, so the answer stays.
CREATE INDEX workflow_messages_topic ON workflow_messages (topic);

-- The worker that executes, with what it defines: a JSON list of workflow keys, its code version and a JSON
-- list of those it takes besides. One row, because one process executes.
CREATE TABLE workflow_workers (
    name TEXT PRIMARY KEY,
    workflow_keys TEXT NOT NULL,
    code_version TEXT NOT NULL,
    compatible_versions TEXT NOT NULL,
    since INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
