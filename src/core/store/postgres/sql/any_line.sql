SELECT EXISTS (
    SELECT 1
    FROM workflow_runs
    WHERE turn IS NOT NULL AND status IN ('queued', 'waiting') AND queue = $1 AND workflow_key = $2
        AND (turn > 0) = ($3::bigint = 1)
        AND ($4::text[] IS NULL OR code_version IS NULL OR code_version LIKE ANY($4::text[])))
