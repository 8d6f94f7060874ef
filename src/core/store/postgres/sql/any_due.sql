SELECT EXISTS (
    SELECT 1
    FROM workflow_runs
    WHERE status IN ('queued', 'waiting') AND workflow_key = $1 AND turn IS NULL AND coalesce(wake_at, created_at) <= $2
        AND ($3::text[] IS NULL OR code_version IS NULL OR code_version LIKE ANY($3::text[])))
