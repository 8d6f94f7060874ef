-- Runs of a worker that is gone, charged between $3 and $4 times: the least suspected first,
-- then the oldest, which is the order of the index. That worker's row is locked.
SELECT id, charges
FROM workflow_runs
WHERE status = 'running' AND workflow_key = $1 AND worker = $2 AND charges BETWEEN $3 AND $4
    AND ($6::text[] IS NULL OR code_version IS NULL OR code_version LIKE ANY($6::text[]))
ORDER BY charges, id
LIMIT $5
