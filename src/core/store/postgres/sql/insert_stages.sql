-- Records of stages that have no row yet, which the writer knows: every row of such a run is its own. Costs half of
-- record_stage.sql, which looks first. Arrays are unnested side by side in the SELECT: in FROM,
-- each would become a table of its own first, which is a seventh of the work.
INSERT INTO workflow_stage_runs (
    workflow_run_id, path, stage_key, kind, status, position, attempt, started_at, finished_at,
    next_attempt_at, message, error_code, output, cost, attempts_before)
SELECT unnest($1::bigint[]), unnest($2::text[]), unnest($3::text[]), unnest($4::text[]), unnest($5::text[]),
       unnest($6::bigint[]), unnest($7::bigint[]), unnest($8::bigint[]), unnest($9::bigint[]), unnest($10::bigint[]),
       unnest($11::text[]), unnest($12::text[]), unnest($13::text[]), unnest($14::text[]), unnest($15::bigint[])
