-- Something came that the run may be waiting for. If it waits, it is due; if it runs, its count differs
-- from what it has heard of, so it will not go to wait without having looked (rule 7).
UPDATE workflow_runs
SET signals = signals + 1,
    wake_at = CASE WHEN status = 'waiting' THEN ?2 ELSE wake_at END
WHERE id = ?1 AND status IN ('queued', 'running', 'waiting', 'paused')
RETURNING signals
