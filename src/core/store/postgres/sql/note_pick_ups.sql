-- Who took a dead worker's runs. The rows are there if the worker's black box was read.
INSERT INTO run_deaths (workflow_run_id, epoch, worker, last_seen, picked_up_by, picked_up_at)
SELECT taken.*, $5::text, $6::bigint
FROM unnest($1::bigint[], $2::bigint[], $3::text[], $4::bigint[]) AS taken
ON CONFLICT (workflow_run_id, epoch, worker) DO UPDATE
SET picked_up_by = excluded.picked_up_by, picked_up_at = excluded.picked_up_at
