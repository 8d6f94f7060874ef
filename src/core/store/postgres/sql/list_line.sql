-- Who stands in line, in their order: $3 is 0 for those that have begun, 1 for the others. The queue's row is locked
-- by the claim, so nobody else takes from this line; rows that are in another's hand are skipped.
SELECT id, coalesce(wake_at, created_at), charges, priority, turn
FROM workflow_runs
WHERE turn IS NOT NULL AND status IN ('queued', 'waiting') AND queue = $1 AND workflow_key = $2
    AND (turn > 0) = ($3::bigint = 1)
    AND ($4::text[] IS NULL OR code_version IS NULL OR code_version LIKE ANY($4::text[]))
    AND charges >= $5::bigint AND charges < $6::bigint
ORDER BY priority DESC, turn, id
LIMIT $7
FOR NO KEY UPDATE SKIP LOCKED
