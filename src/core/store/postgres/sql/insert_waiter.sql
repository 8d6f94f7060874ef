INSERT INTO workflow_waiters (workflow_run_id, waiter_id, path) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING
