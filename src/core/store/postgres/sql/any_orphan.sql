SELECT EXISTS (
    SELECT 1
    FROM workflow_runs
    WHERE status = 'running' AND worker = $1 AND workflow_key = $2
        AND ($3::text[] IS NULL OR code_version IS NULL OR code_version LIKE ANY($3::text[])))
