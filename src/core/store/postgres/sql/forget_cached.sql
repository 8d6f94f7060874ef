-- A few of the answers that have expired: the rest goes with later commits. One that another worker has put anew since
-- this looked stays.
DELETE FROM workflow_step_cache
WHERE key IN (SELECT key FROM workflow_step_cache WHERE expires_at <= $1 ORDER BY expires_at LIMIT $2)
    AND expires_at <= $1
