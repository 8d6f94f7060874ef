SELECT min(created_at)
FROM workflow_runs
WHERE queue = ?1 AND turn IS NOT NULL AND status IN ('queued', 'waiting')
    AND (?2 = '' OR organization_id = ?2)
