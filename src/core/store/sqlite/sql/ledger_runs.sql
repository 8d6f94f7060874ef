-- Runs that ended in a time, by day, workflow, organization and status.
SELECT completed_at / 86400000 * 86400000 AS day, workflow_key, coalesce(organization_id, ''), status, count(*)
FROM workflow_runs
WHERE completed_at >= ?1 AND completed_at < ?2
    AND (?3 = '' OR workflow_key = ?3) AND (?4 = '' OR organization_id = ?4)
GROUP BY 1, 2, 3, 4
