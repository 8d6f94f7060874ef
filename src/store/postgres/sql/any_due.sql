SELECT EXISTS (
    SELECT 1
    FROM workflow_runs
    WHERE status IN ('queued', 'waiting') AND workflow_key = $1 AND coalesce(wake_at, created_at) <= $2)
