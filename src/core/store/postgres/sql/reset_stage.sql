-- To be run again; its failed attempts stay beside it, and a step's checkpoint, where it goes on from. A success is
-- never run again (P1).
UPDATE workflow_stage_runs
SET status = 'queued', finished_at = NULL, next_attempt_at = NULL,
    output = CASE WHEN kind = 'step' THEN output END
WHERE workflow_run_id = $1 AND path = $2 AND status <> 'succeeded'
