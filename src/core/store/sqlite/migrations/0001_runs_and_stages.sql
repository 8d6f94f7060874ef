-- 0001 — runs, their stages and attempts, and what other processes ask for.
--
-- Rows cluster on the integer run number: group commit then appends to the right edge of every tree.
-- The public id is a unique column, never the key. Times are milliseconds of UTC. The lists of
-- statuses are those of src/model/transitions.hpp; schema_test.cpp compares them. They are written with
-- OR because SQLite builds a table of its own for an IN of more than two, in every statement.
--
-- Indexes are few because each is paid for in every commit. What is claimed has partial ones, so that a
-- million finished runs cost a claim nothing.

CREATE TABLE belay_meta (
    key TEXT PRIMARY KEY,
    value INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

INSERT INTO belay_meta (key, value) VALUES ('session', 0), ('reopened', 0);

CREATE TABLE workflow_runs (
    id INTEGER PRIMARY KEY,
    public_id TEXT NOT NULL UNIQUE,
    workflow_key TEXT NOT NULL,
    status TEXT NOT NULL DEFAULT 'queued' CHECK (
        status = 'running' OR status = 'succeeded' OR status = 'queued' OR status = 'waiting'
        OR status = 'paused' OR status = 'failed' OR status = 'canceled'),
    current_stage TEXT NOT NULL DEFAULT 'queued',
    worker TEXT NOT NULL DEFAULT '',
    epoch INTEGER NOT NULL DEFAULT 0,
    attempts INTEGER NOT NULL DEFAULT 1,
    recoveries INTEGER NOT NULL DEFAULT 0,
    cancel_requested INTEGER NOT NULL DEFAULT 0,
    pause_requested INTEGER NOT NULL DEFAULT 0,
    request_reason TEXT,
    wake_at INTEGER,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    started_at INTEGER,
    completed_at INTEGER,
    organization_id TEXT,
    source_channel TEXT,
    file_id TEXT,
    content_hash TEXT,
    code_version TEXT,
    progress_done INTEGER,
    progress_total INTEGER,
    progress_text TEXT,
    error_code TEXT,
    error_message TEXT,
    error_stage TEXT,
    error_path TEXT,
    parent_id INTEGER,
    parent_path TEXT,
    deadline_at INTEGER,
    signals INTEGER NOT NULL DEFAULT 0,
    is_awaited INTEGER NOT NULL DEFAULT 0,
    input TEXT NOT NULL,
    result TEXT
) STRICT;

-- Claims. A run without a wake_at has been due since it was created. The worker and the recoveries are
-- in the second one so that a claim never walks over what it holds itself, nor over suspects it may not
-- take.
CREATE INDEX workflow_runs_due ON workflow_runs (workflow_key, coalesce(wake_at, created_at))
    WHERE status IN ('queued', 'waiting');
CREATE INDEX workflow_runs_running ON workflow_runs (workflow_key, worker, recoveries)
    WHERE status = 'running';

-- What people look for: what went wrong, one workflow, one organization, one file.
CREATE INDEX workflow_runs_stopped ON workflow_runs (status)
    WHERE status = 'paused' OR status = 'failed' OR status = 'canceled';
CREATE INDEX workflow_runs_workflow_key ON workflow_runs (workflow_key);
CREATE INDEX workflow_runs_organization_id ON workflow_runs (organization_id)
    WHERE organization_id IS NOT NULL;
CREATE INDEX workflow_runs_file_id ON workflow_runs (file_id) WHERE file_id IS NOT NULL;
CREATE INDEX workflow_runs_content_hash ON workflow_runs (content_hash)
    WHERE content_hash IS NOT NULL;

CREATE INDEX workflow_runs_parent_id ON workflow_runs (parent_id, parent_path)
    WHERE parent_id IS NOT NULL;

-- Who waits for the end of a run, and at which stage.
CREATE TABLE workflow_waiters (
    workflow_run_id INTEGER NOT NULL,
    waiter_id INTEGER NOT NULL,
    path TEXT NOT NULL,
    PRIMARY KEY (workflow_run_id, waiter_id, path)
) STRICT, WITHOUT ROWID;

CREATE INDEX workflow_waiters_waiter ON workflow_waiters (waiter_id);

-- Messages, by the public id of the run they are for, because it may not exist yet. One that was read
-- keeps its row, without its payload, so that its dedupe key is remembered.
CREATE TABLE workflow_messages (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    run_id TEXT NOT NULL,
    topic TEXT NOT NULL,
    payload TEXT,
    organization_id TEXT,
    dedupe_key TEXT,
    created_at INTEGER NOT NULL,
    expires_at INTEGER,
    read_at INTEGER
) STRICT;

CREATE INDEX workflow_messages_unread ON workflow_messages (run_id, topic, id) WHERE read_at IS NULL;
CREATE UNIQUE INDEX workflow_messages_dedupe ON workflow_messages (run_id, dedupe_key)
    WHERE dedupe_key IS NOT NULL;
CREATE INDEX workflow_messages_expiry ON workflow_messages (expires_at) WHERE expires_at IS NOT NULL;

-- No foreign key to the run: a stage is only written under a lease, whose check has just seen the run.
CREATE TABLE workflow_stage_runs (
    id INTEGER PRIMARY KEY,
    workflow_run_id INTEGER NOT NULL,
    path TEXT NOT NULL,
    stage_key TEXT NOT NULL,
    kind TEXT NOT NULL,
    status TEXT NOT NULL CHECK (
        status = 'succeeded' OR status = 'running' OR status = 'retrying' OR status = 'failed'
        OR status = 'queued' OR status = 'skipped' OR status = 'canceled'),
    position INTEGER NOT NULL,
    attempt INTEGER NOT NULL,
    attempts_before INTEGER NOT NULL,
    started_at INTEGER,
    finished_at INTEGER,
    next_attempt_at INTEGER,
    message TEXT,
    error_code TEXT,
    output TEXT,
    cost TEXT,
    UNIQUE (workflow_run_id, path)
) STRICT;

CREATE TABLE workflow_stage_attempts (
    id INTEGER PRIMARY KEY,
    workflow_run_id INTEGER NOT NULL,
    path TEXT NOT NULL,
    attempt INTEGER NOT NULL,
    started_at INTEGER,
    finished_at INTEGER NOT NULL,
    error_code TEXT,
    message TEXT,
    worker TEXT
) STRICT;

CREATE INDEX workflow_stage_attempts_run ON workflow_stage_attempts (workflow_run_id, path);

-- AUTOINCREMENT: an id that was answered and cleaned up must never be given to another request.
CREATE TABLE control_requests (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    kind TEXT NOT NULL,
    run_id TEXT NOT NULL DEFAULT '',
    payload TEXT NOT NULL DEFAULT '',
    created_at INTEGER NOT NULL,
    answered_at INTEGER,
    ok INTEGER,
    answer TEXT
) STRICT;

CREATE INDEX control_requests_open ON control_requests (id) WHERE answered_at IS NULL;

-- For people with a SQL prompt. The columns of the file join in when unified_files exists.
CREATE VIEW v_workflow_overview AS
SELECT
    run.id AS workflow_run_id,
    run.public_id,
    run.workflow_key,
    run.source_channel,
    run.status,
    CASE
        WHEN run.status <> 'running' THEN run.current_stage
        ELSE coalesce(
            (SELECT stage.stage_key
             FROM workflow_stage_runs AS stage
             WHERE stage.id = (SELECT max(newest.id)
                               FROM workflow_stage_runs AS newest
                               WHERE newest.workflow_run_id = run.id)),
            run.current_stage)
    END AS current_stage,
    run.attempts,
    run.error_code,
    run.error_message,
    run.organization_id,
    run.file_id,
    run.content_hash,
    strftime('%Y-%m-%dT%H:%M:%fZ', run.created_at / 1000.0, 'unixepoch') AS created_at,
    strftime('%Y-%m-%dT%H:%M:%fZ', run.updated_at / 1000.0, 'unixepoch') AS updated_at,
    strftime('%Y-%m-%dT%H:%M:%fZ', run.completed_at / 1000.0, 'unixepoch') AS completed_at
FROM workflow_runs AS run;

CREATE VIEW v_workflow_stages AS
SELECT
    stage.workflow_run_id,
    run.public_id,
    run.workflow_key,
    stage.position,
    stage.path,
    stage.stage_key,
    stage.status,
    stage.attempt,
    strftime('%Y-%m-%dT%H:%M:%fZ', stage.started_at / 1000.0, 'unixepoch') AS started_at,
    strftime('%Y-%m-%dT%H:%M:%fZ', stage.finished_at / 1000.0, 'unixepoch') AS finished_at,
    (stage.finished_at - stage.started_at) / 1000.0 AS duration_seconds,
    substr(stage.message, 1, 200) AS message
FROM workflow_stage_runs AS stage
JOIN workflow_runs AS run ON run.id = stage.workflow_run_id;
