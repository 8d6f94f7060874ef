-- One run whose code was executing. It is charged once, and only as the box says: in that worker's hands, also when it had
-- taken it anew meanwhile and the old code still executed; or taken by others since without a new checkpoint; or, at
-- that epoch, in nobody's (the claim that its hook was part of died with it).
INSERT INTO run_deaths (workflow_run_id, epoch, worker, last_seen, stage, charged, reason)
SELECT run.id, coalesce(noted.epoch, ?2), ?3, ?4, ?5, 1, ?6
FROM workflow_runs AS run
LEFT JOIN (SELECT max(epoch) AS epoch FROM run_deaths
           WHERE workflow_run_id = ?1 AND worker = ?3 AND epoch >= ?2) AS noted ON true
WHERE run.id = ?1 AND run.status IN ('queued', 'waiting', 'running')
    AND (run.epoch = noted.epoch OR (run.epoch > noted.epoch AND run.recoveries > 0)
         OR (run.epoch = ?2 AND run.status <> 'running'))
ON CONFLICT (workflow_run_id, epoch, worker) DO UPDATE
SET stage = excluded.stage, charged = 1, reason = excluded.reason
WHERE run_deaths.charged = 0
