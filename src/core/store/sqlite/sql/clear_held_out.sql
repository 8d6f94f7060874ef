-- Suspects that were in nobody's hands when that worker died: it was not they, unless
-- they are charged with it all the same: a claim dies with its start hook. One process executes, so whoever is
-- not under its name was in none.
UPDATE workflow_runs
SET charges = 0
WHERE charges >= 2 AND charges >= ?2 AND status IN ('queued', 'waiting', 'running')
    AND (status <> 'running' OR worker <> ?1)
    AND NOT EXISTS (SELECT 1 FROM run_deaths AS death
                    WHERE death.workflow_run_id = workflow_runs.id AND death.worker = ?1 AND death.charged = 1)
    -- Seen raising the signal itself, by its own thread: that others die as well does not clear it.
    AND coalesce((SELECT death.reason FROM run_deaths AS death
                  WHERE death.workflow_run_id = workflow_runs.id AND death.charged = 1
                  ORDER BY death.epoch DESC LIMIT 1), '') <> 'signal'
