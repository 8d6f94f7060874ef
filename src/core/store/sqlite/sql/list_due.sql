-- Runs whose time has come, in the order they became due: those without a queue, and those that are to
-- come into line. Read only as far as needed.
SELECT id, coalesce(wake_at, created_at), charges, code_version, queue, cancel_requested
FROM workflow_runs
WHERE status IN ('queued', 'waiting') AND workflow_key = ?1 AND turn IS NULL
    AND coalesce(wake_at, created_at) <= ?2
ORDER BY coalesce(wake_at, created_at), id
