-- Who stands in line, in their order: ?3 is 0 for those that have begun, 1 for the others.
SELECT id, coalesce(wake_at, created_at), charges, priority, turn, code_version
FROM workflow_runs
WHERE turn IS NOT NULL AND status IN ('queued', 'waiting') AND queue = ?1 AND workflow_key = ?2
    AND (turn > 0) = ?3
ORDER BY priority DESC, turn, id
