-- What is kept free for calls under way, or was asked: of one run, and of a day. That of a run which is over is given
-- back by its end, and not by a statement that an end could forget.
SELECT kept.workflow_run_id, kept.path, kept.day, kept.organization_id, kept.workflow_key, kept.at_most, kept.cost_before,
    kept.asked
FROM workflow_reservations AS kept JOIN workflow_runs AS run ON run.id = kept.workflow_run_id
WHERE (kept.workflow_run_id = ?1 OR kept.day = ?2) AND run.status IN ('queued', 'running', 'waiting', 'paused')
ORDER BY kept.workflow_run_id, kept.path
