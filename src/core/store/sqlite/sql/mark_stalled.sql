-- Only of a run that has not ended; a mark is taken away from any.
UPDATE workflow_runs
SET stall_reason = ?2,
    stall_text = ?3,
    stalled_at = ?4
WHERE id = ?1
  AND (?2 IS NULL OR NOT (status = 'succeeded' OR status = 'failed' OR status = 'canceled'))
