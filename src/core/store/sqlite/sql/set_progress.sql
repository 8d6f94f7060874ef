UPDATE workflow_runs
SET progress_done = ?2, progress_total = ?3, progress_text = ?4, updated_at = ?5
WHERE id = ?1
