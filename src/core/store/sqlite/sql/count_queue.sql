-- How the unfinished runs of a queue stand, all or one organization's: by status, and of those how many are
-- in line.
SELECT status, count(*), sum(turn IS NOT NULL AND status IN ('queued', 'waiting'))
FROM workflow_runs
WHERE queue = ?1 AND completed_at IS NULL AND (?2 = '' OR organization_id = ?2)
GROUP BY status
