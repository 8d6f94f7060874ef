-- The unfinished run that a submission with this dedupe id joins.
SELECT id
FROM workflow_runs
WHERE dedupe_id = $1 AND queue IS NOT DISTINCT FROM $2 AND organization_id IS NOT DISTINCT FROM $3 AND completed_at IS NULL
ORDER BY id
LIMIT 1
