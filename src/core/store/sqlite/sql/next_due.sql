SELECT coalesce(wake_at, created_at)
FROM workflow_runs
WHERE status IN ('queued', 'waiting') AND workflow_key = ?1 AND turn IS NULL
    AND coalesce(wake_at, created_at) > ?2
ORDER BY coalesce(wake_at, created_at)
LIMIT 1
