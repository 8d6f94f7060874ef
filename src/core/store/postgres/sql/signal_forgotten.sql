-- The same for those whose sender died between its commit and that signal.
WITH told AS (
    UPDATE workflow_messages SET late = false
    WHERE late AND created_at < extract(epoch FROM clock_timestamp()) * 1000 - $1::bigint
    RETURNING run_id
)
UPDATE workflow_runs
SET signals = signals + 1,
    wake_at = CASE WHEN status = 'waiting'
        THEN (extract(epoch FROM clock_timestamp()) * 1000)::bigint ELSE wake_at END
WHERE public_id IN (SELECT run_id FROM told) AND status IN ('queued', 'running', 'waiting', 'paused')
