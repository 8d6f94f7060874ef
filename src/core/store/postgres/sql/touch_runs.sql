-- What records change of their runs: the last stage, the progress, that a run is no suspect any more.
UPDATE workflow_runs AS run
SET current_stage = coalesce(touched.stage, run.current_stage),
    progress_done = coalesce(touched.progress_done, run.progress_done),
    progress_total = coalesce(touched.progress_total, run.progress_total),
    progress_text = coalesce(touched.progress_text, run.progress_text),
    recoveries = CASE WHEN touched.innocent = 1 THEN 0 ELSE run.recoveries END,
    charges = CASE WHEN touched.innocent = 1 THEN 0 ELSE run.charges END,
    updated_at = CASE WHEN touched.stage IS NULL AND touched.progress_done IS NULL THEN run.updated_at
                      ELSE $7::bigint END
FROM unnest($1::bigint[], $2::text[], $3::bigint[], $4::bigint[], $5::text[], $6::bigint[])
    AS touched (id, stage, progress_done, progress_total, progress_text, innocent)
WHERE run.id = touched.id
