-- Suspects that were in nobody's hands when that worker died: it was not they, unless
-- they are charged with it all the same: a claim dies with its start hook. A worker that beats has its own in hand;
-- rows that somebody is working on at this moment are in hand, too.
UPDATE workflow_runs AS run
SET charges = 0
FROM (SELECT id FROM workflow_runs
      WHERE charges >= 2 AND charges >= $2::bigint AND status IN ('queued', 'waiting', 'running')
      ORDER BY id FOR NO KEY UPDATE SKIP LOCKED) AS suspect
WHERE run.id = suspect.id
    AND NOT EXISTS (SELECT 1 FROM run_deaths AS death
                    WHERE death.workflow_run_id = run.id AND death.worker = $1::text AND death.charged = 1)
    -- Seen raising the signal itself, by its own thread: that others die as well does not clear it.
    AND coalesce((SELECT death.reason FROM run_deaths AS death
                  WHERE death.workflow_run_id = run.id AND death.charged = 1
                  ORDER BY death.epoch DESC LIMIT 1), '') <> 'signal'
    AND (run.status <> 'running'
         OR (run.worker <> $1::text
             AND NOT EXISTS (SELECT 1 FROM belay_workers AS worker
                             WHERE worker.name = run.worker
                                 AND worker.expires_at > (extract(epoch FROM clock_timestamp()) * 1000)::bigint)))
