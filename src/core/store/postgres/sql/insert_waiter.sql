-- Also again, of a run that had ended and was opened by a retry.
INSERT INTO workflow_waiters (workflow_run_id, waiter_id, path) VALUES ($1, $2, $3)
ON CONFLICT (workflow_run_id, waiter_id, path) DO UPDATE SET came = false
