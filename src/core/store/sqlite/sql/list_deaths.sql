SELECT epoch, worker, last_seen, picked_up_by, picked_up_at, stage, charged, reason
FROM run_deaths
WHERE workflow_run_id = ?1
ORDER BY epoch, last_seen, worker
