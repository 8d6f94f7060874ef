-- The unfinished runs of a schedule, oldest first.
SELECT id FROM workflow_runs WHERE schedule = ?1 AND completed_at IS NULL ORDER BY id
