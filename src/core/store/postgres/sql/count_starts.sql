-- The tokens that have not come back. One from the far future was left by a clock that was wrong.
SELECT coalesce(sum(starts), 0), min(counted_at)
FROM workflow_queue_starts
WHERE queue = $1 AND counted_at > $2 AND counted_at <= $3
