SELECT id, topic, payload, created_at, expires_at, read_at, misfit
FROM workflow_messages
WHERE run_id = $1
ORDER BY id
LIMIT $2
