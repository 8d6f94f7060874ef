-- Records of stages that have no row yet, which the writer knows: every row of such a run is its own. Costs half of
-- record_stage.sql, which looks first.
INSERT INTO workflow_stage_runs (
    workflow_run_id, path, stage_key, kind, status, position, attempt, started_at, finished_at,
    next_attempt_at, message, error_code, output, cost, attempts_before)
SELECT *
FROM unnest($1::bigint[], $2::text[], $3::text[], $4::text[], $5::text[], $6::bigint[], $7::bigint[], $8::bigint[],
            $9::bigint[], $10::bigint[], $11::text[], $12::text[], $13::text[], $14::text[], $15::bigint[])
