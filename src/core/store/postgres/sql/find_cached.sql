-- The answer to a key, unless it has expired.
SELECT output, cost FROM workflow_step_cache WHERE key = $1 AND expires_at > $2
