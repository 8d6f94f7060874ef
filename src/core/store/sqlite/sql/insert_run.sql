-- A new run, unless its public id exists. Two submissions of one id: the second changes nothing and
-- finds the row that the first wrote (P3).
INSERT INTO workflow_runs (
    public_id, workflow_key, input, organization_id, source_channel, file_id, content_hash,
    code_version, created_at, updated_at, wake_at, status, worker, epoch, started_at,
    parent_id, parent_path, deadline_at, forked_from, seed_id, id,
    queue, priority, partition_key, dedupe_id, turn, schedule)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20,
    ?21, ?22, ?23, ?24, ?25, ?26)
ON CONFLICT (public_id) DO NOTHING
