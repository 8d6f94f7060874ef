-- After that commit: the run may have come to be meanwhile, and have looked before the message was there.
WITH told AS (
    UPDATE workflow_messages SET late = false WHERE run_id = ANY($1::text[]) AND late
)
UPDATE workflow_runs
SET signals = signals + 1,
    wake_at = CASE WHEN status = 'waiting' THEN $2::bigint ELSE wake_at END
WHERE public_id = ANY($1::text[]) AND status IN ('queued', 'running', 'waiting', 'paused')
RETURNING id, worker, status
