-- 0001 — runs, their stages and attempts, who is alive, and what other processes ask for.
--
-- The columns are the SQLite store's. Identifiers collate by byte ("C"): ranges of paths depend on it, and
-- such indexes are faster. Times are milliseconds of UTC. The lists of statuses are those of
-- src/model/transitions.hpp.
--
-- Updates that leave the status alone stay on their page (HOT), for which pages of runs are not filled up.
-- What is claimed has partial indexes, so that ten million finished runs cost a claim nothing.

CREATE TABLE belay_meta (
    key text PRIMARY KEY,
    value bigint NOT NULL
) WITH (fillfactor = 50);

INSERT INTO belay_meta (key, value) VALUES ('session', 0), ('reopened', 0), ('run_number', 0);

-- A worker beats by moving its expires_at, on the database's clock; 0: it has stopped. Whoever writes under a
-- lease holds its worker's row FOR KEY SHARE; whoever takes a running run away holds it FOR UPDATE. That
-- orders every takeover before or after every write of the worker it takes from (P5), with one lock a batch.
CREATE TABLE belay_workers (
    name text COLLATE "C" PRIMARY KEY,
    expires_at bigint NOT NULL,
    started_at bigint NOT NULL
) WITH (fillfactor = 50);

CREATE TABLE workflow_runs (
    id bigint PRIMARY KEY,
    public_id text COLLATE "C" NOT NULL UNIQUE,
    workflow_key text COLLATE "C" NOT NULL,
    status text COLLATE "C" NOT NULL DEFAULT 'queued' CHECK (
        status IN ('running', 'succeeded', 'queued', 'waiting', 'paused', 'failed', 'canceled')),
    current_stage text NOT NULL DEFAULT 'queued',
    worker text COLLATE "C" NOT NULL DEFAULT '',
    epoch bigint NOT NULL DEFAULT 0,
    attempts bigint NOT NULL DEFAULT 1,
    recoveries bigint NOT NULL DEFAULT 0,
    cancel_requested boolean NOT NULL DEFAULT false,
    pause_requested boolean NOT NULL DEFAULT false,
    request_reason text,
    wake_at bigint,
    created_at bigint NOT NULL,
    updated_at bigint NOT NULL,
    started_at bigint,
    completed_at bigint,
    organization_id text COLLATE "C",
    source_channel text,
    file_id text COLLATE "C",
    content_hash text COLLATE "C",
    code_version text,
    progress_done bigint,
    progress_total bigint,
    progress_text text,
    error_code text,
    error_message text,
    error_stage text,
    error_path text,
    parent_id bigint,
    parent_path text COLLATE "C",
    deadline_at bigint,
    signals bigint NOT NULL DEFAULT 0,
    is_awaited boolean NOT NULL DEFAULT false,
    generation bigint NOT NULL DEFAULT 0,
    continued_input text,
    forked_from text,
    seed_id text,
    stall_reason text,
    stall_text text,
    stalled_at bigint,
    saved text,
    queue text COLLATE "C",
    priority bigint NOT NULL DEFAULT 0,
    partition_key text COLLATE "C" NOT NULL DEFAULT '',
    dedupe_id text COLLATE "C",
    turn bigint,
    let_in bigint NOT NULL DEFAULT 0,
    schedule text COLLATE "C",
    input text NOT NULL,
    result text
) WITH (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02,
        autovacuum_vacuum_cost_delay = 0);

-- Claims. A run without a wake_at has been due since it was created.
CREATE INDEX workflow_runs_due ON workflow_runs (workflow_key, coalesce(wake_at, created_at), id)
    WHERE status IN ('queued', 'waiting') AND turn IS NULL;
-- What is queued or waits, in line or not: counted and listed.
CREATE INDEX workflow_runs_open ON workflow_runs (workflow_key, id) WHERE status IN ('queued', 'waiting');
CREATE INDEX workflow_runs_suspects ON workflow_runs (workflow_key, coalesce(wake_at, created_at), id)
    WHERE status IN ('queued', 'waiting') AND recoveries >= 2;
CREATE INDEX workflow_runs_running ON workflow_runs (worker, workflow_key, recoveries, id)
    WHERE status = 'running';

-- The line: who has begun, then who has not, each in the order of its turn.
CREATE INDEX workflow_runs_line ON workflow_runs (queue, workflow_key, (turn > 0), priority DESC, turn, id)
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

-- What people look for: what went wrong, one workflow, one organization, one file.
CREATE INDEX workflow_runs_stopped ON workflow_runs (status, id)
    WHERE status IN ('paused', 'failed', 'canceled');
