-- The next queue by name in which someone stands in line.
SELECT queue
FROM workflow_runs
WHERE turn IS NOT NULL AND status IN ('queued', 'waiting') AND queue > ?1
ORDER BY queue
LIMIT 1
