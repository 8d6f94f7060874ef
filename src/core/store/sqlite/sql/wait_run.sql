-- running → waiting. A cancel, a pause or a signal that came meanwhile is in the same row: it wins.
UPDATE workflow_runs
SET status = 'waiting', wake_at = ?3, updated_at = ?4, current_stage = coalesce(?5, current_stage)
WHERE id = ?1 AND epoch = ?2 AND status = 'running' AND NOT cancel_requested AND NOT pause_requested
    AND signals = ?6