CREATE INDEX workflow_runs_workflow_key ON workflow_runs (workflow_key, id);
CREATE INDEX workflow_runs_organization_id ON workflow_runs (organization_id, id)
    WHERE organization_id IS NOT NULL;
CREATE INDEX workflow_runs_file_id ON workflow_runs (file_id) WHERE file_id IS NOT NULL;
CREATE INDEX workflow_runs_content_hash ON workflow_runs (content_hash)
    WHERE content_hash IS NOT NULL;
CREATE INDEX workflow_runs_stalled ON workflow_runs (id) WHERE stall_reason IS NOT NULL;
-- What the ledger adds up, and retention lets go.
CREATE INDEX workflow_runs_completed_at ON workflow_runs (completed_at) WHERE completed_at IS NOT NULL;
CREATE INDEX workflow_runs_parent_id ON workflow_runs (parent_id, parent_path)
    WHERE parent_id IS NOT NULL;

-- Who waits for the end of a run, and at which stage.
CREATE TABLE workflow_waiters (
    workflow_run_id bigint NOT NULL,
    waiter_id bigint NOT NULL,
    path text COLLATE "C" NOT NULL,
    PRIMARY KEY (workflow_run_id, waiter_id, path)
);

CREATE INDEX workflow_waiters_waiter ON workflow_waiters (waiter_id);

-- Messages, by the public id of the run they are for, because it may not exist yet. One that was read
-- keeps its row, without its payload, so that its dedupe key is remembered.
CREATE TABLE workflow_messages (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    run_id text COLLATE "C" NOT NULL,
    topic text COLLATE "C" NOT NULL,
    payload text,
    organization_id text COLLATE "C",
    dedupe_key text COLLATE "C",
    created_at bigint NOT NULL,
    expires_at bigint,
    read_at bigint
);

CREATE INDEX workflow_messages_unread ON workflow_messages (run_id, topic, id) WHERE read_at IS NULL;
CREATE UNIQUE INDEX workflow_messages_dedupe ON workflow_messages (run_id, dedupe_key)
    WHERE dedupe_key IS NOT NULL;
CREATE INDEX workflow_messages_topic ON workflow_messages (topic);
CREATE INDEX workflow_messages_expiry ON workflow_messages (expires_at) WHERE expires_at IS NOT NULL;

-- No foreign key to the run: a stage is only written under a lease, whose check has just seen the run.
-- The id says which came first; nothing is looked up by it alone, so it has no index.
CREATE TABLE workflow_stage_runs (
    id bigint GENERATED ALWAYS AS IDENTITY,
    workflow_run_id bigint NOT NULL,
    path text COLLATE "C" NOT NULL,
    stage_key text NOT NULL,
    kind text NOT NULL,
    status text COLLATE "C" NOT NULL CHECK (
        status IN ('succeeded', 'running', 'retrying', 'failed', 'queued', 'skipped', 'canceled')),
    position bigint NOT NULL,
    attempt bigint NOT NULL,
    attempts_before bigint NOT NULL,
    started_at bigint,
    finished_at bigint,
    next_attempt_at bigint,
    message text,
    error_code text,
    output text,
    cost text,
    PRIMARY KEY (workflow_run_id, path)
) WITH (fillfactor = 90, autovacuum_vacuum_insert_scale_factor = 0.1, autovacuum_vacuum_cost_delay = 0);

CREATE INDEX workflow_stage_runs_cost ON workflow_stage_runs (workflow_run_id) WHERE cost IS NOT NULL;
-- Who still awaits a run, for retention: the id of the child is the output of a stage that is open.
CREATE INDEX workflow_stage_runs_child ON workflow_stage_runs (output)
    WHERE kind = 'child' AND status IN ('running', 'queued');

CREATE TABLE workflow_stage_attempts (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    workflow_run_id bigint NOT NULL,
    path text COLLATE "C" NOT NULL,
    attempt bigint NOT NULL,
    started_at bigint,
    finished_at bigint NOT NULL,
    error_code text,
    message text,
    worker text
);

CREATE INDEX workflow_stage_attempts_run ON workflow_stage_attempts (workflow_run_id, path);

-- The workers with what they define: a JSON list of workflow keys, their code version and a JSON list of those
-- they take besides.
CREATE TABLE workflow_workers (
    name text COLLATE "C" PRIMARY KEY,
    workflow_keys text NOT NULL,
    code_version text NOT NULL,
    compatible_versions text NOT NULL,
    since bigint NOT NULL
);

