-- The runs that died in a worker's hands, by its black box. Those that somebody has taken already have a row.
INSERT INTO run_deaths (workflow_run_id, epoch, worker, last_seen, reason)
SELECT id, epoch, worker, $2::bigint, $3::text FROM workflow_runs WHERE status = 'running' AND worker = $1
ON CONFLICT (workflow_run_id, epoch, worker) DO NOTHING
