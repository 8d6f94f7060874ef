-- Tokens that have come back.
DELETE FROM workflow_queue_starts WHERE queue = $1 AND (counted_at <= $2 OR counted_at > $3)