-- Answers of steps by key (organization and step included).
CREATE TABLE workflow_step_cache (
    key text COLLATE "C" PRIMARY KEY,
    output text NOT NULL,
    cost text,
    created_at bigint NOT NULL,
    expires_at bigint NOT NULL
);

CREATE INDEX workflow_step_cache_expiry ON workflow_step_cache (expires_at);

-- An id that was used stays used (P3) when its run is deleted.
CREATE TABLE workflow_tombstones (
    public_id text COLLATE "C" PRIMARY KEY,
    workflow_key text NOT NULL,
    organization_id text,
    status text NOT NULL,
    input_hash text NOT NULL,
    completed_at bigint,
    deleted_at bigint NOT NULL
);

-- The sums of deleted runs, by day of their end (milliseconds of its beginning).
CREATE TABLE workflow_ledger (
    day bigint NOT NULL,
    workflow_key text COLLATE "C" NOT NULL,
    organization_id text COLLATE "C" NOT NULL,
    sums text NOT NULL,
    PRIMARY KEY (day, workflow_key, organization_id)
);

-- Runs that are gone and whose stages were too many for one commit.
CREATE TABLE workflow_runs_gone (
    workflow_run_id bigint PRIMARY KEY
);

CREATE TABLE workflow_queues (
    name text COLLATE "C" PRIMARY KEY,
    concurrency bigint,
    concurrency_per_worker bigint,
    rate_starts bigint,
    rate_period bigint,
    is_paused bigint NOT NULL DEFAULT 0,
    pause_reason text COLLATE "C",
    declared text COLLATE "C",
    created_at bigint NOT NULL,
    updated_at bigint NOT NULL
);

-- The last turn that was served in a lane: a queue and a priority.
CREATE TABLE workflow_queue_lanes (
    queue text COLLATE "C" NOT NULL,
    priority bigint NOT NULL,
    turn bigint NOT NULL,
    PRIMARY KEY (queue, priority)
);

-- The tokens that were taken and have not come back: so many at that time.
CREATE TABLE workflow_queue_starts (
    queue text COLLATE "C" NOT NULL,
    counted_at bigint NOT NULL,
    starts bigint NOT NULL,
    PRIMARY KEY (queue, counted_at)
);

CREATE TABLE workflow_schedules (
    name text COLLATE "C" PRIMARY KEY,
    workflow_key text COLLATE "C" NOT NULL,
    cron text COLLATE "C" NOT NULL,
    zone text COLLATE "C" NOT NULL,
    input text COLLATE "C" NOT NULL,
    organization_id text COLLATE "C",
    catch_up text COLLATE "C" NOT NULL,
    catch_up_max bigint NOT NULL,
    overlap text COLLATE "C" NOT NULL,
    is_paused bigint NOT NULL DEFAULT 0,
    jitter bigint NOT NULL DEFAULT 0,
    start_at bigint,
    end_at bigint,
    queue text COLLATE "C",
    priority bigint NOT NULL DEFAULT 0,
    declared text COLLATE "C",
    version bigint NOT NULL,
    handled_until bigint NOT NULL,
    buffered_tick bigint,
    last_tick bigint,
    last_run_id text COLLATE "C",
    fired bigint NOT NULL DEFAULT 0,
    lost bigint NOT NULL DEFAULT 0,
    created_at bigint NOT NULL,
    updated_at bigint NOT NULL
);

-- A request is handled by one of the workers: the one that took it, while that one is alive.
CREATE TABLE control_requests (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    kind text NOT NULL,
    run_id text NOT NULL DEFAULT '',
    payload text NOT NULL DEFAULT '',
    created_at bigint NOT NULL,
    taken_by text COLLATE "C",
    answered_at bigint,
    ok boolean,
    answer text
);

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
             WHERE stage.workflow_run_id = run.id
             ORDER BY stage.id DESC
             LIMIT 1),
            run.current_stage)
    END AS current_stage,
    run.attempts,
    run.error_code,
    run.error_message,
    run.organization_id,
    run.file_id,
    run.content_hash,
    to_char(to_timestamp(run.created_at / 1000.0) AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS created_at,
    to_char(to_timestamp(run.updated_at / 1000.0) AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS updated_at,
    to_char(to_timestamp(run.completed_at / 1000.0) AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
        AS completed_at
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
    to_char(to_timestamp(stage.started_at / 1000.0) AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
        AS started_at,
    to_char(to_timestamp(stage.finished_at / 1000.0) AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
        AS finished_at,
    (stage.finished_at - stage.started_at) / 1000.0 AS duration_seconds,
    left(stage.message, 200) AS message
FROM workflow_stage_runs AS stage
JOIN workflow_runs AS run ON run.id = stage.workflow_run_id;
