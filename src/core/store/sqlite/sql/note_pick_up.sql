-- Who took a dead worker's run. The row is there if the worker's black box was read.
INSERT INTO run_deaths (workflow_run_id, epoch, worker, last_seen, picked_up_by, picked_up_at)
VALUES (?1, ?2, ?3, ?4, ?5, ?6)
ON CONFLICT (workflow_run_id, epoch, worker) DO UPDATE
SET picked_up_by = excluded.picked_up_by, picked_up_at = excluded.picked_up_at
