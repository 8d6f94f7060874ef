-- What a fan's outcome leaves behind, in the same commit: a branch that ended before keeps its record.
-- '/' is the character after '.', so the range is every path inside ?2 and nothing else.
UPDATE workflow_stage_runs
SET status = 'skipped', finished_at = ?3, next_attempt_at = NULL
WHERE workflow_run_id = ?1 AND path > ?2 || '.' AND path < ?2 || '/'
    AND status IN ('queued', 'running', 'retrying')
