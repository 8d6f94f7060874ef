-- Requests a cancel of a run whose schedule has a newer tick. One that nobody runs becomes due, so that a
-- worker ends it with its hook.
UPDATE workflow_runs
SET cancel_requested = 1,
    request_reason = 'canceled by the next tick of its schedule',
    wake_at = CASE WHEN status = 'running' THEN wake_at ELSE ?2 END,
    status = CASE WHEN status = 'paused' THEN 'queued' ELSE status END,
    turn = NULL,
    updated_at = ?2
WHERE id = ?1
RETURNING signals
