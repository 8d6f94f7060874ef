-- One run whose code was executing. It is charged once, and only as the box says: at that epoch, in those hands or in
-- nobody's (the claim that its hook was part of died with it), or taken since without a new checkpoint.
INSERT INTO run_deaths (workflow_run_id, epoch, worker, last_seen, stage, charged, reason)
SELECT run.id, ?2, ?3, ?4, ?5, 1, ?6
FROM workflow_runs AS run
WHERE run.id = ?1 AND run.status IN ('queued', 'waiting', 'running')
    AND ((run.epoch = ?2 AND (run.status <> 'running' OR run.worker = ?3))
         OR (run.epoch > ?2 AND run.recoveries > 0
             AND EXISTS (SELECT 1 FROM run_deaths AS death
                         WHERE death.workflow_run_id = ?1 AND death.epoch = ?2 AND death.worker = ?3)))
ON CONFLICT (workflow_run_id, epoch, worker) DO UPDATE
SET stage = excluded.stage, charged = 1, reason = excluded.reason
WHERE run_deaths.charged = 0
