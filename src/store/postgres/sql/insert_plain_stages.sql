-- insert_stages.sql for steps that succeeded at their first attempt, which are nearly all: an array less for each column that
-- is the same in all of them, because unnest makes a table of every array first.
INSERT INTO workflow_stage_runs (
    workflow_run_id, path, stage_key, kind, status, position, attempt, started_at, finished_at, output,
    attempts_before)
SELECT run, path, stage_key, 'step', 'succeeded', position, 1, started_at, finished_at, output, 0
FROM unnest($1::bigint[], $2::text[], $3::text[], $4::bigint[], $5::bigint[], $6::bigint[], $7::text[])
    AS new (run, path, stage_key, position, started_at, finished_at, output)
