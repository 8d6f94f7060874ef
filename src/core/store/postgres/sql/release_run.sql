-- running → queued, due at once.
UPDATE workflow_runs
SET status = 'queued', updated_at = $3, current_stage = coalesce($4, current_stage)
WHERE id = $1 AND epoch = $2 AND status = 'running'
